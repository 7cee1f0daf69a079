import { msp } from '@hyperledger/fabric-protos';
import type { NodeRole } from '../identity/membership.ts';

/** The properties of a signer that policies refer to. */
export interface Signer {
  mspId: string;
  role: NodeRole | undefined;
  /** The serialized identity, for policies that name one. */
  serialized?: Uint8Array;
}

const roleNames = new Map<number, NodeRole | 'member'>([
  [msp.MSPRole.MSPRoleType.MEMBER, 'member'],
  [msp.MSPRole.MSPRoleType.ADMIN, 'admin'],
  [msp.MSPRole.MSPRoleType.CLIENT, 'client'],
  [msp.MSPRole.MSPRoleType.PEER, 'peer'],
  [msp.MSPRole.MSPRoleType.ORDERER, 'orderer'],
]);

/**
 * Whether a signer matches a policy's principal: a role in an organization, or one identity. No signer
 * matches a malformed principal.
 */
export function satisfies(signer: Signer, principal: msp.MSPPrincipal): boolean {
  const kind = msp.MSPPrincipal.Classification;
  switch (principal.getPrincipalClassification()) {
    case kind.ROLE: {
      const role = readRole(principal.getPrincipal_asU8());
      const wanted = role && roleNames.get(role.getRole());
      if (role?.getMspIdentifier() !== signer.mspId || signer.role === undefined) return false;
      return wanted === 'member' || wanted === signer.role;
    }
    case kind.IDENTITY:
      return (
        signer.serialized !== undefined &&
        Buffer.from(principal.getPrincipal_asU8()).equals(signer.serialized)
      );
    default:
      return false;
  }
}

/** Returns the principal for a role in an organization, such as `Org1MSP` and `member`. */
export function rolePrincipal(mspId: string, role: NodeRole | 'member'): msp.MSPPrincipal {
  const value = new msp.MSPRole();
  value.setMspIdentifier(mspId);
  for (const [number, name] of roleNames) if (name === role) value.setRole(asRole(number));
  const principal = new msp.MSPPrincipal();
  principal.setPrincipalClassification(msp.MSPPrincipal.Classification.ROLE);
  principal.setPrincipal(value.serializeBinary());
  return principal;
}

function readRole(bytes: Uint8Array): msp.MSPRole | undefined {
  try {
    return msp.MSPRole.deserializeBinary(bytes);
  } catch {
    return undefined;
  }
}

function asRole(value: number): 0 | 1 | 2 | 3 | 4 {
  if (value === 0 || value === 1 || value === 2 || value === 3 || value === 4) return value;
  throw new RangeError(`${value} is not a role.`);
}
