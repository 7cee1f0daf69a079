import type {
  JsonObject,
  LedgerSession,
  Outcome,
  PendingTransaction,
  ResolvedOperation,
} from '@ledger-ops/adapter';
import { createTestSigner, prepareAndSign } from '@ledger-ops/adapter-kit/conformance';
import {
  addressOfPublicKey,
  createMemoryLedger,
  type MemoryLedger,
  type MemoryLedgerOptions,
  memoryAdapter,
} from '@ledger-ops/adapter-kit/memory';
import { onTestFinished } from 'vitest';

export const native = { technology: 'memory', content: {} } as const;
export const recipient = `0x${'ab'.repeat(20)}`;
/** A transfer to an otherwise unused account. */
export const transfer = (amount: bigint): ResolvedOperation => ({
  type: 'transfer',
  recipient,
  amount,
  native,
});

/** Creates a ledger that mines only on request, and a funded wallet in a session on it. */
export async function setUp(options: MemoryLedgerOptions = {}, properties: JsonObject = {}) {
  const ledger = createMemoryLedger({ autoMine: false, ...options });
  const signer = createTestSigner('secp256k1');
  const address = addressOfPublicKey(signer.publicKey);
  ledger.fund(address, 10n ** 18n);
  const session = await openSession(ledger, properties);
  return { ledger, signer, address, session };
}

/** Creates a session that is closed after the test. */
export async function openSession(ledger: MemoryLedger, properties: JsonObject = {}): Promise<LedgerSession> {
  const config = { ledgerId: 'here', technology: 'memory', properties, nodes: [] };
  const signal = new AbortController().signal;
  const session = await memoryAdapter(ledger).open(config, { now: Date.now, log: () => undefined, signal });
  onTestFinished(() => session.close());
  return session;
}

export type Setting = Awaited<ReturnType<typeof setUp>>;

/** Checks, estimates if needed, prepares and signs. */
export async function sign(
  { session, signer, address }: Setting,
  operation: ResolvedOperation,
  sequence: bigint,
  actionId = 'action',
) {
  const wallet = { address };
  const checked = await session.check({ wallet, operation });
  let plan = checked.plan;
  if (checked.readiness === 'estimate') {
    const [estimated] = await session.estimate([{ wallet, plan, minHeight: 0 }]);
    if (estimated?.status !== 'ready') throw new Error(estimated?.problem.detail);
    plan = estimated.plan;
  }
  const attempts = await prepareAndSign(session, { actionId, wallet, plan, sequence }, signer.sign);
  const [main] = attempts;
  if (main === undefined) throw new Error('prepare() returned no main transaction');
  return { main, attempts };
}

/** Returns the statuses of outcomes that are final now. */
export async function outcomesOf(session: LedgerSession, pending: Record<string, PendingTransaction>) {
  const confirmed = await session.confirm({ cursor: null, pending: new Map(Object.entries(pending)) });
  return confirmed.outcomes.map((outcome: Outcome) => outcome.status);
}
