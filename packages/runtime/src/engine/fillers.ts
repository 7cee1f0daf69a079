import type { AdapterProblem, ReplaceRequest } from '@ledger-ops/adapter';
import { plainWords } from '@ledger-ops/adapter/process';
import type { Store, Tx } from '@ledger-ops/store';
import { adapterProblemFrom } from '../adapter-problem.ts';
import type { Accounts } from './accounts.ts';
import type { Faults } from './faults.ts';
import { freeSequence, gapPatience, isLasting } from './gaps.ts';
import { isInDoubt } from './in-doubt.ts';
import { inTime } from './in-time.ts';
import { LeaseLost, type Leases } from './leases.ts';
import type { LedgerLine } from './ledger-line.ts';
import type { Between, Filler } from './lost-history.ts';
import type { LiveAction } from './model.ts';
import type { Mutex } from './mutex.ts';
import { type Opened, type Replacements, shut } from './replacements.ts';
import { brokenContract, finishRounds, type OpenAttempt } from './sign-batch.ts';
import { insertAttempts, SequenceMoved, type SignedRows } from './signed-rows.ts';

/** Sequences that are filled at once for one account. */
const atOnce = 32;

/**
 * Fills sequences that the ledger wants of an account before all that is signed, and that nobody here can send: with
 * empty transactions, signed with what is sealed of the first action that waits above them. Their rows are of the kind
 * `filler`: they belong to that action's rows, never to its outcome, are sent again as what is kept, and end with it.
 */
export interface Fillers {
  /** Fills what is due before the head of an account. Answers why nothing can; null: nothing is in the way. */
  fill(line: LedgerLine, between: Between): Promise<string | null>;
}

export interface FillersOptions {
  store: Store;
  chain: string;
  leases: Leases;
  accounts: Accounts;
  replacements: Pick<Replacements, 'withOpened'>;
  /** Nothing else is stored meanwhile: the wallet's next action may want the same sequence. */
  mutex: Mutex;
  faults: Faults;
  now: () => number;
  /** A commit ended without an answer: what is in memory may differ from the rows. */
  doubt: () => void;
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

export function createFillers(options: FillersOptions): Fillers {
  const { store, chain, leases, accounts, replacements, mutex, faults, now, doubt } = options;

  /** New ones for a gap that lasts, or a higher offer for the first where the last had its time; each gets twice as much. */
  function placesOf({ head, next, fillers }: Between): Place[] {
    const gap = accounts.known(head.address)?.gap ?? null;
    if (gap !== null && isLasting(gap, now())) {
      const count = Math.min(gap.to - gap.from, atOnce);
      return Array.from({ length: count }, (_, index) => ({ sequence: gap.from + index, before: [] }));
    }
    const before = fillers.filter(({ sequence }) => sequence === next);
    const signedAt = Math.max(...before.map(({ createdAt }) => createdAt));
    const isDue = before.length > 0 && Math.abs(now() - signedAt) >= gapPatience * 2 ** before.length;
    return isDue ? [{ sequence: next, before }] : [];
  }

  async function sign(
    line: LedgerLine,
    { late, key }: Opened,
    places: readonly Place[],
  ): Promise<{ filled: Filled[]; problem: AdapterProblem | null }> {
    const { session, record } = line.open;
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
      (await inTime('prepare', record.ledgerId, session.replace?.(requests) ?? Promise.resolve([]))) ?? [];
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
    await inTime('prepare', record.ledgerId, rounds);
    const filled = open.flatMap(({ place, attempt: { round } }): Filled[] => {
      if (!round.done || line.actionOf(round.result.txId) !== undefined) return [];
      const { txId, bytes, cost } = round.result;
      return [{ ...place, attempt: { txId, n: 0, kind: 'filler', bytes, cost, note: null, unsent: true } }];
    });
    return { filled, problem };
  }

  /** Answers those that were stored. @throws LeaseLost, SequenceMoved, StoreError; then the bytes are thrown away */
  async function commit(line: LedgerLine, head: LiveAction, filled: readonly Filled[]): Promise<boolean> {
    const at = now();
    if (line.live.get(head.id) !== head) return false;
    faults('fill:before-commit');
    const isStored = await store
      .transaction(async (tx) => {
        await leases.check(tx, new Set([head.shard]));
        const changed = await tx.run(
          "UPDATE action SET updated_at = $2 WHERE id = $1 AND status = 'PENDING' AND stage = 'signed'",
          [head.id, at],
        );
        if (changed === 0) return false;
        for (const one of filled) await insert(tx, head, one, line.height(), at);
        return true;
      })
      .catch((error: unknown) => {
        if (isInDoubt(error)) doubt();
        throw error;
      });
    faults('fill:after-commit');
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
    const there = await tx.all<{ n: number }>(
      'SELECT n FROM attempt WHERE chain = $1 AND address = $2 AND sequence = $3',
      [chain, address, sequence],
    );
    if (there.length !== before.length) {
      throw new SequenceMoved(`Something else was signed at the sequence ${sequence} of ${address}.`);
    }
    const own = await tx.all<{ n: number }>('SELECT n FROM attempt WHERE action_id = $1', [id]);
    // Below zero: the action's own are counted from there on.
    const n = Math.min(0, ...[...there, ...own].map((row) => row.n)) - 1;
    await insertAttempts(
      tx,
      chain,
      [{ actionId: id, address, shard, sequence, attempts: [{ ...attempt, n }], height }],
      at,
    );
  }

  return {
    async fill(line, between) {
      const { head } = between;
      const { open, replaces, retired, inDoubt } = line;
      const isOwn = head.plugin === null || head.plugin === open.pluginUid;
      if (!replaces || retired || inDoubt || head.kept !== true || !isOwn) return null;
      const places = placesOf(between);
      if (places.length === 0) return null;
      const { filled, problem } = await replacements.withOpened([head], async ([opened]) => {
        if (opened === undefined) return { filled: [], problem: shut };
        return sign(line, opened, places).catch((error: unknown) => ({
          filled: [],
          problem: adapterProblemFrom(error),
        }));
      });
      if (filled.length > 0) {
        const isStored = await mutex
          .run(() => commit(line, head, filled))
          .catch((error: unknown) => {
            // Somebody else signs for the account, or has signed there: the next look sees it.
            if (error instanceof LeaseLost || error instanceof SequenceMoved) return false;
            throw error;
          });
        if (isStored) line.resend(filled.map(({ attempt: { txId, bytes } }) => ({ txId, bytes })));
      }
      return problem === null ? null : plainWords(problem.detail);
    },
  };
}

/** What is told of a sequence that the ledger wants before the head of an account. `why`: it cannot be filled now. */
export function missingOf(
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
