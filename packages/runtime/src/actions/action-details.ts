import type { JsonObject } from '@ledger-ops/adapter';
import type { Auth, Principal } from '@ledger-ops/auth';
import type { Override } from '@ledger-ops/glo-core';
import { type Queries, readJson } from '@ledger-ops/store';
import type { Engine } from '../engine/engine.ts';
import type { PluginLoader } from '../plugins/loader.ts';
import type { KeptDefinition } from '../plugins/types.ts';
import { never } from '../rows/actions/continue.ts';
import type { ReplacementReason } from '../rows/model.ts';
import { traceIdOf } from '../traces/trace-context.ts';
import { type ActionRow, actionColumns } from './action-row.ts';
import { possibleChanges, type Signed, signedColumns } from './change-requests.ts';
import { readableAmong } from './readable.ts';
import type { Scope } from './scope.ts';
import type { ActionDetails, ActionOverview } from './types.ts';

/** Maximum number of `dependents` in the details of an action. */
const mostDependents = 100;

export const overviewColumns = `${actionColumns}, action.app_id, action.caller, action.operation, action.height, action.block_time, action.fee,
  action.deadline, project.project_id AS project_name`;

export interface OverviewRow extends ActionRow {
  app_id: string;
  caller: string;
  operation: string;
  height: number | null;
  block_time: number | null;
  fee: string | null;
  deadline: number;
  /** Name of the action's project; null if the project was deleted. */
  project_name: string | null;
}

/** Additional columns for the details of one action. */
export const detailsColumns = 'action.overrides, action.waiting_since, action.sent_at, action.trace';

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

/** The members that are displayed of an operation stored by `operationKey`. */
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

export function operationOf({ operation }: Pick<OverviewRow, 'operation'>): StoredOperation {
  return readJson<StoredOperation>(operation) ?? {};
}

export interface DetailsOptions {
  read: Queries;
  auth: Auth;
  plugins: Pick<PluginLoader, 'known'>;
  engine: Pick<Engine, 'signed'>;
}

/**
 * Creates a function that reads the details of an action, which lists omit. Call it only for actions that the principal
 * may see.
 */
export function createDetails({ read, auth, plugins, engine }: DetailsOptions) {
  async function details(
    principal: Principal,
    scope: Scope,
    row: DetailsRow,
    item: ActionOverview,
  ): Promise<ActionDetails> {
    const { id, created_at, updated_at, sent_at } = row;
    const definition = await definitionOf(row);
    const { attempts, unsettled } = await attemptsOf(item, id, definition);
    const change = row.change === 'cancel' || row.change === 'hurry' ? row.change : null;
    const { method, args } = operationOf(row);
    return {
      ...item,
      traceId: traceIdOf(row),
      operation: readJson<JsonObject>(row.operation) ?? {},
      arguments: method?.args ?? args ?? null,
      overrides: readJson<Override[]>(row.overrides) ?? [],
      dependsOn: await dependenciesOf(principal, scope, id),
      waitingSince: waitingSince(row, item.pending, attempts.at(-1)?.at ?? updated_at, created_at),
      change,
      changes:
        item.pending === null
          ? []
          : possibleChanges(item.pending.stage, change, unsettled, definition?.capabilities),
      deadline: item.pending === null || row.deadline >= never ? null : row.deadline,
      attempts,
      signedAt: attempts.find(({ kind }) => kind !== 'outside')?.at ?? null,
      sentAt: sent_at ?? engine.signed(id).sentAt,
      dependents: (await linkedTo(principal, scope, dependents, id)).map(({ name }) => name),
    };
  }

  async function definitionOf({ plugin }: DetailsRow) {
    return plugin === null ? undefined : (await plugins.known([plugin])).get(plugin)?.definition;
  }

  async function attemptsOf(
    item: ActionOverview,
    id: string,
    definition: KeptDefinition | undefined,
  ): Promise<Pick<ActionDetails, 'attempts'> & { unsettled: Signed[] }> {
    const rows = await read.all<
      Signed & {
        tx_id: string;
        created_at: number;
        settled_at: number | null;
        height: number | null;
        cost: string;
        note: string | null;
        reason: string | null;
      }
    >(
      `SELECT tx_id, created_at, settled_at, height, cost, note, reason, ${signedColumns} FROM attempt
        WHERE action_id = $1 AND kind <> 'filler' ORDER BY n`,
      [id],
    );
    // A remote plugin signs the transaction itself. The transaction's row contains the host's request to the plugin,
    // and `note` contains the id that the plugin returned.
    const isRemote = definition?.keyType === null;
    const attempts = rows.map((row, index): ActionDetails['attempts'][number] => {
      const ids = [row.tx_id, row.note];
      const isExecuted =
        item.locator !== null && (ids.includes(item.locator) || (isRemote && rows.length === 1));
      return {
        txId: isRemote ? ((isExecuted ? item.locator : row.note) ?? row.tx_id) : row.tx_id,
        executed: isExecuted,
        kind: row.kind === 'bump' || row.kind === 'noop' || row.kind === 'outside' ? row.kind : 'main',
        sequence: row.sequence,
        at: row.created_at,
        signedAtHeight: row.height,
        settledAt: row.settled_at,
        maxCost: row.cost === '0' && definition?.capabilities.balance !== true ? null : row.cost,
        fee: isExecuted ? item.fee : null,
        blockHeight: isExecuted ? item.blockHeight : null,
        validUntil: row.valid_until,
        replacedBy: rows[index + 1]?.tx_id ?? null,
        reason: readJson<ReplacementReason>(row.reason)?.detail ?? null,
      };
    });
    return { attempts, unsettled: rows.filter(({ settled_at }) => settled_at === null) };
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

  /** Returns the linked actions that the caller may see. */
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
/** SQL that joins the newest actions that depend on an action. */
const dependents = `JOIN action ON action.id = link.action_id
  WHERE link.dependency_id = $1 ORDER BY action.id DESC LIMIT ${mostDependents}`;

/**
 * Returns when the current pending reason began. Stored reasons have a stored time. A reason derived from the stage
 * began when the action entered the stage. A reason that is only in memory (such as an unreachable ledger) has no time.
 * @param staged when the action entered its current stage
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
