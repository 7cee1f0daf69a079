import type { JsonObject } from '@ledger-ops/adapter';
import type { Auth, Principal } from '@ledger-ops/auth';
import type { Override } from '@ledger-ops/glo-core';
import { type Queries, readJson } from '@ledger-ops/store';
import type { Engine } from '../engine/engine.ts';
import { never } from '../rows/actions/continue.ts';
import type { ReplacementReason } from '../rows/model.ts';
import { traceIdOf } from '../traces/trace-context.ts';
import { type ActionRow, actionColumns } from './action-row.ts';
import { readableAmong } from './readable.ts';
import type { Scope } from './scope.ts';
import type { ActionDetails, ActionOverview } from './types.ts';

/** Actions that depend on one, as far as they are told. */
const mostDependents = 100;

export const overviewColumns = `${actionColumns}, action.app_id, action.caller, action.operation, action.height, action.block_time, action.fee,
  action.deadline, project.project_id AS project_name`;

/** A row of these columns. */
export interface OverviewRow extends ActionRow {
  app_id: string;
  caller: string;
  operation: string;
  height: number | null;
  block_time: number | null;
  fee: string | null;
  deadline: number;
  /** Null: its project is deleted. */
  project_name: string | null;
}

/** More of one that is shown by itself. */
export const detailsColumns = 'action.overrides, action.waiting_since, action.sent_at, action.trace';

/** A row with these columns. */
export interface DetailsRow extends OverviewRow {
  overrides: string | null;
  waiting_since: number | null;
  sent_at: number | null;
  trace: string | null;
}

interface StoredLocator {
  type?: string;
  resource?: string;
}

/** As `operationKey` writes it, as far as it is shown. */
interface StoredOperation {
  type?: ActionOverview['type'];
  recipient?: StoredLocator;
  contract?: StoredLocator;
  source?: StoredLocator;
  method?: { name: string; args: string[] };
  args?: string[];
  amount?: string;
  value?: string;
}

export function operationOf({ operation }: OverviewRow): StoredOperation {
  return readJson<StoredOperation>(operation) ?? {};
}

export interface DetailsOptions {
  read: Queries;
  auth: Auth;
  engine: Pick<Engine, 'signed'>;
}

/** Tells of an action that the caller may see what lists leave out. */
export function createDetails({ read, auth, engine }: DetailsOptions) {
  async function details(
    principal: Principal,
    scope: Scope,
    row: DetailsRow,
    item: ActionOverview,
  ): Promise<ActionDetails> {
    const { id, created_at, updated_at, sent_at } = row;
    const attempts = await attemptsOf(item, id);
    const { method, args } = operationOf(row);
    return {
      ...item,
      traceId: traceIdOf(row),
      operation: readJson<JsonObject>(row.operation) ?? {},
      arguments: method?.args ?? args ?? null,
      overrides: readJson<Override[]>(row.overrides) ?? [],
      dependsOn: await dependenciesOf(principal, scope, id),
      waitingSince: waitingSince(row, item.pending, attempts.at(-1)?.at ?? updated_at, created_at),
      change: row.change === 'cancel' || row.change === 'hurry' ? row.change : null,
      deadline: item.pending === null || row.deadline >= never ? null : row.deadline,
      attempts,
      signedAt: attempts[0]?.at ?? null,
      sentAt: sent_at ?? engine.signed(id).sentAt,
      dependents: (await linkedTo(principal, scope, dependents, id)).map(({ name }) => name),
    };
  }

  async function attemptsOf(item: ActionOverview, id: string): Promise<ActionDetails['attempts']> {
    const rows = await read.all<{
      tx_id: string;
      kind: string;
      sequence: number | null;
      created_at: number;
      settled_at: number | null;
      height: number | null;
      cost: string;
      note: string | null;
      valid_until: number | null;
      reason: string | null;
    }>(
      `SELECT tx_id, kind, sequence, created_at, settled_at, height, cost, note, valid_until, reason FROM attempt
        WHERE action_id = $1 AND kind <> 'filler' ORDER BY n`,
      [id],
    );
    return rows.map((row, index) => {
      const isExecuted = item.locator !== null && (row.tx_id === item.locator || row.note === item.locator);
      return {
        txId: row.tx_id,
        kind: row.kind === 'bump' || row.kind === 'noop' ? row.kind : 'main',
        sequence: row.sequence,
        at: row.created_at,
        signedAtHeight: row.height,
        settledAt: row.settled_at,
        maxCost: row.cost,
        fee: isExecuted ? item.fee : null,
        blockHeight: isExecuted ? item.blockHeight : null,
        validUntil: row.valid_until,
        replacedBy: rows[index + 1]?.tx_id ?? null,
        reason: readJson<ReplacementReason>(row.reason)?.detail ?? null,
      };
    });
  }

  async function dependenciesOf(
    principal: Principal,
    scope: Scope,
    id: string,
  ): Promise<ActionDetails['dependsOn']> {
    const found = await linkedTo(principal, scope, dependencies, id);
    return found.map(({ name, status }) => ({
      actionId: name,
      status: status === 'SUCCEEDED' || status === 'FAILED' ? status : 'PENDING',
    }));
  }

  /** Those that the caller may see of the actions that a statement finds. */
  async function linkedTo(principal: Principal, scope: Scope, links: string, id: string) {
    const rows = await read.all<{ name: string; status: string; project_id: string; wallet_uid: string }>(
      `SELECT coalesce(action.given_id, action.id) AS name, action.status, action.project_id, action.wallet_uid
        FROM action_dependency AS link ${links}`,
      [id],
    );
    const uids = rows.map(({ wallet_uid }) => wallet_uid);
    const readable = scope.byWallet ? await readableAmong(auth, principal, uids) : undefined;
    return rows
      .filter(({ project_id }) => scope.projectUid === null || project_id === scope.projectUid)
      .filter(({ wallet_uid }) => readable?.has(wallet_uid) ?? true);
  }

  return details;
}

const dependencies = `JOIN action ON action.id = link.dependency_id
  WHERE link.action_id = $1 ORDER BY link.position`;
/** The newest. */
const dependents = `JOIN action ON action.id = link.action_id
  WHERE link.dependency_id = $1 ORDER BY action.id DESC LIMIT ${mostDependents}`;

/**
 * Since when it waits for what it is said to wait for. A code that is stored has its time; what its stage says holds since it
 * came there. What only memory knows of (a ledger that is not reached) has none.
 * @param staged when it was released or signed last
 */
function waitingSince(
  { waiting_code, waiting_since }: DetailsRow,
  pending: ActionOverview['pending'],
  staged: number,
  accepted: number,
): number | null {
  if (pending === null) return null;
  if (pending.code === waiting_code) return waiting_since;
  if (pending.code === 'dependencies') return accepted;
  return pending.code === 'turn' || pending.code === 'confirmation' ? staged : null;
}
