import type {
  AdapterProblem,
  Inspected,
  JsonObject,
  LateTransaction,
  Replaced,
  ReplaceRequest,
  SignedTransaction,
} from '@ledger-ops/adapter';
import { readJson } from '@ledger-ops/store';
import type { WalletKey } from '../../keys/types.ts';
import { endHurries } from '../../rows/actions/change-requests.ts';
import { type KeptGrantRow, readKeptGrants, touchSigned } from '../../rows/attempts/replacements.ts';
import { insertAttempts } from '../../rows/attempts/signed.ts';
import { openGrant } from '../../rows/attempts/signing-grant.ts';
import type { Attempt, LiveAction, ReplacementReason } from '../../rows/model.ts';
import type { ChainContext } from '../chains/chain-context.ts';
import { maxCost } from '../signing/accounts.ts';
import { brokenContract, finishRounds, type OpenAttempt } from '../signing/sign-rounds.ts';
import { withTimeout } from '../signing/with-timeout.ts';
import type { Tracker } from '../tracking/types.ts';

/** A transaction to be signed in the place of an action's others. */
export interface Replacement extends Pick<ReplaceRequest, 'kind' | 'raise' | 'cap'> {
  action: LiveAction;
  /** Null: because the ledger asks more. */
  reason: ReplacementReason | null;
}

/** The end of trying to make one. `gone`: the action has ended, or is no longer this server's. */
export type Replacing = { status: 'sent' | 'gone' } | NotMade;

type NotMade = Exclude<Replaced, { status: 'prepared' }>;

/** With an action whose seal is open. */
type Opened<Item> = Item & {
  /** The action as it was planned and signed. */
  late: LateTransaction;
  key: WalletKey;
};

/** A seal that does not open for what is stored with it. */
export const shut: AdapterProblem = {
  code: 'refused',
  phase: 'prepare',
  detail:
    'What could sign a replacement does not open for what is stored with it: the row was changed from outside.',
};

/** A replacement that is signed, in memory only. */
interface Signed {
  action: LiveAction;
  attempt: Attempt;
}

/** Opens what is kept of actions for as long as `work` needs it. Of those that have ended nothing is. */
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
      if (row === undefined || sequence === null) continue;
      const grant = openGrant(vault, { ...row, others: null }, row.key_type, sequence);
      if (grant === null) unopened.push(item);
      else opened.push({ ...item, key: grant.key, late: lateOf(item.action, sequence, row, grant.secret) });
    }
    return await work(opened, unopened);
  } finally {
    for (const { key } of opened) key.destroy();
  }
}

/**
 * Has the adapter make transactions at sequences for which others were signed before, and signs them, in memory only.
 * Answers for each request. @throws what the adapter throws
 */
export async function signAgain(
  { timing }: Pick<ChainContext, 'timing'>,
  { open, actionOf }: Tracker,
  items: readonly { request: ReplaceRequest; key: WalletKey }[],
): Promise<(NotMade | { status: 'signed'; made: SignedTransaction })[]> {
  const { session } = open;
  const replacing = session.replace?.(items.map(({ request }) => request)) ?? Promise.resolve([]);
  const replaced = await withTimeout(timing, 'prepare', open, replacing);
  const attempts = items.map(({ key }, index): OpenAttempt | undefined => {
    const answer = replaced[index];
    return answer?.status === 'prepared' ? { ...answer.attempt, key } : undefined;
  });
  const rounds = finishRounds(
    session,
    attempts.filter((attempt) => attempt !== undefined),
  );
  await withTimeout(timing, 'prepare', open, rounds);
  const txIds = new Set<string>();
  return attempts.map((attempt, index) => {
    const answer = replaced[index];
    if (answer !== undefined && answer.status !== 'prepared') return answer;
    const made = attempt?.round.done === true ? attempt.round.result : undefined;
    if (made === undefined || actionOf(made.txId) !== undefined || txIds.has(made.txId))
      return { status: 'wait', problem: brokenContract('a new transaction') };
    txIds.add(made.txId);
    return { status: 'signed', made };
  });
}

/**
 * Makes, signs and stores the next attempt of each action, in one transaction fenced by the leases; then they are sent.
 * Answers by the ids of the actions.
 * @throws LeaseLost, StoreError, and what the adapter throws; then the bytes are thrown away
 */
export async function replaceSigned(
  context: ChainContext,
  tracker: Tracker,
  wanted: readonly Replacement[],
): Promise<Map<string, Replacing>> {
  const answers = new Map<string, Replacing>(wanted.map(({ action }) => [action.id, { status: 'gone' }]));
  const signed = await withOpened(context, wanted, async (opened, unopened): Promise<Signed[]> => {
    for (const { action } of unopened) answers.set(action.id, { status: 'wait', problem: shut });
    if (opened.length === 0) return [];
    const { ledgerId } = tracker.open.record;
    const made = await context.traces.call(
      { name: 'replace', ledgerId, actions: opened.map(({ action }) => action) },
      () =>
        signAgain(
          context,
          tracker,
          opened.map((one) => ({ request: requestOf(one), key: one.key })),
        ),
    );
    return opened.flatMap((one, index) => {
      const answer = made[index];
      if (answer?.status === 'signed') return { action: one.action, attempt: attemptOf(one, answer.made) };
      if (answer !== undefined) answers.set(one.action.id, answer);
      return [];
    });
  });
  if (signed.length > 0) {
    const stored = await context.mutex.run(() => storeAndSend(context, tracker, signed));
    for (const id of stored) answers.set(id, { status: 'sent' });
  }
  return answers;
}

/** Answers the actions whose attempts were stored. */
async function storeAndSend(
  { chain, accounts, meter, now, fenced }: ChainContext,
  tracker: Tracker,
  signed: readonly Signed[],
): Promise<string[]> {
  // Actions that were read anew, settled or replaced meanwhile are looked at again by whoever wants it.
  const isCurrent = ({ action, attempt }: Signed) =>
    tracker.live.get(action.id) === action && action.attempts.length === attempt.n;
  const current = signed.filter(isCurrent);
  if (current.length === 0) return [];
  const at = now();
  const height = tracker.height();
  const shards = new Set(current.map(({ action }) => action.shard));
  const stored = await fenced('replace', shards, async (tx) => {
    const ids = await touchSigned(
      tx,
      current.map(({ action }) => action.id),
      at,
    );
    const rows = current.filter(({ action }) => ids.has(action.id));
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
    tracker.extend(action, attempt, { at, height });
    const account = accounts.known(action.address);
    if (account !== undefined) account.spent += maxCost(action) - before;
  }
  return stored.map(({ action }) => action.id);
}

/** The ledger's view of actions, by their ids. @throws what the adapter throws */
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

function lateOf(
  action: LiveAction,
  sequence: number,
  row: KeptGrantRow,
  secret: JsonObject | undefined,
): LateTransaction {
  const plan = readJson<JsonObject>(row.plan);
  const material = readJson<JsonObject>(row.material);
  return {
    actionId: action.id,
    wallet: { address: action.address, ...(material === null ? {} : { material }) },
    plan,
    ...(secret === undefined ? {} : { secret }),
    sequence: BigInt(sequence),
    signed: action.attempts.map(({ kind, txId, bytes }) => ({ kind, txId, bytes })),
  };
}

function requestOf({ late, kind, raise, cap }: Opened<Replacement>): ReplaceRequest {
  return { ...late, kind, raise, ...(cap === undefined ? {} : { cap }) };
}

function attemptOf({ action, kind, reason }: Replacement, made: SignedTransaction): Attempt {
  const { txId, bytes, cost } = made;
  const n = action.attempts.length;
  return { txId, n, kind, bytes, cost, note: null, unsent: true, reason };
}
