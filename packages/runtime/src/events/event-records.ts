import { type ProblemDocument, problemType } from '@ledger-ops/base';
import { type Queries, readJson, type SqlValue } from '@ledger-ops/store';
import { namedIn } from '../actions/action-ids.ts';
import { signersOf } from '../actions/action-row.ts';
import type { Step } from '../rows/record-activity.ts';
import { rowset, textList } from '../rows/sql.ts';
import {
  type ActionEvent,
  type ActionEventType,
  type ContractEventData,
  contractEventType,
  type EventType,
  type ServiceEvent,
  type ToldEvent,
} from './types.ts';

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
/** Types of the events that report the final result of an action. */
const ofEnds: ReadonlySet<EventType> = new Set([
  'action.succeeded',
  'action.failed',
  'action.cancelled',
  'action.retracted',
  'action.reinstated',
]);
export const service = 'ledger-operations';
/** Service name of contract events in the timeline. */
export const contractEventService = 'contract-events';
export const contractEventAction = 'tell';
/** Service and action of the timeline records that are events. */
export const recordKinds = [
  ...[...steps.keys()].map((action) => [service, action] as const),
  [contractEventService, contractEventAction] as const,
];

export interface StepRecord extends Record<string, SqlValue> {
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
export const recordColumns =
  'seq, uid, action, performed_at, identity, app_id, scope, resource_uid, service, target_object';

interface Row extends Record<string, SqlValue> {
  id: string;
  given_id: string | null;
  project_id: string;
  project_name: string | null;
  wallet_uid: string;
  wallet_id: string;
  /** JSON list of parties other than the sending wallet; null if there are none. */
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

/** Returns those of the resources that the caller may read. If this function is absent, the caller may read all. */
export type Readable = (
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

/** Returns the event type of a record; a canceled action has the type of a failed one. */
export function typeOf(record: StepRecord): EventType | undefined {
  if (record.service === service) return steps.get(record.action);
  return record.service === contractEventService && record.action === contractEventAction
    ? contractEventType
    : undefined;
}

function uniqueJson(values: readonly string[]): string {
  return JSON.stringify([...new Set(values)]);
}

/** Converts timeline records to events in the order of their positions, limited to resources in `readable`. */
export async function eventsOf(
  read: Queries,
  records: readonly StepRecord[],
  readable?: Readable,
): Promise<ServiceEvent[]> {
  const { ofContracts = [], ofActions = [] } = Object.groupBy(records, (record) =>
    record.service === contractEventService ? 'ofContracts' : 'ofActions',
  );
  const contracts = await readable?.(
    ofContracts.map(({ resource_uid }) => resource_uid),
    'smart-contract-instance',
  );
  const shown = ofContracts.filter(({ resource_uid }) => contracts?.has(resource_uid) ?? true);
  const events = [...(await actionEvents(read, ofActions, readable)), ...(await contractEvents(read, shown))];
  return events.sort((a, b) => a.place - b.place);
}

/** Reads contract events as they were stored. */
async function contractEvents(read: Queries, records: readonly StepRecord[]): Promise<ToldEvent[]> {
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
 * A step of an action has one record per signing wallet, but is one event. The event is built from the record of the
 * sending wallet or, if the caller may not read that wallet, of the first co-signer that the caller may read. The event
 * id is the same in both cases.
 */
async function actionEvents(
  read: Queries,
  records: readonly StepRecord[],
  readable?: Readable,
): Promise<ActionEvent[]> {
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
    read,
    shown.filter(({ record, row }) => record.resource_uid !== row.wallet_uid),
  );
  return shown.map(({ record, row }) => eventOf(record, row, ids.get(record.uid) ?? record.uid));
}

/** For records of co-signers, returns the id of the sending wallet's record of the same step, by record id. */
async function senderRecords(
  read: Queries,
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
