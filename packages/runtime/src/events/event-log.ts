import type { Auth } from '@ledger-ops/auth';
import { invalidRequest, Problem, type ProblemDocument, problemType } from '@ledger-ops/base';
import type { Timeline } from '@ledger-ops/registry';
import { readJson, type SqlValue, type Store } from '@ledger-ops/store';
import { namedIn } from '../actions/action-ids.ts';
import { signersOf } from '../actions/action-row.ts';
import { readableAmong } from '../actions/readable.ts';
import { scopeOf } from '../actions/scope.ts';
import type { Step } from '../rows/record-activity.ts';
import { rowset, textList } from '../rows/sql.ts';
import {
  type ActionEvent,
  type ActionEventType,
  type ContractEventData,
  contractEventType,
  type EventFilter,
  type EventLog,
  type EventPart,
  type EventType,
  type ServiceEvent,
  type ToldEvent,
} from './types.ts';

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

const typeOfStep: Readonly<Record<Step, ActionEventType>> = {
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
const steps = new Map<string, ActionEventType>(Object.entries(typeOfStep));
/** Events that tell how the action ended. */
const ofEnds: ReadonlySet<EventType> = new Set([
  'action.succeeded',
  'action.failed',
  'action.cancelled',
  'action.retracted',
  'action.reinstated',
]);
const service = 'ledger-operations';
/** By which the timeline knows what contracts told. */
export const contractEventService = 'contract-events';
export const contractEventAction = 'tell';
/** Service and action of the records that events are made of. */
const recordKinds = [
  ...[...steps.keys()].map((action) => [service, action] as const),
  [contractEventService, contractEventAction] as const,
];

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
  wallet_uid: string;
  wallet_id: string;
  /** JSON list of parties beside the sender; null: none. */
  receivers: string | null;
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

/** Reads events out of the timeline: of actions nothing else is written for them. */
export function createEventLog({ store, auth, timeline, now }: EventLogOptions): EventLog {
  const { read } = store;

  /** The next events of a project, or of all, as far as `readable` has their resources. */
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
      events: (await eventsOf(records, readable)).filter((event) => fits(event, filter)),
      next: walked.at(-1)?.seq ?? place,
      more: walked.length === mostWalked,
    };
  }

  async function eventsOf(records: readonly StepRecord[], readable?: Readable): Promise<ServiceEvent[]> {
    const { told = [], steps: ofActions = [] } = Object.groupBy(records, (record) =>
      record.service === contractEventService ? 'told' : 'steps',
    );
    const contracts = await readable?.(
      told.map(({ resource_uid }) => resource_uid),
      'smart-contract-instance',
    );
    const shown = told.filter(({ resource_uid }) => contracts?.has(resource_uid) ?? true);
    const events = [...(await stepsOf(ofActions, readable)), ...(await toldBy(shown))];
    return events.sort((a, b) => a.place - b.place);
  }

  /** Events of contracts, as they were written when they were read. */
  async function toldBy(records: readonly StepRecord[]): Promise<ToldEvent[]> {
    if (records.length === 0) return [];
    const { dialect } = read;
    const [rows, projects] = await Promise.all([
      read.all<{ uid: string; data: string }>(
        `SELECT uid, data FROM contract_event WHERE uid IN ${textList(dialect, '$1')}`,
        [uniqueJson(records.map((one) => one.target_object))],
      ),
      read.all<{ uid: string; name: string }>(
        `SELECT uid, project_id AS name FROM project WHERE uid IN ${textList(dialect, '$1')}`,
        [uniqueJson(records.map(({ scope }) => scope))],
      ),
    ]);
    const dataOf = new Map(rows.map(({ uid, data }) => [uid, data]));
    const nameOf = new Map(projects.map(({ uid, name }) => [uid, name]));
    return records.flatMap(({ seq, uid, performed_at, scope, target_object }) => {
      const text = dataOf.get(target_object);
      if (text === undefined) return [];
      const data = readJson<Omit<ContractEventData, 'projectId'>>(text);
      return {
        ...{ place: seq, id: uid, type: contractEventType, at: performed_at, orderedBy: data.subscriptionId },
        data: { ...data, projectId: nameOf.get(scope) ?? null },
      };
    });
  }

  /**
   * A step has a record of each wallet that signs, and is one event: the sender's wallet's, or that of the first other one where the
   * caller may not read the sender's. It has the same id in both cases.
   */
  async function stepsOf(records: readonly StepRecord[], readable?: Readable): Promise<ActionEvent[]> {
    if (records.length === 0) return [];
    const rows = await read.all<Row>(
      `SELECT action.id, action.given_id, action.project_id, action.wallet_uid, action.wallet_id, action.receivers,
        action.ledger_id, action.intent, action.tag, action.status, action.problem, action.locator,
        action.contract_address, action.height, action.fee, action.created_at, project.project_id AS project_name
        FROM action LEFT JOIN project ON project.uid = action.project_id
        WHERE ${namedIn(read.dialect, '$1')} AND action.project_id IN ${textList(read.dialect, '$2')}`,
      [uniqueJson(records.map((one) => one.target_object)), uniqueJson(records.map(({ scope }) => scope))],
    );
    const byName = new Map(rows.map((row) => [nameOf(row.project_id, row.given_id ?? row.id), row]));
    const wallets = await readable?.(rows.flatMap(signersOf), 'wallet');
    const shown = records.flatMap((record) => {
      const row = byName.get(nameOf(record.scope, record.target_object));
      if (row === undefined) return [];
      const teller = signersOf(row).find((uid) => wallets?.has(uid) ?? true);
      return record.resource_uid === teller ? [{ record, row }] : [];
    });
    const ids = await senderRecords(
      shown.filter(({ record, row }) => record.resource_uid !== row.wallet_uid),
    );
    return shown.map(({ record, row }) => eventOf(record, row, ids.get(record.uid) ?? record.uid));
  }

  /** Ids of the records of the sender's wallets, by the ids of those of the same steps that others' wallets have. */
  async function senderRecords(
    others: readonly { record: StepRecord; row: Row }[],
  ): Promise<Map<string, string>> {
    if (others.length === 0) return new Map();
    const wanted = others.map(({ record, row }) => ({
      ...{ uid: record.uid, wallet_uid: row.wallet_uid, performed_at: record.performed_at },
      ...{ action: record.action, scope: record.scope, target_object: record.target_object },
    }));
    const found = await read.all<{ uid: string; sender: string }>(
      `SELECT j.uid, own.uid AS sender FROM ${rowset(read.dialect, '$1', wantedColumns)}
        JOIN timeline AS own ON own.resource_uid = j.wallet_uid AND own.performed_at = j.performed_at
          AND own.service = '${service}' AND own.action = j.action AND own.scope = j.scope
          AND own.target_object = j.target_object`,
      [JSON.stringify(wanted)],
    );
    return new Map(found.map(({ uid, sender }) => [uid, sender]));
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
      const [event] = await eventsOf(records.filter((record) => typeOf(record) !== undefined));
      return event;
    },

    async placeAt(at) {
      if (at < now() - eventsKept) throw tooOld();
      const latest = await timeline.latest();
      // Behind the last before it, not before the first of it: by time, the first may have a later place than others.
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

/** Which of these resources the caller may read. Absent: all. */
type Readable = (
  uids: readonly string[],
  type: 'wallet' | 'smart-contract-instance',
) => Promise<ReadonlySet<string>>;

const wantedColumns = {
  uid: 'text',
  wallet_uid: 'text',
  performed_at: 'bigint',
  action: 'text',
  scope: 'text',
  target_object: 'text',
} as const;

function isOfContract({ service: of }: StepRecord): boolean {
  return of === contractEventService;
}

/** The type of the event that a record is; of an action that failed, cancelled ones too. */
function typeOf(record: StepRecord): EventType | undefined {
  if (record.service === service) return steps.get(record.action);
  return isOfContract(record) && record.action === contractEventAction ? contractEventType : undefined;
}

function uniqueJson(values: readonly string[]): string {
  return JSON.stringify([...new Set(values)]);
}

/** Whether a record can be an event of interest, as far as it tells itself. */
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

function eventOf(record: StepRecord, row: Row, id: string): ActionEvent {
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
    id,
    type,
    at: record.performed_at,
    orderedBy: row.id,
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
