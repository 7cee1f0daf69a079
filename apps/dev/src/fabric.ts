import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { problemType } from '@ledger-ops/base';
import {
  type FabricProcess,
  type FabricProfile,
  type ProfileOrganization,
  sampleChaincodes,
  startFabricProcess,
} from '@ledger-ops/devnet-fabric';
import { z } from 'zod';
import { CallError, type Caller } from './caller.ts';
import { devIds } from './credentials.ts';
import type { DevFile } from './dev-file.ts';
import { follow, send } from './follow.ts';
import { callGlo, sendBody } from './samples.ts';
import { ensureWallet, found } from './seed.ts';

type DevWallet = DevFile['wallets'][number];

/** Chaincodes of the development network, by their names on the channel. */
export const chaincodes = { assets: 'assets', token: 'token' } as const;

/** Starts a network in its own process, stored in a folder between starts, with two chaincodes as services. */
export async function startDevFabric(dataDir: string): Promise<FabricProcess> {
  return await startFabricProcess({
    directory: join(dataDir, 'fabric'),
    profileDirectory: join(dataDir, 'fabric-profile'),
    profile: { chaincode: chaincodes.assets },
    chaincodes: [
      { name: chaincodes.assets, contract: sampleChaincodes.assetTransfer },
      { name: chaincodes.token, contract: sampleChaincodes.token },
    ],
  });
}

/** Reads the profile that the network's process wrote. */
export function readProfile({ profile }: FabricProcess): FabricProfile {
  // Trusted: the network's process has just written it.
  return JSON.parse(readFileSync(profile, 'utf8')) as FabricProfile;
}

/** Creates or updates the network's ledger record. Its nodes are the peers of all organizations, in order. */
export async function ensureFabricLedger(caller: Caller, profile: FabricProfile): Promise<void> {
  const ledgerId = devIds.fabricLedger;
  const [own] = profile.organizations;
  if (own === undefined) throw new TypeError('The network has no organization.');
  const properties = ledgerProperties(profile, own);
  const nodes = profile.organizations.flatMap(({ mspId, peers }) =>
    peers.map(({ endpoint, hostOverride, tlsCaFile }, index) => ({
      nodeId: `${ledgerId}-${mspId}-${index}`,
      name: `peer ${index} of ${mspId}`,
      uri: `grpcs://${endpoint}`,
      properties: {
        msp_id: mspId,
        tls_ca_certificate: readFileSync(tlsCaFile, 'utf8'),
        ...(hostOverride === undefined ? {} : { tls_server_name: hostOverride }),
      },
    })),
  );
  if (!(await found(caller.call('GET', `/v1/admin/ledgers/${ledgerId}`)))) {
    await caller.call('POST', '/v1/admin/ledgers', {
      ...{ ledgerId, name: 'Development network', technology: 'hyperledger-fabric', properties, nodes },
    });
    return;
  }
  // The observer's certificate is new at each start, and the ports may have changed.
  await caller.call('PUT', `/v1/admin/ledgers/${ledgerId}`, { properties });
  for (const { nodeId, ...node } of nodes) await caller.call('PUT', `/v1/admin/nodes/${nodeId}`, node);
}

function ledgerProperties({ channel }: FabricProfile, { mspId, users, ca }: ProfileOrganization) {
  const observer = users.at(-1);
  if (observer === undefined || ca === undefined) throw new TypeError('The network has no users or no CA.');
  return {
    channel,
    msp_id: mspId,
    observer_certificate: readFileSync(observer.certFile, 'utf8'),
    observer_private_key: readFileSync(observer.keyFile, 'utf8'),
    ca_url: ca.url,
    ca_name: ca.name,
    ca_tls_certificate: readFileSync(ca.tlsCaFile, 'utf8'),
    ca_registrar_id: ca.registrar.enrollmentId,
    ca_registrar_secret: ca.registrar.enrollmentSecret,
    transfer_contract: `${channel}/${chaincodes.token}`,
    retry_conflicts: 5,
    confirmations: 1,
    development: true,
  };
}

/** Ensures two wallets. The network's CA registers and enrolls them by their names. The first one holds tokens. */
export async function ensureFabricWallets(
  caller: Caller,
  channel: string,
  former: readonly DevWallet[],
  { newPassword, show }: { readonly newPassword: () => string; readonly show: (line: string) => void },
): Promise<DevWallet[]> {
  const token = (method: string, ...args: string[]) =>
    callGlo('hyperledger-fabric', `${channel}/${chaincodes.token}`, method, args);
  const ensure = async (name: string) => {
    const unusable: DevWallet[] = [];
    const wallet = await ensureWallet(caller, devIds.fabricLedger, name, former, {
      newPassword,
      parameters: (enrollmentId) => ({ enrollmentId }),
      async isUsable(known) {
        const isOwn = await isOfNetwork(caller, known, token('TotalSupply'));
        if (!isOwn) unusable.push(known);
        return isOwn;
      },
    });
    for (const { walletId } of unusable)
      show(
        `Fabric: ${walletId} was enrolled with a former network, whose folder was deleted. ${wallet.walletId} replaces it.`,
      );
    return wallet;
  };
  const [carol, dave] = await Promise.all([ensure('carol'), ensure('dave')]);
  const supply = await supplyOf(caller, token('TotalSupply'));
  if (supply !== null && supply !== '0') return [carol, dave];
  const dependencies =
    supply === '0'
      ? []
      : [await send(caller, sendBody(carol, token('Initialize', 'Development token', 'DEV', '0')))];
  const minted = await send(caller, { ...sendBody(carol, token('Mint', '1000000')), dependencies });
  const lines: string[] = [];
  if ((await follow(caller, minted, (line) => lines.push(line))) !== 'SUCCEEDED')
    throw new Error(`The development token was not minted:${lines.at(-1) ?? ''}`);
  return [carol, dave];
}

/** Whether the network accepts the wallet's certificate, tested with a simulated transfer. */
async function isOfNetwork(
  caller: Caller,
  { walletId, walletPassword }: DevWallet,
  glo: object,
): Promise<boolean> {
  try {
    await caller.call('POST', '/v1/ledger-ops/emulate', { walletId, walletPassword, glo });
    return true;
  } catch (error) {
    // Other errors have other causes: the token may not be initialized yet.
    if (error instanceof CallError && error.status === 422)
      return error.type !== problemType('certificate-invalid');
    throw error;
  }
}

/** Returns the token's total supply. Null before the token is initialized: its chaincode then returns an error. */
async function supplyOf(caller: Caller, glo: object): Promise<string | null> {
  try {
    const body = { ledgerId: devIds.fabricLedger, glo };
    const emulated = await caller.call('POST', '/v1/ledger-ops/emulate', body);
    return String(emulatedSchema.parse(emulated).result);
  } catch (error) {
    if (error instanceof CallError && error.status === 422) return null;
    throw error;
  }
}

const emulatedSchema = z.object({ result: z.unknown() });
