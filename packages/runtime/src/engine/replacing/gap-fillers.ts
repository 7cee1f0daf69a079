import type { AdapterProblem, LateTransaction } from '@ledger-ops/adapter';
import { plainWords } from '@ledger-ops/adapter/words';
import type { Tx } from '@ledger-ops/store';
import { adapterProblemFrom } from '../../adapter-problem.ts';
import type { ActionSigner } from '../../keys/signer.ts';
import { readNumbersAt, readNumbersOf, touchSigned } from '../../rows/attempts/replacements.ts';
import { insertAttempts, type SignedRows } from '../../rows/attempts/signed.ts';
import { freeSequence, SequenceMoved } from '../../rows/chains/sequences.ts';
import { LeaseLost } from '../../rows/chains/shard-leases.ts';
import type { LiveAction, PendingReason } from '../../rows/model.ts';
import type { ChainContext } from '../chains/chain-context.ts';
import { brokenContract } from '../signing/not-signed.ts';
import { type Between, type Filler, readBetween } from '../tracking/lost-transactions.ts';
import type { Tracker } from '../tracking/tracker.ts';
import { agedGap, isLasting } from './sequence-gaps.ts';
import { cannotOpen, signAgain, withOpened } from './sign-replacements.ts';

/** Maximum number of sequences that are filled at a time for one account. */
const atOnce = 32;

/** A sequence to fill, with the fillers that were already signed for it. */
interface Place {
  sequence: number;
  before: readonly Filler[];
}

/** A sequence with its signed filler, in memory only. */
interface Filled extends Place {
  attempt: SignedRows['attempts'][number];
}

/**
 * Fills gaps before each account's first unsettled action: sequences that the ledger expects, but for which no
 * transaction is known. First resends the kept transactions before this action, which the chain may have lost. A filler
 * is an empty transaction, signed with the action's sealed grant. Its row has the kind `filler`: it belongs to the
 * action but never decides the action's outcome, is resent like other kept transactions, and is deleted with the
 * action.
 */
export async function fillGaps(
  context: ChainContext,
  tracker: Tracker,
  heads: readonly LiveAction[],
): Promise<void> {
  for (const between of await readBetween(context.store, tracker, heads)) {
    const { head, kept, gap } = between;
    tracker.resend(kept);
    const account = context.accounts.loaded(head.address);
    if (account !== undefined) account.gap = agedGap(account.gap, gap, context.now(), context.timing);
    head.pendingReason.missingNonce = missingOf(between, await fill(context, tracker, between));
  }
}

/**
 * Fills the due sequences before the account's first unsettled action. Returns why a sequence could not be filled; null
 * if all due sequences were filled.
 */
async function fill(context: ChainContext, tracker: Tracker, between: Between): Promise<string | null> {
  const { head } = between;
  const { open, replaces, canSign } = tracker;
  const isOwn = head.plugin === null || head.plugin === open.pluginUid;
  if (!replaces || !canSign || head.kept !== true || !isOwn) return null;
  const places = placesOf(context, between);
  if (places.length === 0) return null;
  const { filled, problem } = await withOpened(context, [{ action: head }], async ([opened]) => {
    if (opened === undefined) return { filled: [], problem: cannotOpen };
    return sign(context, tracker, opened, places).catch((error: unknown) => ({
      filled: [],
      problem: adapterProblemFrom(error),
    }));
  });
  if (filled.length > 0) {
    const isStored = await context.mutex
      .run(() => commit(context, tracker, head, filled))
      .catch((error: unknown) => {
        // Another server signs for the account, or another transaction took the sequence. The next check
        // handles both cases.
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

/**
 * Returns the sequences that need a filler. If the gap is permanent, these are all of its sequences. Otherwise, if the
 * last filler was not mined in time, it is the next sequence again, with a higher fee. Each filler has twice as much
 * time as the previous one.
 */
function placesOf({ accounts, now, timing }: ChainContext, { head, next, fillers }: Between): Place[] {
  const gap = accounts.loaded(head.address)?.gap ?? null;
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
  { late, signer }: { late: LateTransaction; signer: ActionSigner },
  places: readonly Place[],
): Promise<{ filled: Filled[]; problem: AdapterProblem | null }> {
  const answers = await signAgain(
    context,
    tracker,
    places.map(({ sequence, before }) => {
      const signed = before.map(({ txId, bytes }) => ({ kind: 'noop' as const, txId, bytes }));
      return {
        signer,
        request: { ...late, sequence: BigInt(sequence), signed, kind: 'noop', raise: 'always' },
      };
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

/**
 * Stores the fillers in one transaction; returns whether they were stored.
 * @throws LeaseLost, SequenceMoved, StoreError; the signed bytes are then discarded
 */
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
    for (const one of filled) await insert(tx, chain, head, one, tracker.height, at);
    return true;
  });
  const account = accounts.loaded(head.address);
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
    throw new SequenceMoved(
      `Another transaction was already signed with the nonce ${sequence} of ${address}.`,
    );
  }
  const own = await readNumbersOf(tx, id);
  // Fillers are numbered down from -1, because the action's own attempts are numbered up from 0.
  const n = Math.min(0, ...there, ...own) - 1;
  const row = { actionId: id, address, shard, sequence, attempts: [{ ...attempt, n }], height };
  await insertAttempts(tx, chain, [row], at);
}

/**
 * Returns the nonce that the ledger expects before the account's first unsettled action.
 * @param why reason why no filler can be sent with this nonce now
 */
function missingOf({ gap, next, fillers }: Between, why: string | null): PendingReason['missingNonce'] {
  if (gap !== null) {
    const refused = why === null ? '' : ` No empty transaction can be sent with this nonce now: ${why}`;
    const detail = `the transaction with that nonce is no longer on the ledger and is not in the database.${refused}`;
    return { nonce: gap.from, detail };
  }
  if (!fillers.some(({ sequence }) => sequence === next)) return null;
  const refused = why === null ? '' : ` The fee of the empty transaction cannot be raised now: ${why}`;
  return { nonce: next, detail: `an empty transaction with that nonce is being sent.${refused}` };
}
