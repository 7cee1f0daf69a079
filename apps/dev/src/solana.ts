import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type SolanaProcess, startSolanaProcess, UnsupportedPlatformError } from '@ledger-ops/devnet-solana';
import type { Caller } from './caller.ts';
import { devIds } from './credentials.ts';
import type { DevFile } from './dev-file.ts';
import { ensureWallet, found } from './seed.ts';

type DevWallet = DevFile['wallets'][number];

/** 100 SOL, in lamports. */
const funds = 100_000_000_000;
const nodeId = `${devIds.solanaLedger}-node`;
/** Interval between queries of an airdrop, and time after which it has failed, in milliseconds. */
const [interval, timeoutMs] = [50, 30_000];

/** Whether an earlier start created the Solana ledger. */
export function isDevSolanaKnown(dataDir: string): boolean {
  return existsSync(stateFileIn(dataDir));
}

/**
 * Starts a ledger in its own process, stored in a file. A block is final after two more blocks, about a second. Null if
 * the ledger's runtime does not support this platform.
 */
export async function startDevSolana(dataDir: string, port: number): Promise<SolanaProcess | null> {
  try {
    return await startSolanaProcess({ port, stateFile: stateFileIn(dataDir), finalized: 2 });
  } catch (error) {
    if (error instanceof UnsupportedPlatformError) return null;
    throw error;
  }
}

const stateFileIn = (dataDir: string) => join(dataDir, 'solana-state.sqlite');

/** Creates or updates the ledger's record, with the node at `url`. */
export async function ensureSolanaLedger(caller: Caller, url: string): Promise<void> {
  const ledgerId = devIds.solanaLedger;
  const node = { name: 'devnet', uri: url };
  if (await found(caller.call('GET', `/v1/admin/ledgers/${ledgerId}`))) {
    await caller.call('PUT', `/v1/admin/nodes/${nodeId}`, node);
    return;
  }
  await caller.call('POST', '/v1/admin/ledgers', {
    ...{ ledgerId, name: 'Development Solana', technology: 'solana' },
    properties: { development: true, polling_interval: 100 },
    nodes: [{ nodeId, ...node }],
  });
}

/**
 * Ensures two funded wallets with known passwords, from an earlier start or new. Wallets of a deleted ledger are not
 * reused, because a wallet belongs to its chain.
 */
export async function ensureSolanaWallets(
  caller: Caller,
  ledger: SolanaProcess,
  former: readonly DevWallet[],
  { newPassword, isReset }: { readonly newPassword: () => string; readonly isReset: boolean },
): Promise<DevWallet[]> {
  const ensure = async (name: string) => {
    const needs = { newPassword, isUsable: async () => !isReset };
    const wallet = await ensureWallet(caller, devIds.solanaLedger, name, former, needs);
    await fund(ledger, wallet.walletAddress);
    return wallet;
  };
  return await Promise.all(['erin', 'frank'].map(ensure));
}

async function fund(ledger: SolanaProcess, address: string): Promise<void> {
  const isFunded = async () => {
    const options = [address, { commitment: 'confirmed' }];
    return (await ledger.rpc<{ value: number }>('getBalance', options)).value >= funds / 2;
  };
  if (await isFunded()) return;
  await ledger.rpc('requestAirdrop', [address, funds]);
  for (const end = Date.now() + timeoutMs; Date.now() < end; await wait(interval))
    if (await isFunded()) return;
  throw new Error(`The Solana ledger has not executed an airdrop to ${address}.`);
}
