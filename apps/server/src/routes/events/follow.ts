import type { Principal } from '@ledger-ops/auth';
import { invalidRequest, Problem } from '@ledger-ops/base';
import type { Actions, ActionView, ChangePlace } from '@ledger-ops/runtime';
import { collapse } from '../../http/collapse.ts';
import { gatheredLooks } from '../../http/gathered.ts';
import type { EventWriter, StreamEvent } from '../../http/streams.ts';
import { actionBody } from '../../present/action.ts';

const day = 24 * 60 * 60 * 1_000;
/** Maximum age of an event from which a stream of several actions can resume, in milliseconds. */
const resumable = 7 * day;
/**
 * A resumed stream starts this many milliseconds before the requested event, because server clocks differ and
 * changes may be stored out of order. Events that the client has already seen are sent again with the same
 * id.
 */
const overlap = 10_000;
/** Maximum number of actions in the initial state of a stream, and per read. */
const firstState = 100;

/** Maximum number of final events that a stream remembers, so that it does not send a change twice. */
const rememberedEnds = 1_000;

/** Filter of a stream of several actions; at least one member is set. */
export interface FollowFilter {
  readonly intent?: string | undefined;
  readonly wallet?: string | undefined;
}

/** Returns the id of the event for this state of an action. */
export function eventId(view: ActionView): string {
  return `${view.actionId}:${view.updatedAt}:${view.status}`;
}

export function isFinal(view: ActionView): boolean {
  return view.status !== 'PENDING';
}

function actionEvent(view: ActionView): StreamEvent {
  return { id: eventId(view), event: 'action', data: actionBody(view) };
}

/**
 * Sends an action's state immediately, unless it is the event `seen` (the client's Last-Event-ID), and after every change.
 * Ends with the final state, or when the caller may no longer read the action.
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
 * Returns the time in an event id, from which a stream of several actions resumes.
 *
 * @throws Problem `invalid-request`, `event-too-old`
 */
export function resumedFrom(id: string, now: number): number {
  const [, at] = /^[^:]{1,64}:(\d{1,15}):(?:PENDING|SUCCEEDED|FAILED)$/.exec(id) ?? [];
  if (at === undefined) {
    throw invalidRequest([{ pointer: 'Last-Event-ID', detail: 'is not an event id of this kind of stream' }]);
  }
  if (Number(at) >= now - resumable) return Number(at);
  throw new Problem(
    'event-too-old',
    `Events can be resumed for ${resumable / day} days. Search for actions that completed in the meantime, then connect without Last-Event-ID.`,
  );
}

/**
 * Sends the state of the newest actions of an intent or wallet, then every change. A resumed stream sends the actions
 * that changed after `since` instead of the newest actions.
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
    /** Pending actions and the last event sent for each. */
    const shown = new Map<string, string>();
    /** Ids of the newest final events, because several servers may report the same change. */
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

/** Reads the newest matching actions, newest first. */
async function newest(actions: Readers, principal: Principal, filter: FollowFilter): Promise<ActionView[]> {
  const { intent, wallet } = filter;
  if (wallet === undefined) {
    const views = intent === undefined ? [] : await actions.byIntents(principal, [intent]);
    return views.toSorted((a, b) => b.createdAt - a.createdAt).slice(0, firstState);
  }
  const query = { page: 0, size: firstState, sort: [], ...(intent === undefined ? {} : { intent }) };
  return (await actions.byWallet(principal, wallet, query)).items;
}

/** Returns the changed actions that match the filter. */
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
