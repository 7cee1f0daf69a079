import type { AdapterProblem, ReplaceRequest } from '@ledger-ops/adapter';
import { plainWords } from '@ledger-ops/adapter/words';
import type { Tx } from '@ledger-ops/store';
import { adapterProblemFrom } from '../../adapter-problem.ts';
import { readNumbersAt, readNumbersOf, touchSigned } from '../../rows/attempts/replacements.ts';
import { insertAttempts, type SignedRows } from '../../rows/attempts/signed.ts';
import { freeSequence, SequenceMoved } from '../../rows/chains/sequences.ts';
import { LeaseLost } from '../../rows/chains/shard-leases.ts';
import type { LiveAction } from '../../rows/model.ts';
import type { ChainContext } from '../chains/chain-context.ts';
import { brokenContract, finishRounds, type OpenAttempt } from '../signing/sign-rounds.ts';
import { withTimeout } from '../signing/with-timeout.ts';
import { type Between, type Filler, readBetween } from '../tracking/lost-transactions.ts';
import type { Tracker } from '../tracking/types.ts';
import { agedGap, isLasting } from './sequence-gaps.ts';
import { type Opened, type Replacements, shut } from './sign-replacements.ts';

/** Sequences that are filled at once for one account. */
const atOnce = 32;

/**
 * Fills sequences that the ledger wants of an account before all that is signed, and that nobody here can send: with
 * empty transactions, signed with what is sealed of the first action that waits above them. Their rows are of the kind
 * `filler`: they belong to that action's rows, never to its outcome, are sent again as what is kept, and end with it.
 */
export interface Fillers {
  /**
   * Sends again what the chain may have lost before actions that are the first of their accounts, and fills what nobody
   * can send there.
   */
  fillGaps(tracker: Tracker, heads: readonly LiveAction[]): Promise<void>;
}

/** A sequence that is to be filled, with what was signed to fill it before. */
interface Place {
  sequence: number;
  before: readonly Filler[];
}

/** A place with what fills it, signed in memory only. */
interface Filled extends Place {
  attempt: SignedRows['attempts'][number];
}

export function createFillers(
  context: ChainContext,
  replacements: Pick<Replacements, 'withOpened'>,
): Fillers {
  const { chain, accounts, meter, mutex, now, timing } = context;

  /** New ones for a gap that lasts, or a higher offer for the first where the last had its time; each gets twice as much. */
  function placesOf({ head, next, fillers }: Between): Place[] {
    const gap = accounts.known(head.address)?.gap ?? null;
    if (gap !== null && isLasting(gap, now())) {
      const count = Math.min(gap.to - gap.from, atOnce);
      return Array.from({ length: count }, (_, index) => ({ sequence: gap.from + index, before: [] }));
    }
    const before = fillers.filter(({ sequence }) => sequence === next);
    const signedAt = Math.max(...before.map(({ createdAt }) => createdAt));
    const isDue = before.length > 0 && Math.abs(now() - signedAt) >= timing.gapPatience * 2 ** before.length;
    return isDue ? [{ sequence: next, before }] : [];
  }

  async function sign(
    tracker: Tracker,
    { late, key }: Opened,
    places: readonly Place[],
  ): Promise<{ filled: Filled[]; problem: AdapterProblem | null }> {
    const { session } = tracker.open;
    const requests = places.map(
      ({ sequence, before }): ReplaceRequest => ({
        ...late,
        sequence: BigInt(sequence),
        signed: before.map(({ txId, bytes }) => ({ kind: 'noop', txId, bytes })),
        kind: 'noop',
        raise: 'always',
      }),
    );
    const answers =
      (await withTimeout(
        timing,
        'prepare',
        tracker.open,
        session.replace?.(requests) ?? Promise.resolve([]),
      )) ?? [];
    const open: { place: Place; attempt: OpenAttempt }[] = [];
    let problem: AdapterProblem | null = null;
    for (const [index, place] of places.entries()) {
      const answer = answers[index];
      if (answer?.status === 'prepared') open.push({ place, attempt: { ...answer.attempt, key } });
      else problem ??= answer?.status === 'wait' ? answer.problem : brokenContract('an empty transaction');
    }
    const rounds = finishRounds(
      session,
      open.map(({ attempt }) => attempt),
    );
    await withTimeout(timing, 'prepare', tracker.open, rounds);
    const filled = open.flatMap(({ place, attempt: { round } }): Filled[] => {
      if (!round.done || tracker.actionOf(round.result.txId) !== undefined) return [];
      const { txId, bytes, cost } = round.result;
      return [{ ...place, attempt: { txId, n: 0, kind: 'filler', bytes, cost, note: null, unsent: true } }];
    });
    return { filled, problem };
  }

  /** Answers those that were stored. @throws LeaseLost, SequenceMoved, StoreError; then the bytes are thrown away */
  async function commit(tracker: Tracker, head: LiveAction, filled: readonly Filled[]): Promise<boolean> {
    const at = now();
    if (tracker.live.get(head.id) !== head) return false;
    const isStored = await context.fenced('fill', [head.shard], async (tx) => {
      if (!(await touchSigned(tx, [head.id], at)).has(head.id)) return false;
      for (const one of filled) await insert(tx, head, one, tracker.height(), at);
      return true;
    });
    const account = accounts.known(head.address);
    if (account !== undefined) account.gap = null;
    return isStored;
  }

  async function insert(
    tx: Tx,
    { id, address, shard }: LiveAction,
    { sequence, before, attempt }: Filled,
    height: number | null,
    at: number,
  ): Promise<void> {
    if (before.length === 0) await freeSequence(tx, chain, address, sequence, at);
    const there = await readNumbersAt(tx, chain, address, sequence);
    if (there.length !== before.length) {
      throw new SequenceMoved(`Something else was signed at the sequence ${sequence} of ${address}.`);
    }
    const own = await readNumbersOf(tx, id);
    // Below zero: the action's own are counted from there on.
    const n = Math.min(0, ...there, ...own) - 1;
    await insertAttempts(
      tx,
      chain,
      [{ actionId: id, address, shard, sequence, attempts: [{ ...attempt, n }], height }],
      at,
    );
  }

  /** Fills what is due before the head of an account. Answers why nothing can; null: nothing is in the way. */
  async function fill(tracker: Tracker, between: Between): Promise<string | null> {
    const { head } = between;
    const { open, replaces, retired, inDoubt } = tracker;
    const isOwn = head.plugin === null || head.plugin === open.pluginUid;
    if (!replaces || retired || inDoubt || head.kept !== true || !isOwn) return null;
    const places = placesOf(between);
    if (places.length === 0) return null;
    const { filled, problem } = await replacements.withOpened([head], async ([opened]) => {
      if (opened === undefined) return { filled: [], problem: shut };
      return sign(tracker, opened, places).catch((error: unknown) => ({
        filled: [],
        problem: adapterProblemFrom(error),
      }));
    });
    if (filled.length > 0) {
      const isStored = await mutex
        .run(() => commit(tracker, head, filled))
        .catch((error: unknown) => {
          // Somebody else signs for the account, or has signed there: the next look sees it.
          if (error instanceof LeaseLost || error instanceof SequenceMoved) return false;
          throw error;
        });
      if (isStored) {
        for (const _ of filled) meter.replacement(open.record.ledgerId, 'filler');
        tracker.resend(filled.map(({ attempt: { txId, bytes } }) => ({ txId, bytes })));
      }
    }
    return problem === null ? null : plainWords(problem.detail);
  }

  return {
    async fillGaps(tracker, heads) {
      for (const between of await readBetween(context.store, tracker, heads)) {
        const { head, kept, gap } = between;
        tracker.resend(kept);
        const account = accounts.known(head.address);
        if (account !== undefined) account.gap = agedGap(account.gap, gap, now(), timing);
        head.gap = missingOf(between, await fill(tracker, between));
      }
    },
  };
}

/** The words on a sequence that the ledger wants before the head of an account. `why`: it cannot be filled now. */
function missingOf(
  { gap, next, fillers }: Between,
  why: string | null,
): NonNullable<LiveAction['gap']> | null {
  if (gap !== null) {
    const refused = why === null ? '' : ` No empty transaction can take it now: ${why}`;
    const said = `what had that is not on the ledger any more, and is not kept here.${refused}`;
    return { nonce: gap.from, said };
  }
  if (!fillers.some(({ sequence }) => sequence === next)) return null;
  const refused = why === null ? '' : ` It cannot offer more now: ${why}`;
  return { nonce: next, said: `an empty transaction is sent that takes it.${refused}` };
}
