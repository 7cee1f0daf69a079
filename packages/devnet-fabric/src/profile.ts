import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { KeyPair } from './ca/issue.ts';
import { freePort } from './chaincode/start.ts';
import type { FabricNetwork, FabricOrganization } from './network-types.ts';
import type { FabricProfile, ProfileIdentity, ProfileOptions, ProfileOrganization } from './profile-file.ts';

/** The functions of the sample chaincode `assetTransfer` by purpose. */
export const sampleFunctions: FabricProfile['functions'] = {
  write: { name: 'Trials:Put', args: ['{key}', '{value}'] },
  read: { name: 'Trials:Get', args: ['{key}'] },
  conflict: { name: 'Trials:Count', args: ['{key}'] },
  fail: { name: 'Trials:Fail', args: ['{value}'] },
  transient: { name: 'Trials:Seal', args: ['{key}'] },
  mismatch: { name: 'Trials:Mismatch', args: ['{key}'] },
  metadata: { name: 'org.hyperledger.fabric:GetMetadata', args: [] },
};

/**
 * Writes the files that clients need, and `profile.json`, into a folder. Key files have mode 0600.
 * @returns the profile and its path
 */
export async function writeProfile(
  network: Pick<FabricNetwork, 'channel' | 'organizations' | 'mutualTls'>,
  directory: string,
  options: ProfileOptions = {},
): Promise<{ profile: FabricProfile; file: string }> {
  const folder = resolve(directory);
  const address = `127.0.0.1:${await freePort('127.0.0.1')}`;
  const profile: FabricProfile = {
    channel: network.channel,
    chaincode: options.chaincode ?? 'assets',
    organizations: await Promise.all(
      network.organizations.map((one) =>
        writeOrganization(one, folder, network.mutualTls, options.users ?? 3),
      ),
    ),
    functions: options.functions ?? sampleFunctions,
    chaincodeService: { listen: address, address },
  };
  const file = join(folder, 'profile.json');
  writeFileSync(file, `${JSON.stringify(profile, null, 2)}\n`, { mode: 0o600 });
  return { profile, file };
}

async function writeOrganization(
  organization: FabricOrganization,
  directory: string,
  mutualTls: boolean,
  users: number,
): Promise<ProfileOrganization> {
  const { mspId, endpoint, hostOverride, ca, admin } = organization;
  const folder = join(directory, mspId);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const names = Array.from({ length: users }, (_, at) => `user${at + 1}`);
  const certified = await Promise.all(
    names.map(async (name) => writePair(folder, name, await organization.issueUser(name))),
  );
  const { url, name, registrar } = ca;
  return {
    mspId,
    peers: [{ endpoint, hostOverride, tlsCaFile: writePem(folder, 'tls-ca', organization.tlsCaCertificate) }],
    users: certified,
    admin: writePair(folder, 'admin', admin),
    ca: { url, name, tlsCaFile: writePem(folder, 'ca-tls-ca', ca.tlsCaCertificate), registrar },
    ...(mutualTls
      ? { clientTls: writePair(folder, 'client-tls', await organization.issueClientTls('client')) }
      : {}),
  };
}

function writePair(folder: string, name: string, { certificate, privateKey }: KeyPair): ProfileIdentity {
  return {
    certFile: writePem(folder, `${name}-cert`, certificate),
    keyFile: writePem(folder, `${name}-key`, privateKey),
  };
}

function writePem(folder: string, name: string, content: string): string {
  const file = join(folder, `${name}.pem`);
  writeFileSync(file, content, { mode: 0o600 });
  return file;
}
