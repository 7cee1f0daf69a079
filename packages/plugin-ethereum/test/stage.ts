import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type {
  AdapterDefinition,
  AttemptKind,
  Cursor,
  JsonObject,
  LedgerConfig,
  LedgerSession,
  Outcome,
  PendingTransaction,
  ResolvedOperation,
  SignedTransaction,
  WalletIdentity,
} from '@ledger-ops/adapter';
import { createTestSigner, type TestSigner } from '@ledger-ops/adapter-kit/conformance';
import type { Anvil } from '@ledger-ops/devnet';
import type { EthereumContent, NativeContent } from '@ledger-ops/glo-core';
import { quickAdapter } from './quick.ts';

/** Compiled contracts of `contracts/Fixture.sol`. */
export const contracts: Record<'Fixture' | 'Receiver', { interface: string; code: string }> = JSON.parse(
  readFileSync(new URL('./contracts/fixtures.generated.json', import.meta.url), 'utf8'),
);

export const ethereum: NativeContent = { technology: 'ethereum', content: {} };

/** Native meta with this content. */
export function ethereumWith(content: EthereumContent): NativeContent {
  const entries = Object.entries(content).map(([name, value]) => [
    name,
    typeof value === 'bigint' ? value.toString() : value,
  ]);
  return { technology: 'ethereum', content: Object.fromEntries(entries) };
}

/** Returns a ledger record with these nodes. */
export function ledgerOf(uris: readonly string[], properties: JsonObject = {}): LedgerConfig {
  return {
    ledgerId: 'test',
    technology: 'ethereum',
    properties: { polling_interval: 20, ...properties },
    nodes: uris.map((uri, index) => ({ nodeId: `node-${index}`, uri })),
  };
}

export interface LogLine {
  level: string;
  event: string;
  fields: JsonObject;
}

export interface TestSession {
  session: LedgerSession;
  wallet: WalletIdentity;
  signer: TestSigner;
  log: LogLine[];
  end: AbortController;
}

/** Opens a session. The wallet is one of the node's funded accounts. */
export async function openSession(
  ledger: LedgerConfig,
  privateKey: string,
  adapter: AdapterDefinition = quickAdapter,
): Promise<TestSession> {
  const log: LogLine[] = [];
  const end = new AbortController();
  const session = await adapter.open(ledger, {
    now: Date.now,
    log: (level, event, fields = {}) => log.push({ level, event, fields }),
    signal: end.signal,
  });
  const signer = createTestSigner('secp256k1', Buffer.from(privateKey.slice(2), 'hex'));
  const round = await session.createWallet({ walletId: 'w', publicKey: signer.publicKey, parameters: {} });
  if (!round.done) throw new TypeError('An Ethereum wallet needs no signature.');
  return { session, wallet: round.result, signer, log, end };
}

/** Returns the private key of a node's funded account. */
export function keyOf(node: Anvil, index = 0): string {
  const account = node.accounts[index];
  if (account === undefined) throw new RangeError(`The node has no account ${index}.`);
  return account.privateKey;
}

export type Attempt = SignedTransaction & { kind: AttemptKind };

/**
 * Checks, estimates if needed, prepares and signs, like the host.
 * @param changes replaces parts of the adapter's plan, for example with a gas limit that `check` would refuse
 */
export async function sign(
  { session, wallet, signer }: TestSession,
  operation: ResolvedOperation,
  given?: bigint,
  changes: JsonObject = {},
): Promise<{
  sequence: bigint;
  attempts: Attempt[];
  main: Attempt;
  pending: Map<string, PendingTransaction>;
  plan: JsonObject;
}> {
  const checked = await session.check({ wallet, operation });
  let { plan } = checked;
  if (checked.readiness === 'estimate') {
    const [estimated] = await session.estimate([{ wallet, plan, minHeight: 0 }]);
    if (estimated?.status !== 'ready') throw new Error(`The estimate failed: ${estimated?.problem.detail}`);
    plan = estimated.plan;
  }
  plan = { ...plan, ...changes };
  const sequence = given ?? (await session.sequences([wallet.address]))[0] ?? 0n;
  const [prepared] = await session.prepare([{ actionId: 'a', wallet, plan, sequence }]);
  if (prepared?.status !== 'prepared') {
    throw Object.assign(new Error(`prepare failed: ${prepared?.problem.detail}`), {
      problem: prepared?.problem,
    });
  }
  const attempts: Attempt[] = [];
  for (const { kind, round } of prepared.attempts) {
    if (round.done) throw new TypeError('An attempt needs a signature.');
    const [next] = await session.advance([
      { state: structuredClone(round.state), signatures: round.requests.map(signer.sign) },
    ]);
    if (next?.done !== true) throw new TypeError('An attempt needs one signature only.');
    attempts.push({ kind, ...next.result });
  }
  const [main] = attempts;
  if (main === undefined) throw new TypeError('prepare() returned no main transaction.');
  const pending = new Map(attempts.map(({ txId }) => [txId, { address: wallet.address, sequence }]));
  return { sequence, attempts, main, pending, plan };
}

/** Confirms until everything pending has its outcome. */
export async function settle(
  session: LedgerSession,
  pending: ReadonlyMap<string, PendingTransaction>,
  from: Cursor | null = null,
): Promise<{ outcomes: Map<string, Outcome>; cursor: Cursor | null }> {
  const outcomes = new Map<string, Outcome>();
  let cursor = from;
  await until(async () => {
    const left = new Map([...pending].filter(([txId]) => !outcomes.has(txId)));
    const confirmed = await session.confirm({ cursor, pending: left });
    for (const outcome of confirmed.outcomes) outcomes.set(outcome.txId, outcome);
    cursor = confirmed.cursor;
    return outcomes.size === pending.size;
  });
  return { outcomes, cursor };
}

/** Signs, submits and waits for the outcome. */
export async function execute(actor: TestSession, operation: ResolvedOperation): Promise<Outcome> {
  const { main } = await sign(actor, operation);
  const [answer] = await actor.session.submit([main]);
  if (answer?.status !== 'accepted') throw new Error(`submit: ${JSON.stringify(answer)}`);
  const pending = new Map([[main.txId, { address: actor.wallet.address }]]);
  const { outcomes } = await settle(actor.session, pending);
  const outcome = outcomes.get(main.txId);
  if (outcome === undefined) throw new Error('There is no outcome.');
  return outcome;
}

/** Deploys a contract and returns its address. */
export async function deploy(
  actor: TestSession,
  source: { interface: string; code: string },
  args: string[] = [],
): Promise<string> {
  const outcome = await execute(actor, {
    type: 'contract_deploy',
    source,
    args,
    value: 0n,
    native: ethereum,
  });
  if (outcome.status !== 'succeeded' || outcome.contractAddress === undefined) {
    throw new Error(`The deployment ${outcome.status}.`);
  }
  return outcome.contractAddress;
}

/** Returns a call to the fixture contract, with its interface. */
export function call(
  address: string,
  name: string,
  args: string[] = [],
  more: Partial<ResolvedOperation & { type: 'contract_call' }> = {},
): ResolvedOperation & { type: 'contract_call' } {
  return {
    type: 'contract_call',
    contract: { address, interface: contracts.Fixture.interface },
    method: { name, args },
    value: 0n,
    native: ethereum,
    ...more,
  };
}

export function transfer(
  recipient: string,
  amount = 1n,
  more: Partial<ResolvedOperation & { type: 'transfer' }> = {},
): ResolvedOperation & { type: 'transfer' } {
  return { type: 'transfer', recipient, amount, native: ethereum, ...more };
}

/** Waits for a condition, at most 30 s. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 30_000;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error('The condition was not met within 30 s.');
    await delay(15);
  }
}
