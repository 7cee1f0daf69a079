import { randomBytes } from 'node:crypto';
import { createRoot, issueIdentity, issueTls, type KeyPair } from './ca/issue.ts';
import type { Settings } from './ledger/database.ts';

/** Keys and certificates of one organization, its peer and its administrator. */
export interface OrganizationMaterial {
  mspId: string;
  /** The root that certifies members. */
  root: KeyPair;
  /** The root that certifies TLS endpoints, and TLS clients under mutual TLS. */
  tlsRoot: KeyPair;
  peer: KeyPair;
  peerTls: KeyPair;
  admin: KeyPair;
  /** The secret of the CA's registrar. */
  registrarSecret: string;
}

/** All keys and certificates that the network creates at its first start. */
export interface Material {
  organizations: OrganizationMaterial[];
  orderer: { mspId: string; root: KeyPair; tlsRoot: KeyPair; node: KeyPair };
}

/** The MSP of the ordering service. */
export const ordererMspId = 'OrdererMSP';

/** Loads the keys and certificates from the settings, or creates them at the first start. */
export async function loadMaterial(settings: Settings, mspIds: readonly string[]): Promise<Material> {
  const known = settings.get<Material>('material');
  if (known !== undefined) return known;
  const material: Material = {
    organizations: await Promise.all(mspIds.map(createOrganization)),
    orderer: await createOrderer(),
  };
  settings.set('material', material);
  return material;
}

async function createOrganization(mspId: string): Promise<OrganizationMaterial> {
  const [root, tlsRoot] = await roots(mspId);
  const [peer, peerTls, admin] = await Promise.all([
    issueIdentity(root, { commonName: `peer0.${mspId}`, role: 'peer', organization: mspId }),
    issueTls(tlsRoot, { commonName: `peer0.${mspId}` }),
    issueIdentity(root, { commonName: 'admin', role: 'admin', organization: mspId }),
  ]);
  const registrarSecret = randomBytes(18).toString('base64url');
  return { mspId, root, tlsRoot, peer, peerTls, admin, registrarSecret };
}

async function createOrderer(): Promise<Material['orderer']> {
  const [root, tlsRoot] = await roots(ordererMspId);
  const node = await issueIdentity(root, {
    ...{ commonName: 'orderer0', role: 'orderer', organization: ordererMspId },
  });
  return { mspId: ordererMspId, root, tlsRoot, node };
}

async function roots(mspId: string): Promise<[root: KeyPair, tlsRoot: KeyPair]> {
  return await Promise.all([
    createRoot({ commonName: `ca.${mspId}`, organization: mspId }),
    createRoot({ commonName: `tlsca.${mspId}`, organization: mspId }),
  ]);
}
