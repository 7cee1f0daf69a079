import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { JsonObject, LedgerConfig, LedgerNode } from '@ledger-ops/adapter';
import { createTestSigner, type TestSigner } from '@ledger-ops/adapter-kit/conformance';
import type {
  FabricProfile,
  ProfileFunction,
  ProfileIdentity,
  ProfileOrganization,
  ProfileRole,
} from '@ledger-ops/devnet-fabric';

/** A member of the network, with the key that a host would store for it. */
export interface Member {
  certificate: string;
  signer: TestSigner;
}

const read = (file: string) => readFileSync(file, 'utf8');

export function organizationAt({ organizations }: FabricProfile, index = 0): ProfileOrganization {
  const found = organizations[index];
  if (found === undefined) throw new RangeError(`The profile has no organization ${index}.`);
  return found;
}

export function memberOf({ certFile, keyFile }: ProfileIdentity): Member {
  const { d = '' } = createPrivateKey(read(keyFile)).export({ format: 'jwk' });
  return { certificate: read(certFile), signer: createTestSigner('p256', Buffer.from(d, 'base64url')) };
}

/** Returns a user of an organization. If there are several, the last one is the observer. */
export function userOf(profile: FabricProfile, organization = 0, index = 0): Member {
  const user = organizationAt(profile, organization).users[index];
  if (user === undefined) throw new RangeError(`Organization ${organization} has no user ${index}.`);
  return memberOf(user);
}

/** Returns a ledger record for a profile, as one organization sees it. */
export function ledgerOf(
  profile: FabricProfile,
  { properties = {}, organization = 0 }: { properties?: JsonObject; organization?: number } = {},
): LedgerConfig {
  const own = organizationAt(profile, organization);
  const observer = own.users.at(-1);
  if (observer === undefined) throw new RangeError(`${own.mspId} has no user to observe with.`);
  const { ca, clientTls } = own;
  const others = profile.organizations.filter((one) => one !== own);
  return {
    ledgerId: 'test',
    technology: 'hyperledger-fabric',
    properties: {
      channel: profile.channel,
      msp_id: own.mspId,
      observer_certificate: read(observer.certFile),
      observer_private_key: read(observer.keyFile),
      ...(clientTls === undefined
        ? {}
        : { tls_client_certificate: read(clientTls.certFile), tls_client_key: read(clientTls.keyFile) }),
      ...(ca === undefined
        ? {}
        : {
            ca_url: ca.url,
            ca_name: ca.name,
            ca_tls_certificate: read(ca.tlsCaFile),
            ca_registrar_id: ca.registrar.enrollmentId,
            ca_registrar_secret: ca.registrar.enrollmentSecret,
          }),
      ...properties,
    },
    nodes: [own, ...others].flatMap(nodesOf),
  };
}

function nodesOf({ mspId, peers }: ProfileOrganization): LedgerNode[] {
  return peers.map(({ endpoint, hostOverride, tlsCaFile }, index) => ({
    nodeId: `${mspId}-${index}`,
    uri: `grpcs://${endpoint}`,
    properties: {
      msp_id: mspId,
      tls_ca_certificate: read(tlsCaFile),
      ...(hostOverride === undefined ? {} : { tls_server_name: hostOverride }),
    },
  }));
}

/**
 * Returns the function of the profile's chaincode for a role, with its arguments; undefined if the profile
 * has none.
 */
export function functionOf(
  { functions }: FabricProfile,
  role: ProfileRole,
  values: Partial<Record<'key' | 'value' | 'from' | 'to', string>> = {},
): ProfileFunction | undefined {
  const found = functions[role];
  if (found === undefined) return undefined;
  const { key = 'key', value = 'value', from = `${key}-from`, to = `${key}-to` } = values;
  const all: Record<string, string> = { key, value, from, to };
  return {
    name: found.name,
    args: found.args.map((arg) =>
      arg.replace(/\{(key|value|from|to)\}/g, (_, name: string) => all[name] ?? ''),
    ),
  };
}
