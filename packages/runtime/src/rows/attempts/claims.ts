import type { ClaimingTransaction } from '@ledger-ops/adapter';
import { type Queries, readJson, type Tx } from '@ledger-ops/store';
import type { Attempt } from '../model.ts';
import { among, rowset } from '../sql.ts';

/** An action and its transactions that hold claims. */
export interface ClaimingAction {
  readonly actionId: string;
  readonly attempts: readonly Pick<Attempt, 'claims'>[];
}

function claimsOf({ attempts }: ClaimingAction): string[] {
  return [...new Set(attempts.flatMap(({ claims = [] }) => claims))];
}

/** Returns a transaction and its claims in the form of requests to adapters. */
export function claimingOf({ txId, claims = [] }: Pick<Attempt, 'txId' | 'claims'>): ClaimingTransaction {
  return { txId, claims };
}

/** Whether all of these transactions share a claim, so that at most one of them can be executed. */
export function areExclusive(attempts: readonly Pick<Attempt, 'claims'>[]): boolean {
  const [first, ...others] = attempts.map(({ claims = [] }) => claims);
  return others.length === 0 || first?.some((claim) => others.every((all) => all.includes(claim))) === true;
}

async function readHolders(
  read: Queries,
  chain: string,
  claims: readonly string[],
): Promise<Map<string, string>> {
  if (claims.length === 0) return new Map();
  const rows = await read.all<{ claim: string; action_id: string }>(
    `SELECT claim, action_id FROM claim WHERE chain = $1 AND ${among(read.dialect, 'claim', '$2')}`,
    [chain, JSON.stringify(claims)],
  );
  return new Map(rows.map(({ claim, action_id }) => [claim, action_id]));
}

/**
 * Returns the ids of the actions that cannot be stored because a claim of theirs is taken, by a stored action or by an
 * earlier action of the list that can be stored.
 */
export async function readClaimed(
  read: Queries,
  chain: string,
  actions: readonly ClaimingAction[],
): Promise<Set<string>> {
  const holders = await readHolders(read, chain, actions.flatMap(claimsOf));
  const claimed = new Set<string>();
  for (const action of actions) {
    const { actionId } = action;
    const claims = claimsOf(action);
    if (claims.some((claim) => (holders.get(claim) ?? actionId) !== actionId)) claimed.add(actionId);
    else for (const claim of claims) holders.set(claim, actionId);
  }
  return claimed;
}

/**
 * Stores the claims of new attempts.
 * @throws StoreError `constraint` if another action holds one of them
 */
export async function insertClaims(tx: Tx, chain: string, actions: readonly ClaimingAction[]): Promise<void> {
  const claims = actions.flatMap(claimsOf);
  if (claims.length === 0) return;
  const holders = await readHolders(tx, chain, claims);
  const rows = actions.flatMap((action) =>
    claimsOf(action)
      .filter((claim) => holders.get(claim) !== action.actionId)
      .map((claim) => ({ claim, action_id: action.actionId })),
  );
  // Claims are inserted in a fixed order, so that two transactions with the same claims do not deadlock.
  await tx.run(
    `INSERT INTO claim (chain, claim, action_id) SELECT $2, j.claim, j.action_id
      FROM ${rowset(tx.dialect, '$1', { claim: 'text', action_id: 'text' })} WHERE true ORDER BY j.claim`,
    [JSON.stringify(rows), chain],
  );
}

/** SQL: the claims of an attempt, as rows with the alias `named`. */
export function namedClaims(dialect: Queries['dialect']): string {
  return dialect === 'postgres'
    ? 'jsonb_array_elements_text(attempt.claims::jsonb) AS named(value)'
    : 'json_each(attempt.claims) AS named';
}

/**
 * Releases the claims of actions without unsettled attempts. The claims of executed transactions are kept, because
 * these transactions are resent if a reorg removes them.
 */
export async function releaseClaims(tx: Tx, actionIds: readonly string[]): Promise<void> {
  if (actionIds.length === 0) return;
  await tx.run(
    `DELETE FROM claim WHERE ${among(tx.dialect, 'action_id', '$1')} AND NOT EXISTS (
      SELECT 1 FROM attempt JOIN action ON action.id = attempt.action_id
      WHERE attempt.action_id = claim.action_id AND attempt.tx_id = action.locator
      AND claim.claim IN (SELECT named.value FROM ${namedClaims(tx.dialect)}))`,
    [JSON.stringify(actionIds)],
  );
}

/**
 * Releases the claims of actions whose transaction bytes were all deleted, because a transaction cannot be
 * resent without its bytes.
 */
export async function releaseForgotten(tx: Tx): Promise<void> {
  await tx.run(
    `DELETE FROM claim WHERE NOT EXISTS (
      SELECT 1 FROM attempt WHERE attempt.action_id = claim.action_id AND attempt.bytes IS NOT NULL)`,
  );
}

/** Returns the account's unsettled transactions that hold claims, except those of one action. */
export async function readUnsettled(
  read: Queries,
  { chain, shard, address }: { chain: string; shard: number; address: string },
  exceptActionId: string,
): Promise<ClaimingTransaction[]> {
  const rows = await read.all<{ tx_id: string; claims: string }>(
    `SELECT tx_id, claims FROM attempt WHERE chain = $1 AND shard = $2 AND settled_at IS NULL
      AND bytes IS NOT NULL AND claims IS NOT NULL AND address = $3 AND action_id <> $4 ORDER BY tx_id`,
    [chain, shard, address, exceptActionId],
  );
  return rows.map(ofRow);
}

/** Returns the ids of the transactions that these attempts need. */
export function neededBy(attempts: Iterable<Pick<Attempt, 'needs'>>): string[] {
  return [...attempts].flatMap(({ needs = [] }) => needs.map(({ txId }) => txId));
}

/**
 * Returns the ids of actions that depend on a transaction that was replaced in the meantime or can no longer be
 * executed.
 */
export async function readOvertaken(
  read: Queries,
  chain: string,
  actions: readonly { readonly actionId: string; readonly attempts: readonly Pick<Attempt, 'needs'>[] }[],
): Promise<Set<string>> {
  const needs = neededBy(actions.flatMap(({ attempts }) => attempts));
  if (needs.length === 0) return new Set();
  const lost = await readLostForever(read, chain, needs);
  const rows = await read.all<{ tx_id: string }>(
    `SELECT DISTINCT attempt.tx_id FROM attempt JOIN attempt AS later ON later.action_id = attempt.action_id
      WHERE attempt.chain = $1 AND ${among(read.dialect, 'attempt.tx_id', '$2')} AND attempt.settled_at IS NULL
      AND later.n > attempt.n`,
    [chain, JSON.stringify(needs)],
  );
  const overtaken = new Set([...lost, ...rows.map(({ tx_id }) => tx_id)]);
  const isOvertaken = ({ attempts }: { readonly attempts: readonly Pick<Attempt, 'needs'>[] }) =>
    neededBy(attempts).some((txId) => overtaken.has(txId));
  return new Set(actions.filter(isOvertaken).map(({ actionId }) => actionId));
}

/** Of these transactions, returns the ids of those whose actions completed without them or were retracted. */
export async function readLostForever(
  read: Queries,
  chain: string,
  txIds: readonly string[],
): Promise<Set<string>> {
  if (txIds.length === 0) return new Set();
  const rows = await read.all<{ tx_id: string }>(
    `SELECT attempt.tx_id FROM attempt JOIN action ON action.id = attempt.action_id
      WHERE attempt.chain = $1 AND ${among(read.dialect, 'attempt.tx_id', '$2')} AND action.status <> 'PENDING'
      AND (action.locator IS NULL OR action.locator <> attempt.tx_id OR action.retracted IS NOT NULL)`,
    [chain, JSON.stringify(txIds)],
  );
  return new Set(rows.map(({ tx_id }) => tx_id));
}

/** Returns the ids of transactions that unsettled transactions of these shards need. */
export async function readNeeded(
  read: Queries,
  chain: string,
  shards: ReadonlySet<number>,
): Promise<Set<string>> {
  const rows = await read.all<{ needs: string }>(
    `SELECT needs FROM attempt WHERE chain = $1 AND shard IN (${[...shards].join(', ')}) AND settled_at IS NULL
      AND bytes IS NOT NULL AND needs IS NOT NULL`,
    [chain],
  );
  return new Set(neededBy(rows.map(({ needs }) => ({ needs: readJson<ClaimingTransaction[]>(needs) }))));
}

/** Returns the transactions of the actions that hold one of these claims. */
export async function readHoldersOf(
  read: Queries,
  chain: string,
  claims: readonly string[],
): Promise<ClaimingTransaction[]> {
  const rows = await read.all<{ tx_id: string; claims: string }>(
    `SELECT DISTINCT attempt.tx_id, attempt.claims FROM claim JOIN attempt ON attempt.action_id = claim.action_id
      WHERE claim.chain = $1 AND ${among(read.dialect, 'claim.claim', '$2')}
      AND attempt.bytes IS NOT NULL AND attempt.claims IS NOT NULL`,
    [chain, JSON.stringify(claims)],
  );
  return rows.map(ofRow);
}

const ofRow = ({ tx_id, claims }: { tx_id: string; claims: string }): ClaimingTransaction => ({
  txId: tx_id,
  claims: readJson<string[]>(claims),
});
