import type {
  AdapterProblem,
  Inspected,
  JsonObject,
  LateTransaction,
  Replaced,
  ReplaceRequest,
  SignedTransaction,
} from '@ledger-ops/adapter';
import { readJson, type Tx } from '@ledger-ops/store';
import { keyTypeOf } from '../../keys/plugin-key.ts';
import { finishRounds } from '../../keys/sign-rounds.ts';
import type { ActionSigner } from '../../keys/signer.ts';
import { endHurries } from '../../rows/actions/change-requests.ts';
import { areExclusive, readClaimed, readNeeded, readUnsettled } from '../../rows/attempts/claims.ts';
import { type KeptGrantRow, readKeptGrants, touchSigned } from '../../rows/attempts/replacements.ts';
import { insertAttempts } from '../../rows/attempts/signed.ts';
import { openGrant } from '../../rows/attempts/signing-grant.ts';
import { type Attempt, isBelowMinimum, type LiveAction, type ReplacementReason } from '../../rows/model.ts';
import type { ChainContext } from '../chains/chain-context.ts';
import { maxCost } from '../signing/accounts.ts';
import { brokenContract } from '../signing/not-signed.ts';
import type { OpenAttempt } from '../signing/signer.ts';
import { withTimeout } from '../signing/with-timeout.ts';
import type { Tracker } from '../tracking/tracker.ts';

/** A request to sign a transaction that replaces the earlier transactions of an action. */
export interface Replacement extends Pick<ReplaceRequest, 'kind' | 'raise' | 'cap'> {
  action: LiveAction;
  /** Reason for the replacement; null if it is that the ledger requires a higher fee. */
  reason: ReplacementReason | null;
}

/**
 * Result of a replacement. `gone`: the replacement is no longer needed, because the action has completed, belongs to
 * another server now, or a mempool accepted its transaction, which was refused before because of its fee.
 */
export type Replacing = { status: 'sent' | 'gone' } | NotMade;

type NotMade = Exclude<Replaced, { status: 'prepared' }>;

/** An item with the opened grant of its action. */
type Opened<Item> = Item & {
  /** The action as planned and signed. */
  late: LateTransaction;
  signer: ActionSigner;
};

/** The problem of an action whose grant cannot be opened with the stored row. */
export const cannotOpen: AdapterProblem = {
  code: 'refused',
  phase: 'prepare',
  detail:
    'The stored key for replacements cannot be decrypted with the data stored next to it: the database row was changed from outside.',
};

/** A signed replacement, in memory only. */
interface Signed {
  action: LiveAction;
  attempt: Attempt;
}

/** Opens the grants of actions while `work` runs. Completed actions have no grant and are skipped. */
export async function withOpened<Item extends { action: LiveAction }, Result>(
  { store, vault }: Pick<ChainContext, 'store' | 'vault'>,
  items: readonly Item[],
  work: (opened: readonly Opened<Item>[], unopened: readonly Item[]) => Promise<Result>,
): Promise<Result> {
  const rows = await readKeptGrants(
    store.read,
    items.map(({ action }) => action.id),
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  const opened: Opened<Item>[] = [];
  const unopened: Item[] = [];
  try {
    for (const item of items) {
      const { id, sequence } = item.action;
      const row = byId.get(id);
      if (row === undefined) continue;
      const keyType = keyTypeOf(row.key_type);
      const grant = openGrant(vault, { ...row, others: null }, keyType, sequence ?? undefined);
      if (grant === null) unopened.push(item);
      else opened.push({ ...item, signer: grant.signer, late: lateOf(item.action, row, grant.secret) });
    }
    return await work(opened, unopened);
  } finally {
    for (const { signer } of opened) signer.destroy();
  }
}

/**
 * Lets the adapter build transactions that replace signed ones with the same sequences, and signs them. The result is
 * only in memory. Returns a result for each request.
 * @throws what the adapter throws
 */
export async function signAgain(
  { timing }: Pick<ChainContext, 'timing'>,
  tracker: Tracker,
  items: readonly { request: ReplaceRequest; signer: ActionSigner }[],
): Promise<(NotMade | { status: 'signed'; made: SignedTransaction })[]> {
  const { open } = tracker;
  const { session } = open;
  const replacing = session.replace?.(items.map(({ request }) => request)) ?? Promise.resolve([]);
  const replaced = await withTimeout(timing, 'prepare', open, replacing);
  const attempts = items.map(({ signer }, index): OpenAttempt | undefined => {
    const answer = replaced[index];
    return answer?.status === 'prepared' ? { ...answer.attempt, signer } : undefined;
  });
  const rounds = finishRounds(
    attempts.filter((attempt) => attempt !== undefined),
    (signed) => session.advance(signed),
  );
  await withTimeout(timing, 'prepare', open, rounds);
  const txIds = new Set<string>();
  return attempts.map((attempt, index) => {
    const answer = replaced[index];
    if (answer !== undefined && answer.status !== 'prepared') return answer;
    const made = attempt?.round.done === true ? attempt.round.result : undefined;
    if (made === undefined || tracker.actionOf(made.txId) !== undefined || txIds.has(made.txId))
      return { status: 'wait', problem: brokenContract('a new transaction') };
    txIds.add(made.txId);
    return { status: 'signed', made };
  });
}

/**
 * Builds and signs the next attempt of each action, stores all of them in one transaction fenced by the
 * leases, then sends them. Returns results by action id.
 * @throws LeaseLost, StoreError, and what the adapter throws; the signed bytes are then discarded
 */
export async function replaceSigned(
  context: ChainContext,
  tracker: Tracker,
  wanted: readonly Replacement[],
): Promise<Map<string, Replacing>> {
  const answers = new Map<string, Replacing>(wanted.map(({ action }) => [action.id, { status: 'gone' }]));
  const below = new Set(wanted.map(({ action }) => action).filter(isBelowMinimum));
  const signed = await withOpened(context, wanted, async (opened, unopened): Promise<Signed[]> => {
    for (const { action } of unopened) answers.set(action.id, { status: 'wait', problem: cannotOpen });
    if (opened.length === 0) return [];
    const { ledgerId } = tracker.open.record;
    const items = await Promise.all(
      opened.map(async (one) => {
        const unsettled = await unsettledOf(context, one.action);
        return { request: { ...requestOf(one), ...unsettled }, signer: one.signer };
      }),
    );
    const made = await context.traces.call(
      { name: 'replace', ledgerId, actions: opened.map(({ action }) => action) },
      () => signAgain(context, tracker, items),
    );
    return opened.flatMap((one, index) => {
      const answer = made[index];
      if (answer === undefined) return [];
      if (answer.status !== 'signed') answers.set(one.action.id, answer);
      // The minimum fee fell and a mempool accepted the action's transaction while the empty one was being built.
      else if (isGivingUp(one) && below.has(one.action) && !isBelowMinimum(one.action)) return [];
      else {
        const attempt = attemptOf(one, answer.made);
        if (excludesOthers(one.action, attempt)) return { action: one.action, attempt };
        answers.set(one.action.id, { status: 'wait', problem: notExclusive });
      }
      return [];
    });
  });
  if (signed.length > 0) {
    const { stored, claimed } = await context.mutex.run(() => storeAndSend(context, tracker, signed));
    for (const id of stored) answers.set(id, { status: 'sent' });
    for (const id of claimed) answers.set(id, { status: 'wait', problem: outclaimed });
  }
  return answers;
}

/** Whether an empty transaction would complete an action that nobody asked to cancel. */
function isGivingUp({ kind, action }: Pick<Replacement, 'kind' | 'action'>): boolean {
  return kind === 'noop' && action.change?.kind !== 'cancel';
}

/** Whether at most one of the action's transactions can be executed, including the new one. */
function excludesOthers({ sequence, attempts }: LiveAction, attempt: Attempt): boolean {
  return sequence !== null || areExclusive([...attempts, attempt]);
}

/** Returns the claims that a replacement must not hold. Empty on ledgers with sequences. */
async function unsettledOf(
  { store, chain }: ChainContext,
  { id, sequence, shard, address }: LiveAction,
): Promise<Pick<ReplaceRequest, 'unsettled'>> {
  if (sequence !== null) return {};
  const unsettled = await readUnsettled(store.read, { chain, shard, address }, id);
  return unsettled.length === 0 ? {} : { unsettled };
}

const notExclusive = brokenContract(
  'a transaction that shares a claim with every earlier transaction of its action',
);

const outclaimed: AdapterProblem = {
  code: 'refused',
  phase: 'prepare',
  detail:
    'The transaction cannot be replaced: another pending transaction spends the same coins as the replacement, or spends coins that the current transaction creates.',
};

/**
 * Returns two lists of action ids: `stored`, and `claimed` for those not stored because other actions hold their claims
 * or need their transactions.
 */
async function storeAndSend(
  { chain, accounts, meter, now, fenced }: ChainContext,
  tracker: Tracker,
  signed: readonly Signed[],
): Promise<{ stored: string[]; claimed: ReadonlySet<string> }> {
  // Actions that were reloaded, settled or replaced during signing are skipped; the caller's next check handles them.
  const isCurrent = ({ action, attempt }: Signed) =>
    tracker.live.get(action.id) === action && (action.attempts.at(-1)?.n ?? -1) + 1 === attempt.n;
  const current = signed.filter(isCurrent);
  let claimed: ReadonlySet<string> = new Set();
  if (current.length === 0) return { stored: [], claimed };
  const at = now();
  const height = tracker.height;
  const shards = new Set(current.map(({ action }) => action.shard));
  const stored = await fenced('replace', shards, async (tx) => {
    const ids = await touchSigned(
      tx,
      current.map(({ action }) => action.id),
      at,
    );
    const still = current.filter(({ action }) => ids.has(action.id));
    const naming = still.filter(({ action }) => action.sequence === null);
    claimed = naming.length === 0 ? new Set() : await readBarred(tx, chain, naming);
    const rows = still.filter(({ action }) => !claimed.has(action.id));
    const hurried = rows.filter(({ attempt }) => attempt.reason?.type === 'hurried');
    if (hurried.length > 0)
      await endHurries(
        tx,
        hurried.map(({ action }) => action.id),
      );
    await insertAttempts(
      tx,
      chain,
      rows.map(({ action: { id, address, shard, sequence }, attempt }) => ({
        ...{ actionId: id, address, shard, sequence, attempts: [attempt], height },
      })),
      at,
    );
    return rows;
  });
  for (const { action, attempt } of stored) {
    if (attempt.kind !== 'main') meter.replacement(tracker.open.record.ledgerId, attempt.kind);
    const before = maxCost(action);
    tracker.addAttempt(action, attempt, { at, height });
    const account = accounts.loaded(action.address);
    if (account !== undefined) account.spent += maxCost(action) - before;
  }
  return { stored: stored.map(({ action }) => action.id), claimed };
}

/**
 * Returns the ids of the actions whose replacements would hold claims of other actions, or replace transactions that
 * others need.
 */
async function readBarred(tx: Tx, chain: string, signed: readonly Signed[]): Promise<Set<string>> {
  const barred = await readClaimed(
    tx,
    chain,
    signed.map(({ action, attempt }) => ({ actionId: action.id, attempts: [attempt] })),
  );
  const needed = await readNeeded(tx, chain, new Set(signed.map(({ action }) => action.shard)));
  for (const { action } of signed)
    if (action.attempts.some(({ txId }) => needed.has(txId))) barred.add(action.id);
  return barred;
}

/**
 * Inspects the transactions of actions on the ledger. Returns the results by action id. @throws what the adapter throws
 */
export async function inspectSigned(
  context: ChainContext,
  { open }: Tracker,
  actions: readonly LiveAction[],
): Promise<Map<string, Inspected>> {
  const items = actions.map((action) => ({ action }));
  return withOpened(context, items, async (opened) => {
    if (open.session.inspect === undefined || opened.length === 0) return new Map();
    const inspecting = open.session.inspect(opened.map(({ late }) => late));
    const answers = await withTimeout(context.timing, 'prepare', open, inspecting);
    return new Map(
      opened.flatMap(({ action }, index) => {
        const answer = answers[index];
        return answer === undefined ? [] : [[action.id, answer] as const];
      }),
    );
  });
}

function lateOf(action: LiveAction, row: KeptGrantRow, secret: JsonObject | undefined): LateTransaction {
  const plan = readJson<JsonObject>(row.plan);
  const material = readJson<JsonObject>(row.material);
  return {
    actionId: action.id,
    wallet: { address: action.address, ...(material === null ? {} : { material }) },
    plan,
    ...(secret === undefined ? {} : { secret }),
    ...(action.sequence === null ? {} : { sequence: BigInt(action.sequence) }),
    signed: action.attempts.map(({ kind, txId, bytes, claims }) => ({
      ...{ kind, txId, bytes },
      ...(claims === undefined ? {} : { claims }),
    })),
  };
}

function requestOf({ late, kind, raise, cap }: Opened<Replacement>): ReplaceRequest {
  return { ...late, kind, raise, ...(cap === undefined ? {} : { cap }) };
}

function attemptOf({ action, kind, reason }: Replacement, made: SignedTransaction): Attempt {
  const n = (action.attempts.at(-1)?.n ?? -1) + 1;
  return { ...made, n, kind, note: null, unsent: true, reason };
}
