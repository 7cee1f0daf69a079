import type { AdapterProblem, LateTransaction } from '@ledger-ops/adapter';
import { plainWords } from '@ledger-ops/adapter/words';
import type { Tx } from '@ledger-ops/store';
import { adapterProblemFrom } from '../../adapter-problem.ts';
import type { WalletKey } from '../../keys/types.ts';
import { readNumbersAt, readNumbersOf, touchSigned } from '../../rows/attempts/replacements.ts';
import { insertAttempts, type SignedRows } from '../../rows/attempts/signed.ts';
import { freeSequence, SequenceMoved } from '../../rows/chains/sequences.ts';
import { LeaseLost } from '../../rows/chains/shard-leases.ts';
import type { LiveAction } from '../../rows/model.ts';
import type { ChainContext } from '../chains/chain-context.ts';
import { brokenContract } from '../signing/sign-rounds.ts';
import { type Between, type Filler, readBetween } from '../tracking/lost-transactions.ts';
import type { Tracker } from '../tracking/types.ts';
import { agedGap, isLasting } from './sequence-gaps.ts';
import { shut, signAgain, withOpened } from './sign-replacements.ts';

/** Sequences that are filled at once for one account. */
const atOnce = 32;

/** A sequence that is to be filled, with what was signed to fill it before. */
interface Place {
  sequence: number;
  before: readonly Filler[];
}

/** A place with what fills it, signed in memory only. */
interface Filled extends Place {
  attempt: SignedRows['attempts'][number];
}

/**
 * Sends again what the chain may have lost before actions that are the first of their accounts, and fills the sequences
 * that the ledger wants there and that nobody here can send: with empty transactions, signed with what is sealed of the
 * action. Their rows are of the kind `filler`: they belong to that action's rows, never to its outcome, are sent again
 * as what is kept, and end with it.
 */
export async function fillGaps(
  context: ChainContext,
  tracker: Tracker,
  heads: readonly LiveAction[],
): Promise<void> {
  for (const between of await readBetween(context.store, tracker, heads)) {
    const { head, kept, gap } = between;
    tracker.resend(kept);
    const account = context.accounts.known(head.address);
    if (account !== undefined) account.gap = agedGap(account.gap, gap, context.now(), context.timing);
    head.gap = missingOf(between, await fill(context, tracker, between));
  }
}

/** Fills what is due before the head of an account. Answers why nothing can; null: nothing is in the way. */
async function fill(context: ChainContext, tracker: Tracker, between: Between): Promise<string | null> {
  const { head } = between;
  const { open, replaces, retired, inDoubt } = tracker;
  const isOwn = head.plugin === null || head.plugin === open.pluginUid;
  if (!replaces || retired || inDoubt || head.kept !== true || !isOwn) return null;
  const places = placesOf(context, between);
  if (places.length === 0) return null;
  const { filled, problem } = await withOpened(context, [{ action: head }], async ([opened]) => {
    if (opened === undefined) return { filled: [], problem: shut };
    return sign(context, tracker, opened, places).catch((error: unknown) => ({
      filled: [],
      problem: adapterProblemFrom(error),
    }));
  });
  if (filled.length > 0) {
    const isStored = await context.mutex
      .run(() => commit(context, tracker, head, filled))
      .catch((error: unknown) => {
        // Somebody else signs for the account, or has signed there: the next look sees it.
        if (error instanceof LeaseLost || error instanceof SequenceMoved) return false;
        throw error;
      });
    if (isStored) {
      for (const _ of filled) context.meter.replacement(open.record.ledgerId, 'filler');
      tracker.resend(filled.map(({ attempt: { txId, bytes } }) => ({ txId, bytes })));
    }
  }
  return problem === null ? null : plainWords(problem.detail);
}

/** New ones for a gap that lasts, or a higher offer for the first where the last had its time; each gets twice as much. */
function placesOf({ accounts, now, timing }: ChainContext, { head, next, fillers }: Between): Place[] {
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
  context: ChainContext,
  tracker: Tracker,
  { late, key }: { late: LateTransaction; key: WalletKey },
  places: readonly Place[],
): Promise<{ filled: Filled[]; problem: AdapterProblem | null }> {
  const answers = await signAgain(
    context,
    tracker,
    places.map(({ sequence, before }) => {
      const signed = before.map(({ txId, bytes }) => ({ kind: 'noop' as const, txId, bytes }));
      return { key, request: { ...late, sequence: BigInt(sequence), signed, kind: 'noop', raise: 'always' } };
    }),
  );
  const filled: Filled[] = [];
  let problem: AdapterProblem | null = null;
  for (const [index, place] of places.entries()) {
    const answer = answers[index];
    if (answer?.status === 'signed') {
      const { txId, bytes, cost } = answer.made;
      filled.push({
        ...place,
        attempt: { txId, n: 0, kind: 'filler', bytes, cost, note: null, unsent: true },
      });
    } else problem ??= answer?.status === 'wait' ? answer.problem : brokenContract('an empty transaction');
  }
  return { filled, problem };
}

/** Answers whether they were stored. @throws LeaseLost, SequenceMoved, StoreError; then the bytes are thrown away */
async function commit(
  { accounts, chain, now, fenced }: ChainContext,
  tracker: Tracker,
  head: LiveAction,
  filled: readonly Filled[],
): Promise<boolean> {
  const at = now();
  if (tracker.live.get(head.id) !== head) return false;
  const isStored = await fenced('fill', [head.shard], async (tx) => {
    if (!(await touchSigned(tx, [head.id], at)).has(head.id)) return false;
    for (const one of filled) await insert(tx, chain, head, one, tracker.height(), at);
    return true;
  });
  const account = accounts.known(head.address);
  if (account !== undefined) account.gap = null;
  return isStored;
}

async function insert(
  tx: Tx,
  chain: string,
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
  const row = { actionId: id, address, shard, sequence, attempts: [{ ...attempt, n }], height };
  await insertAttempts(tx, chain, [row], at);
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
