import type { Inspected } from '@ledger-ops/adapter';
import { plainWords } from '@ledger-ops/adapter/process';
import type { OpenLedger } from '../types.ts';
import {
  canBump,
  closingWords,
  isClosing,
  judgeLate,
  releaseOf,
  type Verdict,
  type Watch,
} from './late-verdict.ts';
import type { LiveAction } from './model.ts';
import type { Moment, Patience } from './patience.ts';
import type { Replacement, Replacing } from './replacements.ts';

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
    const asked = await raiseAsked(
      heads.map(({ action }) => action).filter(({ id }) => shown.get(id)?.hopeless !== true),
    );
    // What the fee of the first concerns, concerns those behind it.
    const raised = heads.filter(({ action }) => asked.get(action.id)?.status === 'sent');
    await raiseAsked(raised.flatMap(({ queue }) => queue.slice(1)).filter(isReplaceable));
    const now = moment();
    const verdicts = new Map<LiveAction, Verdict>();
    for (const { action, watch, isNext } of heads) {
      const answer = asked.get(action.id);
      if (answer?.status === 'sent' || answer?.status === 'gone') continue;
      const late = { action, watch, isNext, shown: shown.get(action.id), asked: answer, now };
      verdicts.set(action, judgeLate(late, patience, raises));
    }
    const made = await replaceAll([...verdicts.values()].flatMap(({ next }) => next ?? []));
    const isRefused = ({ id }: LiveAction) => made.get(id)?.status === 'wait';
    const others = [...verdicts].flatMap(([action, { otherwise }]) =>
      otherwise !== null && isRefused(action) ? otherwise : [],
    );
    for (const [id, answer] of await replaceAll(others)) made.set(id, answer);
    await options.tell(
      heads.map(
        ({ action }) => [action, wordsOf(action, verdicts.get(action), made.get(action.id))] as const,
      ),
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
    return kept === true && (plugin === null || plugin === open.pluginUid);
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

/** Why it is late, for people. */
function wordsOf(
  { attempts }: LiveAction,
  verdict: Verdict | undefined,
  made: Replacing | undefined,
): string | null {
  const why = verdict?.detail ?? null;
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
