import type { Auth } from '@ledger-ops/auth';
import { invalidRequest, Problem } from '@ledger-ops/base';
import type { Timeline } from '@ledger-ops/registry';
import type { Store } from '@ledger-ops/store';
import { readableAmong } from '../actions/readable.ts';
import { scopeOf } from '../actions/scope.ts';
import {
  contractEventService,
  eventsOf,
  type Readable,
  recordColumns,
  recordKinds,
  type StepRecord,
  service,
  typeOf,
} from './event-records.ts';
import type { EventFilter, EventLog, EventPart, ServiceEvent } from './types.ts';

const day = 24 * 60 * 60 * 1_000;
/** Time for which events can be read again, in milliseconds. */
export const eventsKept = 7 * day;
/** Maximum number of timeline records that are read per batch. */
const mostWalked = 500;
/**
 * Largest assumed difference between server clocks, in milliseconds. Because of it, a record with a later position can
 * have an earlier time.
 */
const skew = 60_000;

export interface EventLogOptions {
  store: Store;
  auth: Auth;
  /** Assigns positions to committed records. */
  timeline: Pick<Timeline, 'latest'>;
  /** Milliseconds since the epoch. */
  now: () => number;
}

/** Creates the log, which reads events from the timeline. Action events are not stored separately. */
export function createEventLog({ store, auth, timeline, now }: EventLogOptions): EventLog {
  const { read } = store;

  /** Reads the next events of one project or of all projects, limited to resources in `readable`. */
  async function walk(
    place: number,
    filter: EventFilter,
    projectUid: string | null,
    readable?: Readable,
  ): Promise<EventPart> {
    await timeline.latest();
    const walked = await read.all<StepRecord>(
      `SELECT ${recordColumns} FROM timeline WHERE seq > $1 ORDER BY seq LIMIT ${mostWalked}`,
      [place],
    );
    const records = walked.filter(
      (record) => (projectUid === null || record.scope === projectUid) && mayFit(record, filter),
    );
    return {
      events: (await eventsOf(read, records, readable)).filter((event) => fits(event, filter)),
      next: walked.at(-1)?.seq ?? place,
      more: walked.length === mostWalked,
    };
  }

  return {
    latest: () => timeline.latest(),

    async checkPlace(place) {
      if (place > (await timeline.latest())) {
        throw invalidRequest([{ pointer: 'Last-Event-ID', detail: 'must be the id of an event' }]);
      }
      const [own, first] = await read.all<{ seq: number; performed_at: number }>(
        'SELECT seq, performed_at FROM timeline WHERE seq >= $1 ORDER BY seq LIMIT 2',
        [place],
      );
      // The timeline is pruned from the start, so if this event exists, all later events exist.
      if (own?.seq !== place) throw tooOld();
      if (first !== undefined && first.performed_at < now() - eventsKept) throw tooOld();
    },

    async visible(principal, filter, place) {
      const scope = await scopeOf(read, auth, principal);
      if (scope === null) return await walk(place, filter, null, async () => new Set());
      const { projectUid, byWallet } = scope;
      if (projectUid === null) return await walk(place, filter, null);
      return await walk(place, filter, projectUid, async (uids, type) =>
        type === 'wallet' && !byWallet ? new Set(uids) : await readableAmong(auth, principal, uids, type),
      );
    },

    ofProject: (projectUid, filter, place) => walk(place, filter, projectUid),

    async byId(projectUid, id) {
      await timeline.latest();
      const records = await read.all<StepRecord>(
        `SELECT ${recordColumns} FROM timeline WHERE uid = $1 AND scope = $2
          AND service IN ('${service}', '${contractEventService}')`,
        [id, projectUid],
      );
      const [event] = await eventsOf(
        read,
        records.filter((record) => typeOf(record) !== undefined),
      );
      return event;
    },

    async placeAt(at) {
      if (at < now() - eventsKept) throw tooOld();
      const latest = await timeline.latest();
      // The result is the position of the last record before `at`, not that of the first one after it, because
      // positions and times may be in different orders.
      const lasts = await Promise.all(
        recordKinds.map(([of, action]) =>
          read.all<{ seq: number }>(
            `SELECT seq FROM timeline WHERE service = '${of}' AND action = $1 AND performed_at < $2 AND seq IS NOT NULL
              ORDER BY performed_at DESC LIMIT 1`,
            [action, at - skew],
          ),
        ),
      );
      return Math.min(latest, Math.max(0, ...lasts.flatMap(([last]) => last?.seq ?? [])));
    },
  };
}

/** Whether a record could match the filter, judging by its type only. This avoids reading records that cannot match. */
function mayFit(record: StepRecord, { types }: EventFilter): boolean {
  const type = typeOf(record);
  if (type === undefined) return false;
  return types?.includes(type) !== false || (type === 'action.failed' && types.includes('action.cancelled'));
}

function fits({ type, data }: ServiceEvent, { types, ledgers, wallets }: EventFilter): boolean {
  return (
    types?.includes(type) !== false &&
    ledgers?.includes(data.ledgerId) !== false &&
    (wallets === undefined || ('walletId' in data && wallets.includes(data.walletId)))
  );
}

function tooOld(): Problem {
  return new Problem(
    'event-too-old',
    `Events are kept for ${eventsKept / day} days only. List the actions that changed in the meantime, then read new events.`,
  );
}
