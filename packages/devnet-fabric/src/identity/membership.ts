import { type KeyObject, X509Certificate } from 'node:crypto';
import { msp } from '@hyperledger/fabric-protos';
import { plainSerial, serialsOf } from '../ca/revocation-list.ts';
import { verifyLowS } from './p256.ts';

/** Role of a certificate's holder, from the organizational unit in the certificate (NodeOUs). */
export type NodeRole = 'client' | 'peer' | 'admin' | 'orderer';

/** The holder of a certificate issued by one of the channel's organizations. */
export interface Member {
  mspId: string;
  certificate: X509Certificate;
  /**
   * Absent if the certificate has no role or several roles, or was revoked. Signatures of such a member are
   * not accepted.
   */
  role: NodeRole | undefined;
  /** Milliseconds since the epoch. Callers check it, because Fabric checks it only in some places. */
  expiresAt: number;
  /** Whether this member signed the data. */
  verify(data: Uint8Array, signature: Uint8Array): boolean;
}

/** An organization and the roots that verify its certificates. */
export interface Organization {
  mspId: string;
  /** PEM. */
  rootCertificate: string;
}

/** The organizations of a channel and their members. */
export interface Membership {
  /**
   * Returns the member with this serialized identity (`msp.SerializedIdentity`). Undefined for an unknown
   * organization, a malformed or non-P-256 certificate, and a certificate that the organization did not
   * issue. Peers do not distinguish these cases either.
   */
  identify(serialized: Uint8Array): Member | undefined;
  /** Replaces the revocation lists (PEM) of the organizations, as in the channel's configuration. */
  setRevocationLists(lists: ReadonlyMap<string, readonly string[]>): void;
}

const roles: readonly NodeRole[] = ['client', 'peer', 'admin', 'orderer'];
/** Number of parsed identities in the cache. The oldest is evicted. */
const kept = 10_000;

/** Creates the membership of these organizations. Each certificate is parsed and checked once. */
export function createMembership(organizations: readonly Organization[]): Membership {
  const roots = new Map(
    organizations.map(({ mspId, rootCertificate }) => [mspId, new X509Certificate(rootCertificate)]),
  );
  const known = new Map<string, Member | undefined>();
  let revoked: ReadonlyMap<string, ReadonlySet<string>> = new Map();
  return {
    setRevocationLists(lists) {
      revoked = new Map([...lists].map(([mspId, all]) => [mspId, new Set(all.flatMap(serialsOf))]));
      known.clear();
    },
    identify(serialized) {
      const key = Buffer.from(serialized.buffer, serialized.byteOffset, serialized.byteLength).toString(
        'latin1',
      );
      if (known.has(key)) return known.get(key);
      const member = parse(serialized, roots, revoked);
      const oldest = known.size < kept ? undefined : known.keys().next().value;
      if (oldest !== undefined) known.delete(oldest);
      known.set(key, member);
      return member;
    },
  };
}

/** Returns the serialized identity of a certificate (PEM), as contained in headers and endorsements. */
export function serializeIdentity(mspId: string, certificate: string): Uint8Array {
  const identity = new msp.SerializedIdentity();
  identity.setMspid(mspId);
  identity.setIdBytes(Buffer.from(certificate));
  return identity.serializeBinary();
}

function parse(
  serialized: Uint8Array,
  roots: ReadonlyMap<string, X509Certificate>,
  revoked: ReadonlyMap<string, ReadonlySet<string>>,
): Member | undefined {
  const named = readable(() => {
    const identity = msp.SerializedIdentity.deserializeBinary(serialized);
    return { mspId: identity.getMspid(), certificate: new X509Certificate(identity.getIdBytes_asU8()) };
  });
  const root = named && roots.get(named.mspId);
  if (named === undefined || root === undefined) return undefined;
  const { mspId, certificate } = named;
  const key = readable(() => certificate.publicKey);
  if (key?.asymmetricKeyDetails?.namedCurve !== 'prime256v1' || !issuedBy(certificate, root))
    return undefined;
  const isRevoked = revoked.get(mspId)?.has(plainSerial(certificate.serialNumber)) === true;
  return member(mspId, certificate, key, isRevoked);
}

function member(mspId: string, certificate: X509Certificate, key: KeyObject, isRevoked: boolean): Member {
  const units = isRevoked ? [] : organizationalUnits(certificate);
  const named = roles.filter((role) => units.includes(role));
  return {
    mspId,
    certificate,
    role: named.length === 1 ? named[0] : undefined,
    expiresAt: Date.parse(certificate.validTo),
    verify: (data, signature) => readable(() => verifyLowS(data, signature, key)) ?? false,
  };
}

/**
 * Whether the root issued the certificate. Like a peer, checks this as of the first second of the certificate's
 * validity. So the certificate may have expired, but its root must already have been valid when the certificate's
 * validity started.
 */
function issuedBy(certificate: X509Certificate, root: X509Certificate): boolean {
  const at = Date.parse(certificate.validFrom) + 1000;
  return (
    // Names are compared instead of key identifiers, which may differ.
    certificate.issuer === root.subject &&
    certificate.verify(root.publicKey) &&
    !certificate.ca &&
    at >= Date.parse(root.validFrom) &&
    at <= Date.parse(root.validTo)
  );
}

function organizationalUnits(certificate: X509Certificate): readonly string[] {
  // A name attribute that occurs more than once is an array. The types do not declare this.
  const units: unknown = certificate.toLegacyObject().subject?.OU;
  return [units].flat().filter((unit) => typeof unit === 'string');
}

/** Returns undefined instead of throwing, because the bytes are untrusted. */
function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
