import type { Principal } from '@ledger-ops/auth';
import { invalidRequest, Problem } from '@ledger-ops/base';
import type { Actions, ActionView, ChangePlace } from '@ledger-ops/runtime';
import { collapse } from '../../http/collapse.ts';
import { gatheredLooks } from '../../http/gathered.ts';
import type { EventWriter, StreamEvent } from '../../http/streams.ts';
import { actionBody } from '../../present/action.ts';

const day = 24 * 60 * 60 * 1_000;
/** Milliseconds for which a stream of many goes on from an event. */
const resumable = 7 * day;
/**
 * Milliseconds by which it begins earlier: of two changes the later one may be stored first, by another server with
 * another clock. What the client has seen already comes again, with the same id.
 */
const overlap = 10_000;
/** Most actions that the first state of a stream shows, and that are read at once. */
const firstState = 100;

/** Most ends that a stream remembers, so that a change that is reported again is not sent again. */
const rememberedEnds = 1_000;

/** Which actions a stream of many follows; at least one is given. */
export interface FollowFilter {
  readonly intent?: string | undefined;
  readonly wallet?: string | undefined;
}

/** The id of the event that shows an action in this state. */
export function eventId(view: ActionView): string {
  return `${view.actionId}:${view.updatedAt}:${view.status}`;
}

/** Whether an action has reached its end. */
export function isFinal(view: ActionView): boolean {
  return view.status !== 'PENDING';
}

function actionEvent(view: ActionView): StreamEvent {
  return { id: eventId(view), event: 'action', data: actionBody(view) };
}

/**
 * Sends an action's state now, unless the client has seen it (`seen` is its Last-Event-ID), and after every
 * change; ends with the final state, or when the action can no longer be read.
 */
export function followAction(
  actions: Pick<Actions, 'get' | 'onChange'>,
  principal: Principal,
  { uid }: Pick<ActionView, 'uid'>,
  seen: string | undefined,
): (writer: EventWriter) => () => void {
  return (writer) => {
    let last = seen;
    const look = collapse(async () => {
      const view = await actions.get(principal, uid);
      if (eventId(view) !== last) writer.send(actionEvent(view));
      last = eventId(view);
      if (isFinal(view)) writer.end();
    }, writer.end);
    const stop = actions.onChange((uids) => {
      if (uids.includes(uid)) look();
    });
    look();
    return stop;
  };
}

/**
 * The time in an event's id, where a stream of many goes on from it.
 *
 * @throws Problem `invalid-request`, `event-too-old`
 */
export function resumedFrom(id: string, now: number): number {
  const [, at] = /^[^:]{1,64}:(\d{1,15}):(?:PENDING|SUCCEEDED|FAILED)$/.exec(id) ?? [];
  if (at === undefined) {
    throw invalidRequest([{ pointer: 'Last-Event-ID', detail: 'is the id of no event of such a stream' }]);
  }
  if (Number(at) >= now - resumable) return Number(at);
  throw new Problem(
    'event-too-old',
    `Events are resumed for ${resumable / day} days. Search for what ended meanwhile, then follow anew without Last-Event-ID.`,
  );
}

/**
 * Sends the state of the newest actions of an intent or a wallet, then each of their changes; where it goes on from an
 * earlier stream, everything that changed since then instead of the newest.
 *
 * @param since milliseconds since the epoch; see {@link resumedFrom}
 */
export function followMany(
  actions: Pick<Actions, 'byIds' | 'byIntents' | 'byWallet' | 'changes' | 'onChange'>,
  principal: Principal,
  filter: FollowFilter,
  since?: number,
): (writer: EventWriter) => () => void {
  return (writer) => {
    const changed = new Set<string>();
    /** Unfinished actions and the event that showed them last. */
    const shown = new Map<string, string>();
    /** The newest ends, by their events: several servers report one change, also while a stream goes on from an earlier one. */
    const ended = new Set<string>();
    const show = (views: readonly ActionView[]) => {
      for (const view of views) {
        const id = eventId(view);
        if (shown.get(view.actionId) === id || ended.has(id)) continue;
        if (isFinal(view)) {
          shown.delete(view.actionId);
          ended.add(id);
          const [oldest] = ended;
          if (ended.size > rememberedEnds && oldest !== undefined) ended.delete(oldest);
        } else shown.set(view.actionId, id);
        writer.send(actionEvent(view));
      }
    };
    const lookAtChanges = collapse(async () => {
      const ids = [...changed];
      changed.clear();
      if (ids.length > 0) show(await select(actions, principal, filter, ids));
    }, writer.end);
    const first = async () => {
      if (since !== undefined) return await resume(since - overlap);
      show((await newest(actions, principal, filter)).toReversed());
    };
    const resume = async (updatedAt: number) => {
      let after: ChangePlace | null = { updatedAt, uid: '' };
      while (after !== null && !writer.signal.aborted) {
        const found: Awaited<ReturnType<Actions['changes']>> = await actions.changes(principal, {
          ...filter,
          after,
          size: firstState,
        });
        show(found.items);
        after = found.next;
        await writer.drained();
      }
    };
    let begun = false;
    const looks = gatheredLooks(writer.pace, lookAtChanges);
    const stop = actions.onChange((ids) => {
      for (const id of ids) changed.add(id);
      if (begun) looks.soon();
    });
    void first().then(
      () => {
        begun = true;
        lookAtChanges();
      },
      () => writer.end(),
    );
    return () => {
      stop();
      looks.stop();
    };
  };
}

type Readers = Pick<Actions, 'byIds' | 'byIntents' | 'byWallet'>;

/** The newest actions that the filter admits, newest first. */
async function newest(actions: Readers, principal: Principal, filter: FollowFilter): Promise<ActionView[]> {
  const { intent, wallet } = filter;
  if (wallet === undefined) {
    const views = intent === undefined ? [] : await actions.byIntents(principal, [intent]);
    return views.toSorted((a, b) => b.createdAt - a.createdAt).slice(0, firstState);
  }
  const query = { page: 0, size: firstState, sort: [], ...(intent === undefined ? {} : { intent }) };
  return (await actions.byWallet(principal, wallet, query)).items;
}

/** Those of the changed actions that the filter admits. */
async function select(
  actions: Readers,
  principal: Principal,
  filter: FollowFilter,
  ids: readonly string[],
): Promise<ActionView[]> {
  const { intent, wallet } = filter;
  if (wallet === undefined) {
    return (await actions.byIds(principal, ids)).filter((view) => view.intent === intent);
  }
  const query = { ids, page: 0, size: ids.length, sort: [], ...(intent === undefined ? {} : { intent }) };
  return (await actions.byWallet(principal, wallet, query)).items.toReversed();
}
