import type {
  AdapterProblem,
  Inspected,
  JsonObject,
  LateTransaction,
  ReplaceRequest,
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
export type Replacing =
  | { status: 'sent' }
  | { status: 'enough' }
  | { status: 'wait'; problem: AdapterProblem }
  | { status: 'gone' };

/** Signs the next transactions of actions that are signed already, at the same sequences. */
export interface Replacements {
  /**
   * Makes, signs and stores the next attempt of each action, in one transaction fenced by the leases; then they are sent.
   * @throws LeaseLost, StoreError, and what the adapter throws; then the bytes are thrown away
   */
  make(tracker: Tracker, wanted: readonly Replacement[]): Promise<Map<string, Replacing>>;
  /** The ledger's view of actions, by their ids. @throws what the adapter throws */
  inspect(tracker: Tracker, actions: readonly LiveAction[]): Promise<Map<string, Inspected>>;
  /** Opens what is kept of these actions for as long as `work` needs it; what does not open is left out. */
  withOpened<Result>(
    actions: readonly LiveAction[],
    work: (opened: Opened[]) => Promise<Result>,
  ): Promise<Result>;
}

/** An action with what it was planned by; its seal is open. */
export interface Opened {
  action: LiveAction;
  late: LateTransaction;
  key: WalletKey;
}

/** A seal that does not open for what is stored with it. */
export const shut: AdapterProblem = {
  code: 'refused',
  phase: 'prepare',
  detail:
    'What could sign a replacement does not open for what is stored with it: the row was changed from outside.',
};

/** A replacement that is signed, in memory only. */
interface Signed extends Replacement {
  attempt: Attempt;
}

export function createReplacements(context: ChainContext): Replacements {
  const { store, vault, meter, traces, chain, accounts, mutex, now, timing } = context;

  /** Opens what is kept of these actions for as long as `work` needs it. */
  async function withOpened<Result>(
    actions: readonly LiveAction[],
    work: (opened: Opened[]) => Promise<Result>,
    tellShut: (action: LiveAction) => void = () => {},
  ): Promise<Result> {
    const rows = await readKeptGrants(
      store.read,
      actions.map(({ id }) => id),
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    const opened: Opened[] = [];
    try {
      for (const action of actions) {
        const row = byId.get(action.id);
        if (row === undefined || action.sequence === null) continue;
        const grant = openGrant(vault, { ...row, others: null }, row.key_type, action.sequence);
        if (grant === null) tellShut(action);
        else
          opened.push({ action, key: grant.key, late: lateOf(action, action.sequence, row, grant.secret) });
      }
      return await work(opened);
    } finally {
      for (const { key } of opened) key.destroy();
    }
  }

  async function make(tracker: Tracker, wanted: readonly Replacement[]): Promise<Map<string, Replacing>> {
    const answers = new Map<string, Replacing>(wanted.map(({ action }) => [action.id, { status: 'gone' }]));
    const byId = new Map(wanted.map((one) => [one.action.id, one]));
    const signed = await withOpened(
      wanted.map(({ action }) => action),
      (opened) =>
        sign(
          tracker,
          opened.flatMap((one) => {
            const own = byId.get(one.action.id);
            return own === undefined ? [] : { ...one, wanted: own };
          }),
          answers,
        ),
      ({ id }) => answers.set(id, { status: 'wait', problem: shut }),
    );
    if (signed.length > 0) {
      const stored = await mutex.run(() => storeAndSend(tracker, signed));
      for (const id of stored) answers.set(id, { status: 'sent' });
    }
    return answers;
  }

  /** Has the adapter make them, and signs them in memory; its words on the others are put into `answers`. */
  async function sign(
    tracker: Tracker,
    items: readonly (Opened & { wanted: Replacement })[],
    answers: Map<string, Replacing>,
  ): Promise<Signed[]> {
    const { session } = tracker.open;
    if (session.replace === undefined || items.length === 0) return [];
    const replace = session.replace.bind(session);
    const { ledgerId } = tracker.open.record;
    const replaced = await traces.call(
      { name: 'replace', ledgerId, actions: items.map(({ action }) => action) },
      () => {
        const replacing = replace(items.map(({ late, wanted }) => requestOf(late, wanted)));
        return withTimeout(timing, 'prepare', tracker.open, replacing);
      },
    );
    const made: { wanted: Replacement; open: OpenAttempt }[] = [];
    for (const [index, { action, key, wanted }] of items.entries()) {
      const answer = replaced[index];
      if (answer?.status === 'prepared') made.push({ wanted, open: { ...answer.attempt, key } });
      else if (answer !== undefined) answers.set(action.id, answer);
    }
    const rounds = finishRounds(
      session,
      made.map(({ open }) => open),
    );
    await withTimeout(timing, 'prepare', tracker.open, rounds);
    const signed = new Map<string, Signed>();
    for (const { wanted, open } of made) {
      const attempt = open.round.done ? attemptOf(wanted, open.round.result) : undefined;
      const isNew = attempt !== undefined && tracker.actionOf(attempt.txId) === undefined;
      if (isNew && !signed.has(attempt.txId)) signed.set(attempt.txId, { ...wanted, attempt });
      else answers.set(wanted.action.id, { status: 'wait', problem: brokenContract('a new transaction') });
    }
    return [...signed.values()];
  }

  /** Answers the actions whose attempts were stored. */
  async function storeAndSend(tracker: Tracker, signed: readonly Signed[]): Promise<string[]> {
    // Actions that were read anew, settled or replaced meanwhile are looked at again by whoever wants it.
    const isCurrent = ({ action, attempt }: Signed) =>
      tracker.live.get(action.id) === action && action.attempts.length === attempt.n;
    const current = signed.filter(isCurrent);
    if (current.length === 0) return [];
    const at = now();
    const height = tracker.height();
    const shards = new Set(current.map(({ action }) => action.shard));
    const stored = await context.fenced('replace', shards, async (tx) => {
      const ids = await touchSigned(
        tx,
        current.map(({ action }) => action.id),
        at,
      );
      const rows = current.filter(({ action }) => ids.has(action.id));
      const hurried = rows.filter(({ reason }) => reason?.type === 'hurried').map(({ action }) => action.id);
      if (hurried.length > 0) await endHurries(tx, hurried);
      await insertAttempts(
        tx,
        chain,
        rows.map(({ action, attempt }) => ({
          actionId: action.id,
          address: action.address,
          shard: action.shard,
          sequence: action.sequence,
          attempts: [attempt],
          height,
        })),
        at,
      );
      return rows;
    });
    for (const { action, attempt, kind } of stored) {
      meter.replacement(tracker.open.record.ledgerId, kind);
      const before = maxCost(action);
      tracker.extend(action, attempt, { at, height });
      const account = accounts.known(action.address);
      if (account !== undefined) account.spent += maxCost(action) - before;
    }
    return stored.map(({ action }) => action.id);
  }

  return {
    make,
    withOpened: (actions, work) => withOpened(actions, work),
    inspect: (tracker, actions) =>
      withOpened(actions, async (opened) => {
        const { session } = tracker.open;
        if (session.inspect === undefined || opened.length === 0) return new Map();
        const inspecting = session.inspect(opened.map(({ late }) => late));
        const answers = await withTimeout(timing, 'prepare', tracker.open, inspecting);
        return new Map(
          opened.flatMap(({ action }, index) => {
            const answer = answers[index];
            return answer === undefined ? [] : [[action.id, answer] as const];
          }),
        );
      }),
  };
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

function requestOf(late: LateTransaction, { kind, raise, cap }: Replacement): ReplaceRequest {
  return { ...late, kind, raise, ...(cap === undefined ? {} : { cap }) };
}

function attemptOf(
  { action, kind, reason }: Replacement,
  { txId, bytes, cost }: { txId: string; bytes: Uint8Array; cost: bigint },
): Attempt {
  const n = action.attempts.length;
  return { txId, n, kind, bytes, cost, note: null, unsent: true, reason };
}
