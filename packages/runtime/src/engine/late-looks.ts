import type { AdapterProblem, Inspected } from '@ledger-ops/adapter';
import { plainWords } from '@ledger-ops/adapter/process';
import type { OpenLedger } from '../types.ts';
import type { LiveAction, ReplacementReason } from './model.ts';
import type { Moment, Patience } from './patience.ts';
import type { Replacement, Replacing } from './replacements.ts';

/** Accounts that one look takes; the rest follows at the next. */
const accountLimit = 200;
/** Actions that one call asks about or replaces, and the signed bytes that it names. */
const batchLimit = 256;
const batchBytes = 4 * 1_048_576;
/** Transactions behind the first ones that go to every node in one look. */
const sentBehind = 512;
/**
 * Fee bumps of one action, and its transactions in all: each offers a tenth more than the one before, so that fees
 * can grow five-hundredfold before the place is given up, and twentyfold once more until that is mined.
 */
const mostBumps = 64;
const mostAttempts = 96;
/** Raises of what is shown, offers enough and is not mined, unless the ledger says otherwise (`max_bumps`). */
const defaultRaises = 2;

const forgotten = 'No node of the ledger shows the transaction, although it was sent to each of them.';
const unmined = 'The ledger shows the transaction, asks no more for it than it offers, and does not mine it.';

/** Looks after what a ledger does not mine in its patience. */
export interface LateLooks {
  /** Looks at what is late, unless a look is under way. */
  look(): void;
  /** Resolves when no look is under way any more. */
  stop(): Promise<void>;
}

export interface LateLooksOptions {
  open: OpenLedger;
  live: ReadonlyMap<string, LiveAction>;
  patience: Patience;
  /** Now, and the ledger's newest block. */
  moment(): Moment;
  /** Whether the line may sign. */
  signs(): boolean;
  /** Sends the next attempts that were signed beforehand. */
  release(action: LiveAction): void;
  /** Sends everything signed of these actions to every node of the ledger. */
  sendEverywhere(actions: readonly LiveAction[]): Promise<void>;
  inspect(actions: readonly LiveAction[]): Promise<Map<string, Inspected>>;
  replace(wanted: readonly Replacement[]): Promise<Map<string, Replacing>>;
  /** Why actions are late; null: not any more. */
  tell(reasons: readonly (readonly [action: LiveAction, detail: string | null])[]): Promise<void>;
  /** Looks fail, for the first time since one did not. */
  failed(error: unknown): void;
}

/** What a look found. `troubled`: the ledger would not take it now. */
type Finding = 'enough' | 'troubled' | 'absent' | 'unknown';

/** What is known of an account's first transaction that is not mined; in memory only. */
interface Watch {
  head: LiveAction | null;
  /** Since when that is the first, as far as it is known. */
  since: Moment;
  looked: Moment;
  /** What the ledger counted then: all below is mined. */
  next: number;
  /** What was found each time since then, at the same newest attempt. */
  found: { what: Finding; since: Moment; attempts: number; cannotRaise: boolean } | null;
}

/** The first transaction of an account that is not mined. */
interface Head {
  action: LiveAction;
  watch: Watch;
  /** Those of the account that are not mined, it first. */
  queue: readonly LiveAction[];
  /** The ledger wants it next. */
  isNext: boolean;
}

export function createLateLooks(options: LateLooksOptions): LateLooks {
  const { open, live, patience, moment } = options;
  const { session, record } = open;
  const watches = new Map<string, Watch>();
  let looking: Promise<void> | null = null;
  let stopped = false;
  let isFailing = false;
  const raises =
    typeof record.properties.max_bumps === 'number' ? record.properties.max_bumps : defaultRaises;

  /** The account's transactions under way in their order, for each account of which one had its time. */
  function lateAccounts(now: Moment): Map<string, LiveAction[]> {
    const accounts = new Map<string, LiveAction[]>();
    for (const action of live.values()) {
      if (action.sequence === null) continue;
      const queue = accounts.get(action.address);
      if (queue === undefined) accounts.set(action.address, [action]);
      else queue.push(action);
    }
    for (const address of watches.keys()) if (!accounts.has(address)) watches.delete(address);
    const late = [...accounts].filter(([address, queue]) => isDue(queue, watches.get(address), now));
    late.sort(([one], [two]) => (watches.get(one)?.looked.at ?? 0) - (watches.get(two)?.looked.at ?? 0));
    for (const [, queue] of late) queue.sort((one, two) => (one.sequence ?? 0) - (two.sequence ?? 0));
    return new Map(late.slice(0, accountLimit));
  }

  function isDue(queue: readonly LiveAction[], watch: Watch | undefined, now: Moment): boolean {
    if (watch !== undefined && !patience.again(watch.looked, now)) return false;
    // What is mined and waits for its depth is asked after less often.
    const isSoon = watch !== undefined && patience.times(watch.looked, now) < 1;
    return queue.some(
      (action) =>
        isWatched(action) &&
        patience.times(releaseOf(action), now) >= 1 &&
        !(isSoon && (action.sequence ?? 0) < watch.next),
    );
  }

  function isWatched(action: LiveAction): boolean {
    return action.kept === true || action.released < action.attempts.length - 1;
  }

  async function run(): Promise<void> {
    const late = lateAccounts(moment());
    if (late.size === 0) return;
    const addresses = [...late.keys()];
    const counts = await session.sequences(addresses);
    const now = moment();
    const heads = [...late].flatMap(([address, queue], index) =>
      headOf(address, queue, Number(counts[index] ?? 0n), now),
    );
    for (const head of heads) releaseSigned(head, now);
    const behind = heads.flatMap(({ queue }) => queue.slice(1));
    await options.sendEverywhere([...heads.map(({ action }) => action), ...behind.slice(0, sentBehind)]);
    if (!options.signs()) return;
    for (const batch of batchesOf(heads.filter(({ action }) => isReplaceable(action)))) {
      if (!stopped) await attend(batch);
    }
  }

  /** What the account waits for; nothing where all of it is mined, or the first did not have its time. */
  function headOf(address: string, queue: readonly LiveAction[], next: number, now: Moment): Head[] {
    const open = queue.filter(({ sequence }) => (sequence ?? 0) >= next);
    const [action] = open;
    const known = watches.get(address);
    if (action === undefined) {
      watches.set(address, { head: null, since: now, looked: now, next, found: null });
      return [];
    }
    const isNew = known?.head !== action;
    // What was read from the rows may have been the first for long: a server that ends again and again would never
    // come to an end with it.
    const since = known === undefined && action.readBack === true ? releaseOf(action) : now;
    const watch = isNew ? { head: action, since, looked: now, next, found: null } : known;
    watch.looked = now;
    watch.next = next;
    watches.set(address, watch);
    if (patience.times(releaseOf(action), now) < 1) return [];
    return [{ action, watch, queue: open, isNext: action.sequence === next }];
  }

  /** Bumps that were signed beforehand, each at its time; the no-op at the head of the line alone. */
  function releaseSigned({ queue, isNext, action: head, watch }: Head, now: Moment): void {
    for (const action of queue) {
      const { attempts, released } = action;
      const due = Math.min(patience.times(releaseOf(action), now), attempts.length - 1);
      const hasTime = action === head && isNext && now.at - watch.since.at >= patience.settling;
      const isNoop = (n: number) => attempts[n]?.kind === 'noop';
      const last = isNoop(due) && !hasTime ? due - 1 : due;
      if (action.kept === true || last <= released) continue;
      action.released = last;
      options.release(action);
    }
  }

  /** Asks what is shown of them, and replaces what that is a reason for. */
  async function attend(heads: readonly Head[]): Promise<void> {
    const shown = await options.inspect(heads.map(({ action }) => action));
    const isHopeless = ({ action }: Head) => shown.get(action.id)?.hopeless === true;
    const isClosing = ({ action }: Head) => action.attempts.at(-1)?.kind === 'noop';
    const raised = await replaceAll(
      heads
        .filter((head) => !isClosing(head) && !isHopeless(head) && canBump(head.action))
        .map(({ action }) => ({ action, kind: 'bump', raise: 'if-asked', reason: null })),
    );
    // What the fee of the first concerns, concerns those behind it.
    const behind = heads.filter(({ action }) => raised.get(action.id)?.status === 'sent');
    await replaceAll(
      behind
        .flatMap(({ queue }) => queue.slice(1))
        .filter(
          (action) => isReplaceable(action) && canBump(action) && action.attempts.at(-1)?.kind !== 'noop',
        )
        .map((action) => ({ action, kind: 'bump', raise: 'if-asked', reason: null })),
    );
    const now = moment();
    const wanted: Replacement[] = [];
    const reasons = new Map<LiveAction, string | null>();
    for (const head of heads) {
      const { action } = head;
      const answer = raised.get(action.id);
      if (answer?.status === 'sent' || answer?.status === 'gone') continue;
      const { problem, next } = judge(head, shown.get(action.id), answer, now);
      reasons.set(action, problem);
      if (next !== null) wanted.push(next);
    }
    const made = await replaceAll(wanted);
    for (const { action, watch } of heads) {
      const answer = made.get(action.id);
      if (answer?.status !== 'wait') continue;
      if (watch.found !== null) watch.found.cannotRaise = true;
      reasons.set(action, withCannot(reasons.get(action) ?? null, plainWords(answer.problem.detail)));
    }
    for (const { action } of heads) {
      const closing = action.attempts.at(-1);
      const why = reasons.get(action) ?? null;
      reasons.set(action, closing?.kind === 'noop' ? withClosing(closing.reason?.detail, why) : why);
    }
    await options.tell([...reasons]);
  }

  function isReplaceable({ kept, plugin }: LiveAction): boolean {
    return kept === true && (plugin === null || plugin === open.pluginUid);
  }

  /** Why it is late, and what is signed in its place, if anything. */
  function judge(
    { action, watch, isNext }: Head,
    shown: Inspected | undefined,
    answer: Replacing | undefined,
    now: Moment,
  ): { problem: string | null; next: Replacement | null } {
    const { attempts } = action;
    const newest = attempts.at(-1);
    const wait = answer?.status === 'wait' ? answer.problem : undefined;
    const what = findingOf(shown, wait);
    const detail = detailOf(what, shown?.problem, wait);
    if (watch.found?.what !== what || watch.found.attempts !== attempts.length)
      watch.found = { what, since: now, attempts: attempts.length, cannotRaise: false };
    const nothing = { problem: detail, next: null };
    // Behind another one it is late through no fault of its own.
    if (!isNext || attempts.length >= mostAttempts) return nothing;
    const give = (reason: ReplacementReason): Replacement => ({
      action,
      kind: 'noop',
      raise: 'always',
      reason,
    });
    const given: ReplacementReason = { type: 'dropped', detail: detail ?? unmined };
    if (newest?.kind === 'noop') {
      // Each costs more than the one before: the time between them is doubled.
      const raised = attempts.filter(({ kind }) => kind === 'noop').length - 1;
      const isOver = patience.times(releaseOf(action), now) >= 2 ** raised;
      if (!isOver || (what === 'enough' && !patience.hadBlocks(releaseOf(action), now))) return nothing;
      return { problem: detail, next: give(newest.reason ?? given) };
    }
    if (shown?.hopeless === true) return { problem: detail, next: give(given) };
    if (what === 'unknown' || now.at - watch.found.since.at < patience.settling) return nothing;
    const isFresh = releaseOf(action).at > watch.since.at;
    const since = isFresh ? releaseOf(action) : watch.since;
    const spent = patience.times(since, now) - (isFresh && newest?.reason?.type !== 'unmined' ? 1 : 0);
    if (what === 'absent') return spent >= 1 ? { problem: detail, next: give(given) } : nothing;
    if (what === 'troubled') return spent >= 1 + raises ? { problem: detail, next: give(given) } : nothing;
    if (spent < 1 || !patience.hadBlocks(since, now)) return nothing;
    const raised = attempts.filter(({ reason }) => reason?.type === 'unmined').length;
    const isUseless = watch.found.cannotRaise && spent >= 1 + raises;
    if (raised >= raises || isUseless || !canBump(action)) return { problem: detail, next: give(given) };
    const reason: ReplacementReason = { type: 'unmined', detail: unmined };
    return { problem: detail, next: { action, kind: 'bump', raise: 'always', reason } };
  }

  async function replaceAll(wanted: readonly Replacement[]): Promise<Map<string, Replacing>> {
    const answers = new Map<string, Replacing>();
    for (const batch of batchesOf(wanted)) {
      if (stopped) break;
      for (const [id, answer] of await options.replace(batch)) answers.set(id, answer);
    }
    return answers;
  }

  return {
    look() {
      if (stopped || looking !== null) return;
      looking = run()
        .then(
          () => {
            isFailing = false;
          },
          (error: unknown) => {
            if (!isFailing) options.failed(error);
            isFailing = true;
          },
        )
        .finally(() => {
          looking = null;
        });
    },
    async stop() {
      stopped = true;
      await looking;
    },
  };
}

/** When its newest transaction was signed. */
function releaseOf({ releasedAt, releasedHeight = null }: LiveAction): Moment {
  return { at: releasedAt, height: releasedHeight };
}

function canBump({ attempts }: LiveAction): boolean {
  return attempts.length <= mostBumps;
}

/** A fee that is too high for the time being says more than that the nodes have let go of what offers less. */
function findingOf(shown: Inspected | undefined, wait: AdapterProblem | undefined): Finding {
  if (wait?.code === 'fee-above-cap') return 'troubled';
  if (shown === undefined || shown.status === 'unknown') return wait === undefined ? 'unknown' : 'troubled';
  if (shown.status === 'absent') return 'absent';
  return shown.problem !== undefined || wait !== undefined ? 'troubled' : 'enough';
}

function detailOf(
  what: Finding,
  problem: AdapterProblem | undefined,
  wait: AdapterProblem | undefined,
): string | null {
  const said = [
    ...new Set([problem, wait].flatMap((one) => (one === undefined ? [] : plainWords(one.detail)))),
  ];
  if (said.length > 0) return said.join(' ');
  return what === 'absent' ? forgotten : null;
}

function withCannot(why: string | null, detail: string): string {
  return why === null || why === detail
    ? detail
    : `${why} No other transaction can take its place now: ${detail}`;
}

function withClosing(reason: string | undefined, why: string | null): string {
  const given = `${reason ?? unmined} It is given up: an empty transaction is sent that takes its nonce.`;
  return why === null || why === reason ? given : `${given} ${why}`;
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
