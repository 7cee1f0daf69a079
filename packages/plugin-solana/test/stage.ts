import { setTimeout as delay } from 'node:timers/promises';
import type {
  AdapterDefinition,
  JsonObject,
  LedgerConfig,
  LedgerSession,
  PendingTransaction,
  ResolvedOperation,
  SignedTransaction,
  WalletIdentity,
} from '@ledger-ops/adapter';
import { createTestSigner, prepareAndSign, type TestSigner } from '@ledger-ops/adapter-kit/conformance';
import type { SolanaLedger } from '@ledger-ops/devnet-solana';
import { getAddressDecoder } from '@solana/kit';
import { quickAdapter } from './quick.ts';

/** A session with a wallet, and what it logged. */
export interface Actor {
  session: LedgerSession;
  wallet: WalletIdentity;
  signer: TestSigner;
  logged: string[];
}

export function ledgerOf(urls: readonly string[], properties: JsonObject = {}): LedgerConfig {
  return {
    ...{ ledgerId: 'test', technology: 'solana', properties },
    nodes: urls.map((uri, index) => ({ nodeId: `node-${index + 1}`, uri })),
  };
}

/** Opens a session with a wallet: a new one, which is not funded, unless a signer is given. */
export async function openActor(
  ledger: LedgerConfig,
  definition: AdapterDefinition = quickAdapter,
  signer: TestSigner = createTestSigner('ed25519'),
): Promise<Actor> {
  const logged: string[] = [];
  const session = await definition.open(ledger, {
    now: Date.now,
    log: (_level, event, fields) => logged.push(`${event} ${JSON.stringify(fields ?? {})}`),
    signal: new AbortController().signal,
  });
  return { session, signer, logged, wallet: { address: getAddressDecoder().decode(signer.publicKey) } };
}

/** Gives an account 10 SOL on a ledger that makes blocks by itself. */
export async function fundNow(ledger: SolanaLedger, address: string): Promise<void> {
  const balance = async () =>
    (await ledger.rpc<{ value: number }>('getBalance', [address, { commitment: 'confirmed' }])).value;
  const before = await balance();
  await ledger.rpc('requestAirdrop', [address, 10_000_000_000]);
  const until = Date.now() + 30_000;
  while ((await balance()) === before) {
    if (Date.now() > until) throw new Error('The airdrop did not arrive within 30 s.');
    await delay(5);
  }
}

/** Check, estimate, prepare, sign. */
export async function sign(
  { session, wallet, signer }: Actor,
  operation: ResolvedOperation,
  actionId = 'action',
): Promise<SignedTransaction> {
  let { plan, readiness } = await session.check({ wallet, operation });
  if (readiness === 'estimate') {
    const [estimated] = await session.estimate([{ wallet, plan, minHeight: 0 }]);
    if (estimated?.status !== 'ready') throw new Error(`The estimate says ${JSON.stringify(estimated)}`);
    ({ plan } = estimated);
  }
  const [main] = await prepareAndSign(session, { actionId, wallet, plan }, signer.sign);
  if (main === undefined) throw new Error('Nothing was prepared.');
  return main;
}

/** As `confirm` takes them. */
export function pendingOf(
  { wallet }: Actor,
  transactions: readonly SignedTransaction[],
): Map<string, PendingTransaction> {
  return new Map(
    transactions.map(({ txId, validUntil }) => [
      txId,
      { address: wallet.address, ...(validUntil === undefined ? {} : { validUntil }) },
    ]),
  );
}
