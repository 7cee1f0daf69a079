import { plainWords } from '@ledger-ops/adapter/words';
import type { LiveAction } from '../../rows/model.ts';
import type { ChainContext } from '../chains/chain-context.ts';
import type { Broadcaster } from '../tracking/broadcaster.ts';
import { describeFailure } from '../tracking/describe-failure.ts';
import type { PendingReasons } from '../tracking/pending-reasons.ts';
import type { Tracker } from '../tracking/types.ts';
import {
  canBump,
  closingWords,
  decideReplacement,
  type Head,
  isClosing,
  type ReplacementDecision,
  type Watch,
} from './next-replacement.ts';
import { isDue, lastDue, watchHead } from './overdue-accounts.ts';
import type { Moment, Patience } from './patience.ts';
import { inspectSigned, type Replacement, type Replacing, replaceSigned } from './sign-replacements.ts';

/** Accounts that one look takes; the rest follows at the next. */
const accountLimit = 200;
/** Actions that one call asks about or replaces, and the signed bytes that it names. */
const batchLimit = 256;
const batchBytes = 4 * 1_048_576;
/** Transactions behind the first ones that go to every node in one look. */
const sentBehind = 512;
/** Raises of what is shown, offers enough and is not mined, unless the ledger says otherwise (`max_bumps`). */
const defaultRaises = 2;

/** Looks after what a ledger does not mine in its patience. */
export interface Overdue {
  /** Looks at what is overdue, unless a look is under way. */
  check(): void;
  /** Resolves when no look is under way any more. */
  stop(): Promise<void>;
}

export function createOverdue(
  context: ChainContext,
  tracker: Tracker,
  patience: Patience,
  broadcaster: Pick<Broadcaster, 'release' | 'everywhere'>,
  reasons: Pick<PendingReasons, 'tell'>,
): Overdue {
  const { log, meter, now: clock } = context;
  const { live } = tracker;
  const { session, record, pluginUid } = tracker.open;
  const moment = (): Moment => ({ at: clock(), height: tracker.height() });
  const watches = new Map<string, Watch>();
  let looking: Promise<void> | null = null;
  let stopped = false;
  let isFailing = false;
  const raises =
    typeof record.properties.max_bumps === 'number' ? record.properties.max_bumps : defaultRaises;

  /** The account's transactions under way in their order, for each account of which one had its time. */
  function overdueAccounts(now: Moment): Map<string, LiveAction[]> {
    const placed = [...live.values()].filter(({ sequence }) => sequence !== null);
    const accounts = Map.groupBy(placed, ({ address }) => address);
    for (const address of watches.keys()) if (!accounts.has(address)) watches.delete(address);
    const late = [...accounts].filter(([address, queue]) =>
      isDue(queue, watches.get(address), patience, now),
    );
    late.sort(([one], [two]) => (watches.get(one)?.looked.at ?? 0) - (watches.get(two)?.looked.at ?? 0));
    for (const [, queue] of late) queue.sort((one, two) => (one.sequence ?? 0) - (two.sequence ?? 0));
    return new Map(late.slice(0, accountLimit));
  }

  async function look(): Promise<void> {
    try {
      await lookOnce();
      isFailing = false;
    } catch (error) {
      if (!isFailing)
        log('warn', 'late.failed', { ledgerId: record.ledgerId, detail: describeFailure(error) });
      isFailing = true;
    }
    looking = null;
  }

  async function lookOnce(): Promise<void> {
    const late = overdueAccounts(moment());
    if (late.size === 0) return;
    const addresses = [...late.keys()];
    const counts = await session.sequences(addresses);
    const now = moment();
    const heads = [...late].flatMap(([address, queue], index) => {
      const next = Number(counts[index] ?? 0n);
      const { watch, head } = watchHead(queue, watches.get(address), next, patience, now);
      watches.set(address, watch);
      return head ?? [];
    });
    for (const head of heads) releaseSigned(head, now);
    const behind = heads.flatMap(({ queue }) => queue.slice(1));
    await broadcaster.everywhere([...heads.map(({ action }) => action), ...behind.slice(0, sentBehind)]);
    if (tracker.retired || tracker.inDoubt) return;
    for (const batch of batchesOf(heads.filter(({ action }) => isReplaceable(action)))) {
      if (!stopped) await attend(batch);
    }
  }

  /** Sends attempts that were signed beforehand, each at its time. */
  function releaseSigned(head: Head, now: Moment): void {
    for (const action of head.queue) {
      const last = lastDue(action, head, patience, now);
      if (action.kept === true || last <= action.released) continue;
      for (const { kind } of action.attempts.slice(action.released + 1, last + 1))
        if (kind !== 'main') meter.replacement(record.ledgerId, kind);
      action.released = last;
      broadcaster.release(action);
    }
  }

  /** Asks what is shown of them, and replaces what that is a reason for. */
  async function attend(heads: readonly Head[]): Promise<void> {
    const actions = heads.map(({ action }) => action);
    const shown = await inspectSigned(context, tracker, actions);
    const asked = await raiseAsked(actions.filter(({ id }) => shown.get(id)?.hopeless !== true));
    // A fee that the first has to pay, those behind it have to pay too.
    const raised = heads.filter(({ action }) => asked.get(action.id)?.status === 'sent');
    await raiseAsked(raised.flatMap(({ queue }) => queue.slice(1)).filter(isReplaceable));
    const now = moment();
    const decisions = new Map<LiveAction, ReplacementDecision>();
    for (const head of heads) {
      const answer = asked.get(head.action.id);
      if (answer?.status === 'sent' || answer?.status === 'gone') continue;
      const late = { ...head, shown: shown.get(head.action.id), asked: answer, now };
      decisions.set(head.action, decideReplacement(late, patience, raises));
    }
    const made = await replaceAll([...decisions.values()].flatMap(({ next }) => next ?? []));
    const isRefused = ({ id }: LiveAction) => made.get(id)?.status === 'wait';
    const others = [...decisions].flatMap(([action, { otherwise }]) =>
      otherwise !== null && isRefused(action) ? otherwise : [],
    );
    for (const [id, answer] of await replaceAll(others)) made.set(id, answer);
    await reasons.tell(
      actions.map((action) => [action, wordsOf(action, decisions.get(action), made.get(action.id))] as const),
    );
  }

  /** Bumps at what the ledger asks, where that is more than is signed. */
  function raiseAsked(actions: readonly LiveAction[]): Promise<Map<string, Replacing>> {
    const wanted = actions
      .filter(canBump)
      .map((action) => ({ action, kind: 'bump', raise: 'if-asked', reason: null }) as const);
    return replaceAll(wanted);
  }

  function isReplaceable({ kept, plugin }: LiveAction): boolean {
    return kept === true && (plugin === null || plugin === pluginUid);
  }

  async function replaceAll(wanted: readonly Replacement[]): Promise<Map<string, Replacing>> {
    const answers = new Map<string, Replacing>();
    for (const batch of batchesOf(wanted)) {
      if (stopped) break;
      for (const [id, answer] of await replaceSigned(context, tracker, batch)) answers.set(id, answer);
    }
    return answers;
  }

  return {
    check() {
      if (!stopped) looking ??= look();
    },
    async stop() {
      stopped = true;
      await looking;
    },
  };
}

/** Why it is late, for people. */
function wordsOf(
  { attempts }: LiveAction,
  decision: ReplacementDecision | undefined,
  made: Replacing | undefined,
): string | null {
  const why = decision?.detail ?? null;
  const refused = made?.status === 'wait' ? plainWords(made.problem.detail) : null;
  const isNews = refused !== null && refused !== why;
  const both =
    why === null || !isNews ? why : `${why} No other transaction can take its place now: ${refused}`;
  const said = both ?? refused;
  return isClosing(attempts) ? closingWords(attempts, said) : said;
}

/** As many as one call takes. */
function batchesOf<Item extends { action: LiveAction }>(items: readonly Item[]): Item[][] {
  const batches: Item[][] = [];
  let room = 0;
  for (const item of items) {
    const size = item.action.attempts.reduce((sum, { bytes }) => sum + bytes.length, 0);
    const last = batches.at(-1);
    if (last === undefined || last.length >= batchLimit || size > room) {
      batches.push([item]);
      room = batchBytes - size;
    } else {
      last.push(item);
      room -= size;
    }
  }
  return batches;
}
