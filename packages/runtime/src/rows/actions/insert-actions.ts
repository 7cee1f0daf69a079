import { Problem } from '@ledger-ops/base';
import { isUniqueViolation, requestKeyOf, type SqlValue, type Tx, together } from '@ledger-ops/store';
import { keyInUse } from '../../idempotency.ts';
import { BatchRefused, type NewAction, type Settlement } from '../model.ts';
import { recordSteps } from '../record-activity.ts';
import { forShare, textList } from '../sql.ts';
import { hasUnknown } from '../unknown-transactions.ts';
import { actionBytes, isLarge } from './action-bytes.ts';
import { accountKey, type Compared } from './dependents.ts';
import { type ListedRow, listAccepted } from './listings.ts';
import { type Doubt, dependencyFailed, settle } from './settle.ts';

const actionColumns = [
  'id',
  'given_id',
  'project_id',
  'app_id',
  'caller',
  'wallet_uid',
  'wallet_id',
  'ledger_uid',
  'ledger_id',
  'chain',
  'shard',
  'address',
  'intent',
  'tag',
  'context',
  'status',
  'stage',
  'operation',
  'overrides',
  'plan',
  'plugin',
  'cost',
  'sequence',
  'blockers',
  'min_height',
  'deadline',
  'created_at',
  'updated_at',
  'receivers',
  'trace',
  'stored_bytes',
  'request_key',
  'request_fingerprint',
  'request_position',
] as const;

/** The stage of an action right after it was accepted. */
export type Stage = 'signed' | 'ready' | 'blocked' | 'failed';

/**
 * Inserts accepted actions, their dependencies, and the responses stored for their idempotency keys, and adds the
 * actions to the listings. An action may depend on another action of the same call.
 *
 * @throws BatchRefused if ids or idempotency keys already exist
 */
export async function insertActions(
  tx: Tx,
  actions: readonly NewAction[],
  stage: 'signed' | 'ready',
  compared: Compared = new Set(),
): Promise<Map<string, Stage>> {
  await refuseKnown(tx, actions);
  const stages = new Map<string, Stage>();
  const rows: SqlValue[][] = [];
  const links: SqlValue[][] = [];
  const listed: ListedRow[] = [];
  const failures: Settlement[] = [];
  const inserted = new Set(actions.map(({ id }) => id));
  for (const action of actions) {
    const { blockers, failed, minHeight } = await readDependencies(tx, action, inserted);
    const bytes = actionBytes(action);
    const own = blockers > 0 ? 'blocked' : stage;
    stages.set(action.id, own);
    if (failed !== null) {
      failures.push(dependencyFailed(action.id, failed, await doubtOf(tx, action, compared)));
      stages.set(action.id, 'failed');
    }
    rows.push([
      action.id,
      action.givenId,
      action.projectId,
      action.appId,
      action.caller,
      action.walletUid,
      action.walletId,
      action.ledgerUid,
      action.ledgerId,
      action.chain,
      action.shard,
      action.address,
      action.intent,
      action.tag,
      action.context,
      'PENDING',
      own,
      action.operation,
      action.overrides,
      action.plan,
      action.plugin,
      action.cost.toString(),
      action.sequence,
      blockers,
      minHeight,
      action.deadline,
      action.createdAt,
      action.createdAt,
      receiversOf(action),
      action.trace,
      isLarge(bytes) ? null : bytes,
      action.request?.key ?? null,
      action.request?.fingerprint ?? null,
      action.request?.position ?? null,
    ]);
    listed.push(listedRow(action));
    for (const [position, dependency] of action.dependencies.entries()) {
      links.push([action.id, dependency, position]);
    }
  }
  const deployments = actions.flatMap(({ id, projectId, registration: its }) =>
    its === null ? [] : [[id, projectId, its.contractId, its.name]],
  );
  const answers = actions.flatMap(({ claim, createdAt }) =>
    claim === null
      ? []
      : [[claim.claim.scope, claim.claim.key, claim.claim.fingerprint, claim.status, claim.body, createdAt]],
  );
  await together(
    tx.insertMany('action', actionColumns, rows).catch((error: unknown) => {
      throw knownMeanwhile(actions, error) ?? error;
    }),
    listAccepted(tx, listed),
    tx.insertMany('action_dependency', ['action_id', 'dependency_id', 'position'], links),
    tx.insertMany('deployment', ['action_id', 'project_id', 'contract_id', 'name'], deployments),
    tx.insertMany('idempotency', ['scope', 'key', 'fingerprint', 'status', 'body', 'created_at'], answers),
    recordSteps(tx, actions.map(acceptance), actions[0]?.createdAt ?? 0),
  );
  if (failures.length > 0) await settle(tx, failures, actions[0]?.createdAt ?? 0, compared);
  return stages;
}

/**
 * Returns why a newly accepted action may already be executed: a restored database may lack an earlier action for the
 * same request.
 */
async function doubtOf(tx: Tx, { chain, address }: NewAction, compared: Compared): Promise<Doubt | null> {
  if (await hasUnknown(tx, chain, address)) return 'unknown';
  return compared.has(accountKey(chain, address)) ? null : 'not-compared';
}

function receiversOf({ receivers }: NewAction): string | null {
  return receivers.length === 0 ? null : JSON.stringify(receivers);
}

function listedRow(action: NewAction): ListedRow {
  return {
    id: action.id,
    given_id: action.givenId,
    project_id: action.projectId,
    wallet_uid: action.walletUid,
    ledger_uid: action.ledgerUid,
    ledger_id: action.ledgerId,
    chain: action.chain,
    tag: action.tag,
    status: 'PENDING',
    locator: null,
    receivers: receiversOf(action),
    created_at: action.createdAt,
  };
}

function acceptance(action: NewAction) {
  const row = {
    id: action.id,
    given_id: action.givenId,
    project_id: action.projectId,
    wallet_uid: action.walletUid,
    wallet_id: action.walletId,
    receivers: receiversOf(action),
  };
  return { step: 'accept', row, by: { serviceId: action.caller, appId: action.appId } } as const;
}

/**
 * Refuses the actions whose ids or idempotency keys were used before. The rest of the batch can then be
 * stored.
 */
async function refuseKnown(tx: Tx, actions: readonly NewAction[]): Promise<void> {
  const problems = new Map<string, Problem>();
  const given = await knownNames(tx, actions);
  for (const { id, projectId, givenId } of actions) {
    if (givenId === null) continue;
    const name = nameOf(projectId, givenId);
    if (given.has(name)) problems.set(id, known(givenId));
    given.add(name);
  }
  for (const { id, claim } of actions) {
    if (claim === null) continue;
    // The actions of an idempotency key are kept longer than the key's stored response.
    const used = await tx.all(
      `SELECT key FROM idempotency WHERE scope = $1 AND key = $2
        UNION ALL SELECT request_key AS key FROM action WHERE request_key = $3`,
      [claim.claim.scope, claim.claim.key, requestKeyOf(claim.claim)],
    );
    if (used.length > 0) problems.set(id, keyInUse());
  }
  if (problems.size > 0) throw new BatchRefused(problems);
}

/**
 * Of the ids that clients chose for actions of the batch, returns those that already exist in the action's project. In
 * another project, the same id names another action.
 */
async function knownNames(tx: Tx, actions: readonly NewAction[]): Promise<Set<string>> {
  const ids = actions.flatMap(({ givenId }) => givenId ?? []);
  if (ids.length === 0) return new Set();
  const list = textList(tx.dialect, '$1');
  const rows = await tx.all<{ id: string; given_id: string | null; project_id: string }>(
    `SELECT id, given_id, project_id FROM action WHERE id IN ${list}
      UNION ALL SELECT id, given_id, project_id FROM action
      WHERE project_id IN ${textList(tx.dialect, '$2')} AND given_id IN ${list}
      UNION ALL SELECT given_id, given_id, project_id FROM removed_action
      WHERE project_id IN ${textList(tx.dialect, '$2')} AND given_id IN ${list}`,
    [JSON.stringify(ids), JSON.stringify([...new Set(actions.map(({ projectId }) => projectId))])],
  );
  return new Set(
    rows.flatMap(({ id, given_id, project_id }) =>
      [id, ...(given_id === null ? [] : [given_id])].map((one) => nameOf(project_id, one)),
    ),
  );
}

function nameOf(projectId: string, givenId: string): string {
  return JSON.stringify([projectId, givenId]);
}

function known(givenId: string): Problem {
  return new Problem('already-exists', `An action with the id ${givenId} already exists.`);
}

function removedMeanwhile(dependency: string): Problem {
  return new Problem(
    'unknown-dependency',
    `The action ${dependency}, on which this action depends, has been removed.`,
  );
}

/**
 * Returns the refusal of a batch of one action, if another server stored the action's id after `refuseKnown` had
 * checked it.
 */
function knownMeanwhile([only, ...others]: readonly NewAction[], error: unknown): BatchRefused | undefined {
  const givenId = only?.givenId ?? null;
  if (only === undefined || others.length > 0 || givenId === null) return undefined;
  return isUniqueViolation(error, 'action_given')
    ? new BatchRefused(new Map([[only.id, known(givenId)]]))
    : undefined;
}

/** @param inserted ids of the actions inserted in the same call, which are therefore pending */
async function readDependencies(tx: Tx, action: NewAction, inserted: ReadonlySet<string>) {
  const stored = action.dependencies.filter((id) => !inserted.has(id));
  let blockers = action.dependencies.length - stored.length;
  let minHeight = 0;
  let failed: string | null = null;
  if (stored.length > 0) {
    // The lock prevents a dependency from completing between this read and the commit, which would leave the
    // action blocked forever.
    const rows = await tx.all<{ id: string; status: string; chain: string; height: number | null }>(
      `SELECT id, status, chain, height FROM action WHERE id IN ${textList(tx.dialect, '$1')} ORDER BY id${forShare(tx.dialect)}`,
      [JSON.stringify(stored)],
    );
    const gone = stored.find((id) => rows.every((row) => row.id !== id));
    if (gone !== undefined) throw new BatchRefused(new Map([[action.id, removedMeanwhile(gone)]]));
    for (const row of rows) {
      if (row.status === 'PENDING') blockers += 1;
      if (row.status === 'FAILED') failed = row.id;
      if (row.status === 'SUCCEEDED' && row.chain === action.chain) {
        minHeight = Math.max(minHeight, row.height ?? 0);
      }
    }
  }
  return { blockers, failed, minHeight };
}
