import { Problem } from '@ledger-ops/base';
import type { SqlValue, Tx } from '@ledger-ops/store';
import { keyInUse } from '../idempotency.ts';
import { type Attempt, failure, type NewAction, type Settlement } from './model.ts';
import { recordSteps, type StepRow, stepColumns } from './record-steps.ts';
import { forShare, rowset, textList } from './sql.ts';

/** The next sequence is not what this server believed: read it again. */
export class SequenceMoved extends Error {
  override readonly name = 'SequenceMoved';
}

/** Ids or keys of a batch that exist already; the rest of the batch is to be tried without them. */
export class AlreadyThere extends Error {
  override readonly name = 'AlreadyThere';
  readonly problems: ReadonlyMap<string, Problem>;

  constructor(problems: ReadonlyMap<string, Problem>) {
    super(`${problems.size} of the batch exist already.`);
    this.problems = problems;
  }
}

const actionColumns = [
  'id',
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
  'plan',
  'plugin',
  'cost',
  'sequence',
  'blockers',
  'min_height',
  'deadline',
  'created_at',
  'updated_at',
] as const;

/** Inserts accepted actions with their dependencies, parties and answers. @throws AlreadyThere, Problem */
export async function insertActions(
  tx: Tx,
  actions: readonly NewAction[],
  stage: 'signed' | 'ready',
): Promise<Map<string, 'signed' | 'ready' | 'blocked' | 'failed'>> {
  await refuseKnown(tx, actions);
  const stages = new Map<string, 'signed' | 'ready' | 'blocked' | 'failed'>();
  const rows: SqlValue[][] = [];
  const links: SqlValue[][] = [];
  const parties: SqlValue[][] = [];
  const doomed: Settlement[] = [];
  for (const action of actions) {
    const { blockers, failed, minHeight } = await readDependencies(tx, action);
    const own = blockers > 0 ? 'blocked' : stage;
    stages.set(action.id, own);
    if (failed !== null) {
      doomed.push(dependencyFailed(action.id, failed));
      stages.set(action.id, 'failed');
    }
    rows.push([
      action.id,
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
      action.plan,
      action.plugin ?? null,
      action.cost.toString(),
      action.sequence,
      blockers,
      minHeight,
      action.deadline,
      action.createdAt,
      action.createdAt,
    ]);
    for (const [position, dependency] of action.dependencies.entries()) {
      links.push([action.id, dependency, position]);
    }
    for (const party of action.parties) parties.push([party, action.createdAt, action.id]);
  }
  await tx.insertMany('action', actionColumns, rows);
  await tx.insertMany('action_party', ['party', 'created_at', 'action_id'], parties);
  if (links.length > 0) {
    await tx.insertMany('action_dependency', ['action_id', 'dependency_id', 'position'], links);
  }
  const deployments = actions.flatMap(({ id, projectId, registration: its }) =>
    its === null ? [] : [[id, projectId, its.contractId, its.name]],
  );
  if (deployments.length > 0) {
    await tx.insertMany('deployment', ['action_id', 'project_id', 'contract_id', 'name'], deployments);
  }
  const answers = actions.flatMap(({ claim, createdAt }) =>
    claim === null
      ? []
      : [[claim.claim.scope, claim.claim.key, claim.claim.fingerprint, claim.status, claim.body, createdAt]],
  );
  if (answers.length > 0) {
    await tx.insertMany(
      'idempotency',
      ['scope', 'key', 'fingerprint', 'status', 'body', 'created_at'],
      answers,
    );
  }
  await recordSteps(tx, actions.map(acceptance), actions[0]?.createdAt ?? 0);
  if (doomed.length > 0) await settle(tx, doomed, actions[0]?.createdAt ?? 0);
  return stages;
}

function acceptance(action: NewAction) {
  const row = {
    id: action.id,
    project_id: action.projectId,
    wallet_uid: action.walletUid,
    wallet_id: action.walletId,
  };
  return { step: 'accept', row, by: { serviceId: action.caller, appId: action.appId } } as const;
}

/** A batch must not fail as a whole because one of it was sent before. */
async function refuseKnown(tx: Tx, actions: readonly NewAction[]): Promise<void> {
  const problems = new Map<string, Problem>();
  const own = actions.filter((action) => action.ownId).map((action) => action.id);
  if (own.length > 0) {
    const known = await tx.all<{ id: string }>(
      `SELECT id FROM action WHERE id IN ${textList(tx.dialect, '$1')}`,
      [JSON.stringify(own)],
    );
    for (const { id } of known) {
      problems.set(id, new Problem('already-exists', `There is an action with the id ${id} already.`));
    }
  }
  for (const { id, claim } of actions) {
    if (claim === null) continue;
    const known = await tx.all('SELECT key FROM idempotency WHERE scope = $1 AND key = $2', [
      claim.claim.scope,
      claim.claim.key,
    ]);
    if (known.length > 0) {
      problems.set(id, keyInUse());
    }
  }
  if (problems.size > 0) throw new AlreadyThere(problems);
}

async function readDependencies(tx: Tx, action: NewAction) {
  let blockers = 0;
  let minHeight = 0;
  let failed: string | null = null;
  if (action.dependencies.length > 0) {
    // The lock keeps a dependency from ending between this look and our commit without releasing us.
    const rows = await tx.all<{ id: string; status: string; chain: string; height: number | null }>(
      `SELECT id, status, chain, height FROM action WHERE id IN ${textList(tx.dialect, '$1')} ORDER BY id${forShare(tx.dialect)}`,
      [JSON.stringify(action.dependencies)],
    );
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

/** Stores signed transactions of actions. */
export async function insertAttempts(
  tx: Tx,
  chain: string,
  signed: readonly {
    actionId: string;
    address: string;
    shard: number;
    sequence: number | null;
    attempts: readonly Attempt[];
  }[],
  now: number,
): Promise<void> {
  const rows: SqlValue[][] = [];
  for (const { actionId, address, shard, sequence, attempts } of signed) {
    for (const { txId, n, kind, bytes, cost } of attempts) {
      rows.push([txId, actionId, n, kind, chain, shard, address, sequence, bytes, cost.toString(), now]);
    }
  }
  await tx.insertMany(
    'attempt',
    [
      'tx_id',
      'action_id',
      'n',
      'kind',
      'chain',
      'shard',
      'address',
      'sequence',
      'bytes',
      'cost',
      'created_at',
    ],
    rows,
  );
}

/** Compare-and-swap of an account's next sequence; `from` null means that there is no row yet. @throws SequenceMoved */
export async function advanceSequence(
  tx: Tx,
  chain: string,
  address: string,
  from: number | null,
  to: number,
): Promise<void> {
  const changed =
    from === null
      ? await tx.run(
          'INSERT INTO sequence (chain, address, next) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
          [chain, address, to],
        )
      : await tx.run('UPDATE sequence SET next = $3 WHERE chain = $1 AND address = $2 AND next = $4', [
          chain,
          address,
          to,
          from,
        ]);
  if (changed !== 1) throw new SequenceMoved(`The next sequence of ${address} is not ${from}.`);
}

/**
 * Moves ready actions to signed and erases the grants of those that sign no more. Answers the ids that were still
 * ready.
 */
export async function markSigned(
  tx: Tx,
  actionIds: readonly string[],
  now: number,
  keepGrants: ReadonlySet<string> = new Set(),
): Promise<Set<string>> {
  const list = JSON.stringify(actionIds);
  const changed = await tx.all<StepRow & Record<string, SqlValue>>(
    `UPDATE action SET stage = 'signed', waiting = NULL, updated_at = $2 WHERE id IN ${textList(tx.dialect, '$1')} AND status = 'PENDING' AND stage = 'ready' RETURNING ${stepColumns}`,
    [list, now],
  );
  await recordSteps(
    tx,
    changed.map((row) => ({ step: 'sign', row })),
    now,
  );
  const done = actionIds.filter((id) => !keepGrants.has(id));
  if (done.length > 0) await eraseGrants(tx, done);
  return new Set(changed.map(({ id }) => id));
}

async function eraseGrants(tx: Tx, actionIds: readonly string[]): Promise<void> {
  await tx.run(`DELETE FROM action_grant WHERE action_id IN ${textList(tx.dialect, '$1')}`, [
    JSON.stringify(actionIds),
  ]);
}

/** What a settlement changed beyond its own actions. */
export interface Settled {
  /** All actions that ended, dependents included. */
  ended: string[];
  /** Chains on which dependents became ready. */
  wake: string[];
}

const settlementColumns = {
  id: 'text',
  status: 'text',
  signed: 'bigint',
  locator: 'text',
  contract_address: 'text',
  height: 'bigint',
  fee: 'text',
  details: 'text',
  problem: 'text',
} as const;

/**
 * Writes ends of actions, releases those that depend on a success and fails those that depend on a failure.
 * An end is final: a second one changes nothing.
 */
export async function settle(tx: Tx, settlements: readonly Settlement[], now: number): Promise<Settled> {
  const ended: string[] = [];
  const wake = new Set<string>();
  let batch = settlements;
  while (batch.length > 0) {
    const rows = batch.map((s) => ({
      id: s.actionId,
      status: s.status,
      signed: s.signed ? 1 : 0,
      locator: s.locator,
      contract_address: s.contractAddress,
      height: s.height,
      fee: s.fee,
      details: s.details,
      problem: s.problem === null ? null : JSON.stringify(s.problem),
    }));
    const changed = await tx.all<StepRow & { status: string } & Record<string, SqlValue>>(
      `UPDATE action SET status = j.status, stage = 'done', locator = j.locator, contract_address = j.contract_address,
        height = j.height, fee = j.fee, details = j.details, problem = j.problem, waiting = NULL, updated_at = $2
        FROM ${rowset(tx.dialect, '$1', settlementColumns)}
        WHERE action.id = j.id AND action.status = 'PENDING'
        AND ((j.signed = 1 AND action.stage = 'signed') OR (j.signed = 0 AND action.stage IN ('blocked', 'ready')))
        RETURNING ${stepColumns}, action.status AS status`,
      [JSON.stringify(rows), now],
    );
    if (changed.length === 0) break;
    const ids = changed.map(({ id }) => id);
    await tx.run(
      `UPDATE attempt SET settled_at = $2 WHERE action_id IN ${textList(tx.dialect, '$1')} AND settled_at IS NULL`,
      [JSON.stringify(ids), now],
    );
    await eraseGrants(tx, ids);
    await recordSteps(
      tx,
      changed.map((row) => ({ step: row.status === 'SUCCEEDED' ? 'succeed' : 'fail', row })),
      now,
    );
    ended.push(...changed.map(({ id }) => id));
    const succeeded = changed.filter(({ status }) => status === 'SUCCEEDED').map(({ id }) => id);
    const failed = changed.filter(({ status }) => status === 'FAILED').map(({ id }) => id);
    if (succeeded.length > 0) {
      for (const chain of await releaseDependents(tx, succeeded, now)) wake.add(chain);
    }
    batch = [];
    if (failed.length > 0) batch = await dependentsOf(tx, failed);
  }
  return { ended, wake: [...wake] };
}

async function releaseDependents(tx: Tx, succeeded: readonly string[], now: number): Promise<string[]> {
  const released = await tx.all<{ chain: string; stage: string }>(
    `UPDATE action SET blockers = blockers - d.n,
      min_height = CASE WHEN d.height > min_height THEN d.height ELSE min_height END,
      stage = CASE WHEN blockers = d.n THEN 'ready' ELSE stage END, updated_at = $2
      FROM (
        SELECT link.action_id AS action_id, COUNT(*) AS n,
          MAX(CASE WHEN past.chain = waiting.chain THEN COALESCE(past.height, 0) ELSE 0 END) AS height
        FROM action_dependency AS link
        JOIN action AS past ON past.id = link.dependency_id
        JOIN action AS waiting ON waiting.id = link.action_id
        WHERE link.dependency_id IN ${textList(tx.dialect, '$1')}
        GROUP BY link.action_id
      ) AS d
      WHERE action.id = d.action_id AND action.status = 'PENDING' AND action.stage = 'blocked'
      RETURNING action.chain AS chain, action.stage AS stage`,
    [JSON.stringify(succeeded), now],
  );
  return released.filter(({ stage }) => stage === 'ready').map(({ chain }) => chain);
}

async function dependentsOf(tx: Tx, failed: readonly string[]): Promise<Settlement[]> {
  const rows = await tx.all<{ action_id: string; dependency_id: string }>(
    `SELECT link.action_id, MIN(link.dependency_id) AS dependency_id FROM action_dependency AS link
      JOIN action ON action.id = link.action_id
      WHERE link.dependency_id IN ${textList(tx.dialect, '$1')} AND action.status = 'PENDING'
      GROUP BY link.action_id`,
    [JSON.stringify(failed)],
  );
  return rows.map((row) => dependencyFailed(row.action_id, row.dependency_id));
}

function dependencyFailed(actionId: string, dependency: string): Settlement {
  const problem = new Problem(
    'dependency-failed',
    `The action ${dependency}, which this one depends on, failed.`,
    {
      extensions: { dependency },
    },
  );
  return failure(actionId, false, problem.toDocument());
}
