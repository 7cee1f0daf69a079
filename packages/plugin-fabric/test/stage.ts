import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type {
  AdapterHost,
  Cursor,
  JsonObject,
  LedgerConfig,
  LedgerSession,
  Outcome,
  ResolvedOperation,
  SignedTransaction,
  WalletIdentity,
} from '@ledger-ops/adapter';
import type { TestSigner } from '@ledger-ops/adapter-kit/conformance';
import type { FabricProfile, ProfileRole } from '@ledger-ops/devnet-fabric';
import type { NativeContent } from '@ledger-ops/glo-core';
import { functionOf, ledgerOf, type Member, userOf } from './profile.ts';
import { testAdapter } from './test-adapter.ts';

export const fabric: NativeContent = { technology: 'hyperledger-fabric', content: {} };

export function fabricWith(content: JsonObject): NativeContent {
  return { technology: 'hyperledger-fabric', content };
}
export type Call = Extract<ResolvedOperation, { type: 'contract_call' }>;

export interface LogLine {
  level: string;
  event: string;
  fields: JsonObject;
}

export interface TestSession {
  session: LedgerSession;
  log: LogLine[];
  end: AbortController;
}

/** A session with a wallet. */
export interface Actor extends TestSession {
  wallet: WalletIdentity;
  signer: TestSigner;
}

export async function openSession(
  ledger: LedgerConfig,
  more: Partial<AdapterHost> = {},
): Promise<TestSession> {
  const log: LogLine[] = [];
  const end = new AbortController();
  const session = await testAdapter.open(ledger, {
    now: Date.now,
    log: (level, event, fields = {}) => log.push({ level, event, fields }),
    signal: end.signal,
    ...more,
  });
  return { session, log, end };
}

export async function importWallet(
  session: LedgerSession,
  member: Member,
  mspId?: string,
): Promise<WalletIdentity> {
  const round = await session.createWallet({
    walletId: 'w',
    publicKey: member.signer.publicKey,
    parameters: { certificate: member.certificate, ...(mspId === undefined ? {} : { mspId }) },
  });
  if (!round.done) throw new TypeError('An imported wallet needs no signature.');
  return round.result;
}

/** Opens a session as a user of an organization. */
export async function enter(
  profile: FabricProfile,
  options: {
    properties?: JsonObject;
    organization?: number;
    member?: Member;
    /** The host's clock. Default: the time of day. */
    now?: () => number;
  } = {},
): Promise<Actor> {
  const { now = Date.now } = options;
  const opened = await openSession(ledgerOf(profile, options), { now });
  const member = options.member ?? userOf(profile, options.organization ?? 0);
  return { ...opened, wallet: await importWallet(opened.session, member), signer: member.signer };
}

/** Returns a call to the profile's chaincode. */
export function callOf(
  profile: FabricProfile,
  method: { name: string; args: string[] },
  more: Partial<Call> = {},
): Call {
  const address = `${profile.channel}/${profile.chaincode}`;
  return { type: 'contract_call', contract: { address }, method, value: 0n, native: fabric, ...more };
}

/** Returns a call to the function that the profile names for a role. */
export function roleCall(
  profile: FabricProfile,
  role: ProfileRole,
  values: Parameters<typeof functionOf>[2] = {},
  more: Partial<Call> = {},
): Call {
  const method = functionOf(profile, role, values);
  if (method === undefined) throw new RangeError(`The profile has no function for ${role}.`);
  return callOf(profile, method, more);
}

/** Returns a key that no other test run uses. */
export const freshKey = (): string => `k${randomUUID().replaceAll('-', '')}`;

/** Answers signing rounds with the wallet's signatures. */
export async function signPlan(
  { session, wallet, signer }: Actor,
  plan: JsonObject,
  secret?: JsonObject,
): Promise<SignedTransaction> {
  const request = { actionId: randomUUID(), wallet, plan, ...(secret === undefined ? {} : { secret }) };
  const [prepared] = await session.prepare([request]);
  if (prepared?.status !== 'prepared') {
    throw Object.assign(new Error(`prepare failed: ${prepared?.problem.detail}`), {
      problem: prepared?.problem,
    });
  }
  let round = prepared.attempts[0]?.round;
  while (round?.done === false) {
    const state: unknown = structuredClone(round.state);
    [round] = await session.advance([{ state, signatures: round.requests.map(signer.sign) }]);
  }
  if (round === undefined) throw new TypeError('prepare() returned no main transaction.');
  return round.result;
}

export async function sign(actor: Actor, operation: ResolvedOperation): Promise<SignedTransaction> {
  const checked = await actor.session.check({ wallet: actor.wallet, operation });
  return signPlan(actor, JSON.parse(JSON.stringify(checked.plan)), checked.secret);
}

/** Calls confirm() until every transaction has an outcome. Sends nothing. */
export async function settle(
  session: LedgerSession,
  txIds: readonly string[],
  options: { from?: Cursor | null; patience?: number } = {},
): Promise<{ outcomes: Map<string, Outcome>; cursor: Cursor | null }> {
  const outcomes = new Map<string, Outcome>();
  let cursor = options.from ?? null;
  await until(async () => {
    const left = txIds.filter((txId) => !outcomes.has(txId));
    const pending = new Map(left.map((txId) => [txId, { address: 'any' }]));
    const confirmed = await session.confirm({ cursor, pending });
    for (const outcome of confirmed.outcomes) outcomes.set(outcome.txId, outcome);
    cursor = confirmed.cursor;
    return outcomes.size === txIds.length;
  }, options.patience);
  return { outcomes, cursor };
}

/** Submits and waits for the outcome. */
export async function finish(actor: Actor, { txId, bytes }: SignedTransaction): Promise<Outcome> {
  const [answer] = await actor.session.submit([{ txId, bytes, first: true }]);
  if (answer?.status !== 'accepted') throw new Error(`submit: ${JSON.stringify(answer)}`);
  const { outcomes } = await settle(actor.session, [txId]);
  const outcome = outcomes.get(txId);
  if (outcome === undefined) throw new Error('There is no outcome.');
  return outcome;
}

/** Signs, submits and waits, and repeats this while the action continues, like the host. */
export async function execute(actor: Actor, operation: ResolvedOperation): Promise<Outcome> {
  const checked = await actor.session.check({ wallet: actor.wallet, operation });
  let outcome = await finish(actor, await signPlan(actor, checked.plan, checked.secret));
  while (outcome.status === 'continue') {
    await delay(outcome.delay ?? 0);
    outcome = await finish(actor, await signPlan(actor, outcome.plan, checked.secret));
  }
  return outcome;
}

/**
 * Whether the chaincode's policy requires endorsements of more than the first organization. Finds out by
 * trying.
 */
export async function needsOthers(profile: FabricProfile): Promise<boolean> {
  const [own, other] = profile.organizations;
  if (own === undefined || other === undefined) return false;
  const actor = await enter(profile);
  const native = fabricWith({ endorsing_organizations: [own.mspId] });
  const outcome = await execute(actor, roleCall(profile, 'write', { key: freshKey() }, { native }));
  await actor.session.close();
  return outcome.status === 'failed';
}

/** Waits for a condition; an exception counts as false. */
export async function until(condition: () => boolean | Promise<boolean>, patience = 30_000): Promise<void> {
  const end = Date.now() + patience;
  let last: unknown;
  while (Date.now() < end) {
    try {
      if (await condition()) return;
      last = undefined;
    } catch (error) {
      last = error;
    }
    await delay(15);
  }
  throw new Error(`The condition was not met within ${patience} ms.`, { cause: last });
}

/** Returns the problem with which a call fails. */
export async function problemOf(call: Promise<unknown>) {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof Error && 'problem' in error) return error.problem;
  throw new Error(`No AdapterError was thrown, but: ${String(error)}`);
}
