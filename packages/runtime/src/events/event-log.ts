import type { Auth } from '@ledger-ops/auth';
import { invalidRequest, Problem, type ProblemDocument, problemType } from '@ledger-ops/base';
import type { Timeline } from '@ledger-ops/registry';
import { readJson, type SqlValue, type Store } from '@ledger-ops/store';
import { namedIn } from '../actions/action-ids.ts';
import { readableAmong } from '../actions/readable.ts';
import { scopeOf } from '../actions/scope.ts';
import type { Step } from '../rows/record-activity.ts';
import { textList } from '../rows/sql.ts';
import type { ActionEvent, EventFilter, EventLog, EventPart, EventType } from './types.ts';

const day = 24 * 60 * 60 * 1_000;
/** Milliseconds for which events are told again. */
export const eventsKept = 7 * day;
/** Records of the timeline that are looked at together. */
const mostWalked = 500;
/** Milliseconds by which clocks of servers may differ: a later place can have an earlier time. */
const skew = 60_000;

export interface EventLogOptions {
  store: Store;
  auth: Auth;
  /** Gives committed records their places. */
  timeline: Pick<Timeline, 'latest'>;
  /** Milliseconds since the epoch. */
  now: () => number;
}

const typeOfStep: Readonly<Record<Step, EventType>> = {
  accept: 'action.accepted',
  sign: 'action.sent',
  continue: 'action.continued',
  cancel: 'action.cancel_requested',
  hurry: 'action.hurry_requested',
  succeed: 'action.succeeded',
  fail: 'action.failed',
  retract: 'action.retracted',
  reinstate: 'action.reinstated',
};
const steps = new Map<string, EventType>(Object.entries(typeOfStep));
/** Events that tell how the action ended. */
const ofEnds: ReadonlySet<EventType> = new Set([
  'action.succeeded',
  'action.failed',
  'action.cancelled',
  'action.retracted',
  'action.reinstated',
]);
const service = 'ledger-operations';

interface StepRecord extends Record<string, SqlValue> {
  seq: number;
  uid: string;
  action: string;
  performed_at: number;
  identity: string;
  app_id: string;
  scope: string;
  resource_uid: string;
  service: string;
  target_object: string;
}
const recordColumns =
  'seq, uid, action, performed_at, identity, app_id, scope, resource_uid, service, target_object';

interface Row extends Record<string, SqlValue> {
  id: string;
  given_id: string | null;
  project_id: string;
  project_name: string | null;
  wallet_id: string;
  ledger_id: string;
  intent: string;
  tag: string | null;
  status: string;
  problem: string | null;
  locator: string | null;
  contract_address: string | null;
  height: number | null;
  fee: string | null;
  created_at: number;
}

/** Reads events out of the timeline: nothing is written for them. */
export function createEventLog({ store, auth, timeline, now }: EventLogOptions): EventLog {
  const { read } = store;

  /** The next records, among them those of actions that `shows` admits. */
  async function walk(place: number, filter: EventFilter, shows: Shows): Promise<EventPart> {
    await timeline.latest();
    const walked = await read.all<StepRecord>(
      `SELECT ${recordColumns} FROM timeline WHERE seq > $1 ORDER BY seq LIMIT ${mostWalked}`,
      [place],
    );
    const records = await shows(walked.filter((record) => mayFit(record, filter)));
    return {
      events: (await eventsOf(records)).filter((event) => fits(event, filter)),
      next: walked.at(-1)?.seq ?? place,
      more: walked.length === mostWalked,
    };
  }

  async function eventsOf(records: readonly StepRecord[]): Promise<ActionEvent[]> {
    if (records.length === 0) return [];
    const unique = (values: readonly string[]) => JSON.stringify([...new Set(values)]);
    const rows = await read.all<Row>(
      `SELECT action.id, action.given_id, action.project_id, action.wallet_id, action.ledger_id, action.intent,
        action.tag, action.status, action.problem, action.locator, action.contract_address, action.height, action.fee,
        action.created_at, project.project_id AS project_name
        FROM action LEFT JOIN project ON project.uid = action.project_id
        WHERE ${namedIn(read.dialect, '$1')} AND action.project_id IN ${textList(read.dialect, '$2')}`,
      [unique(records.map((one) => one.target_object)), unique(records.map(({ scope }) => scope))],
    );
    const byName = new Map(rows.map((row) => [nameOf(row.project_id, row.given_id ?? row.id), row]));
    return records.flatMap((record) => {
      const row = byName.get(nameOf(record.scope, record.target_object));
      return row === undefined ? [] : [eventOf(record, row)];
    });
  }

  return {
    latest: () => timeline.latest(),

    async checkPlace(place) {
      if (place > (await timeline.latest())) {
        throw invalidRequest([{ pointer: 'Last-Event-ID', detail: 'is the id of no event yet' }]);
      }
      const [own, first] = await read.all<{ seq: number; performed_at: number }>(
        'SELECT seq, performed_at FROM timeline WHERE seq >= $1 ORDER BY seq LIMIT 2',
        [place],
      );
      // The timeline is removed from its beginning: while the event is there, all that came after it is.
      if (own?.seq !== place) throw tooOld();
      if (first !== undefined && first.performed_at < now() - eventsKept) throw tooOld();
    },

    async visible(principal, filter, place) {
      const scope = await scopeOf(read, auth, principal);
      return await walk(place, filter, async (records) => {
        if (scope === null) return [];
        const { projectUid, byWallet } = scope;
        if (projectUid === null) return records;
        const own = records.filter((record) => record.scope === projectUid);
        if (!byWallet) return own;
        const readable = await readableAmong(
          auth,
          principal,
          own.map(({ resource_uid }) => resource_uid),
        );
        return own.filter(({ resource_uid }) => readable.has(resource_uid));
      });
    },

    ofProject: (projectUid, filter, place) =>
      walk(place, filter, async (records) => records.filter(({ scope }) => scope === projectUid)),

    async byId(projectUid, id) {
      await timeline.latest();
      const records = await read.all<StepRecord>(
        `SELECT ${recordColumns} FROM timeline WHERE uid = $1 AND scope = $2 AND service = '${service}'`,
        [id, projectUid],
      );
      const [event] = await eventsOf(records.filter(({ action }) => steps.has(action)));
      return event;
    },

    async placeAt(at) {
      if (at < now() - eventsKept) throw tooOld();
      const latest = await timeline.latest();
      const firsts = await Promise.all(
        [...steps.keys()].map((action) =>
          read.all<{ seq: number }>(
            `SELECT MIN(seq) AS seq FROM (SELECT seq FROM timeline WHERE service = '${service}' AND action = $1
              AND performed_at >= $2 AND seq IS NOT NULL ORDER BY performed_at LIMIT 1) AS first`,
            [action, at - skew],
          ),
        ),
      );
      const seqs = firsts.flatMap(([first]) => first?.seq ?? []);
      return Math.min(latest, ...seqs.map((seq) => seq - 1));
    },
  };
}

/** Leaves out records of actions that are not to be shown. */
type Shows = (records: readonly StepRecord[]) => Promise<readonly StepRecord[]>;

/** Whether a record can be an event of interest, as far as it tells itself. */
function mayFit(record: StepRecord, { types }: EventFilter): boolean {
  const type = record.service === service ? steps.get(record.action) : undefined;
  if (type === undefined) return false;
  return types?.includes(type) !== false || (type === 'action.failed' && types.includes('action.cancelled'));
}

function fits({ type, data }: ActionEvent, { types, ledgers, wallets }: EventFilter): boolean {
  return (
    types?.includes(type) !== false &&
    ledgers?.includes(data.ledgerId) !== false &&
    wallets?.includes(data.walletId) !== false
  );
}

function eventOf(record: StepRecord, row: Row): ActionEvent {
  const problem = readJson<ProblemDocument>(row.problem);
  const step = steps.get(record.action) ?? 'action.accepted';
  const type =
    step === 'action.failed' && problem?.type === problemType('cancelled') ? 'action.cancelled' : step;
  const isEnd = ofEnds.has(type);
  const requestedBy =
    record.identity === '' && record.app_id === ''
      ? null
      : { serviceId: record.identity, appId: record.app_id };
  return {
    place: record.seq,
    id: record.uid,
    type,
    at: record.performed_at,
    actionUid: row.id,
    data: {
      actionId: row.given_id ?? row.id,
      projectId: row.project_name,
      walletId: row.wallet_id,
      ledgerId: row.ledger_id,
      intent: row.intent,
      tag: row.tag,
      createdAt: row.created_at,
      status: isEnd ? statusOf(row.status) : 'PENDING',
      requestedBy,
      locator: isEnd ? row.locator : null,
      contractAddress: isEnd ? row.contract_address : null,
      blockHeight: isEnd ? row.height : null,
      fee: isEnd ? row.fee : null,
      problem: isEnd ? problem : null,
    },
  };
}

function statusOf(status: string): 'SUCCEEDED' | 'FAILED' {
  return status === 'SUCCEEDED' ? 'SUCCEEDED' : 'FAILED';
}

function nameOf(projectUid: string, actionId: string): string {
  return JSON.stringify([projectUid, actionId]);
}

function tooOld(): Problem {
  return new Problem(
    'event-too-old',
    `Events are told again for ${eventsKept / day} days. List the actions that changed meanwhile, then begin with what happens from now on.`,
  );
}
