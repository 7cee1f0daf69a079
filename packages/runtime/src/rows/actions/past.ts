import type { Outcome } from '@ledger-ops/adapter';
import type { Store } from '@ledger-ops/store';
import type { ActionView } from '../../actions/types.ts';
import type { OpenLedger } from '../../open-ledger.ts';
import { textList } from '../sql.ts';

/** Told of an action whose end the ledger does not show any more. */
export type Retracted = NonNullable<ActionView['retracted']>;

/** An action that has ended, with its transactions, whose bytes are kept. */
export interface PastAction {
  id: string;
  status: string;
  /** The transaction that the ledger took; null: none of them. */
  locator: string | null;
  address: string;
  shard: number;
  isRetracted: boolean;
  attempts: {
    txId: string;
    kind: string;
    sequence: number | null;
    note: string | null;
    validUntil: number | null;
  }[];
}

/** How far a shard's past actions were read, the last that ended first. */
export interface PastPlace {
  settledAt: number;
  id: string;
}

/**
 * Condition: the transaction by which an action is counted. One without a sequence is sent again and executed whenever its
 * chain loses it, unless it expires.
 */
const counted = `CASE WHEN attempt.sequence IS NOT NULL THEN attempt.n = 0 ELSE attempt.valid_until IS NOT NULL
        AND attempt.n = (SELECT MAX(other.n) FROM attempt AS other WHERE other.action_id = attempt.action_id) END`;

/** The ledger's past actions of a shard, of this plugin and of those that no other tracker follows. */
export async function readPast(
  store: Store,
  { chain, open }: { readonly chain: string; readonly open: Pick<OpenLedger, 'record'> },
  shard: number,
  otherPlugins: readonly string[],
  before: PastPlace | null,
  limit: number,
): Promise<{ actions: PastAction[]; last: PastPlace | null }> {
  const places = await store.read.all<{ id: string; settled_at: number }>(
    `SELECT action.id, attempt.settled_at FROM attempt JOIN action ON action.id = attempt.action_id
      WHERE attempt.chain = $1 AND attempt.shard = $2 AND attempt.bytes IS NOT NULL AND ${counted}
      AND attempt.settled_at <= $3 AND (attempt.settled_at < $3 OR action.id < $4)
      AND action.status <> 'PENDING' AND action.ledger_uid = $5
      AND (action.plugin IS NULL OR action.plugin NOT IN ${textList(store.dialect, '$6')})
      ORDER BY attempt.settled_at DESC, action.id DESC LIMIT $7`,
    [
      chain,
      shard,
      before?.settledAt ?? Number.MAX_SAFE_INTEGER,
      before?.id ?? '',
      open.record.uid,
      JSON.stringify(otherPlugins),
      limit,
    ],
  );
  const last = places.at(-1);
  return {
    actions: await readAttempts(
      store,
      chain,
      places.map(({ id }) => id),
    ),
    last: last === undefined ? null : { settledAt: last.settled_at, id: last.id },
  };
}

async function readAttempts(store: Store, chain: string, ids: readonly string[]): Promise<PastAction[]> {
  if (ids.length === 0) return [];
  const rows = await store.read.all<{
    id: string;
    status: string;
    locator: string | null;
    address: string;
    shard: number;
    retracted: string | null;
    tx_id: string;
    kind: string;
    sequence: number | null;
    note: string | null;
    valid_until: number | null;
  }>(
    `SELECT action.id, action.status, action.locator, action.address, action.shard, action.retracted,
      attempt.tx_id, attempt.kind, attempt.sequence, attempt.note, attempt.valid_until FROM attempt JOIN action ON action.id = attempt.action_id
      WHERE attempt.action_id IN ${textList(store.dialect, '$1')} AND attempt.chain = $2 AND attempt.kind <> 'filler'
      ORDER BY attempt.n`,
    [JSON.stringify(ids), chain],
  );
  const found = new Map<string, PastAction>();
  for (const { tx_id: txId, kind, sequence, note, valid_until: validUntil, retracted, ...row } of rows) {
    const action = found.get(row.id) ?? { ...row, isRetracted: retracted !== null, attempts: [] };
    action.attempts.push({ txId, kind, sequence, note, validUntil });
    found.set(row.id, action);
  }
  return [...found.values()];
}

/** One transaction at depth, as the ledger shows it. */
export type Shown = Pick<Outcome, 'status'> & { by?: string };

/**
 * Whether the ledger still shows what an action ended with: null when it does, what is told when it does not, and
 * undefined when that cannot be said yet.
 */
export function comparePast(
  action: PastAction,
  shown: ReadonlyMap<string, Shown>,
  at: number,
): Retracted | null | undefined {
  const { status, locator, attempts } = action;
  for (const { txId, kind } of attempts) {
    const is = shown.get(txId)?.status;
    if (is !== 'succeeded' && is !== 'failed') continue;
    const executed = is === 'succeeded' && kind !== 'noop';
    if (executed === (status === 'SUCCEEDED')) return null;
    const now = executed ? 'was executed' : is === 'failed' ? 'failed' : 'only closed its nonce';
    return {
      at,
      by: txId,
      detail: `The ledger took back the blocks that this action ended with. In those that stand in their place its transaction ${txId} ${now}.`,
    };
  }
  const said = attempts.map(({ txId }) => shown.get(txId)?.status);
  if (said.some((one) => one !== 'superseded' && one !== 'expired' && one !== 'continue')) return undefined;
  // Nothing of it was ever executed.
  if (locator === null) return null;
  const undone = 'What the action did there is undone; send it again if it is still wanted.';
  if (!said.includes('superseded')) {
    const detail = `The ledger took back the block of the transaction ${locator}, and does not have it in those that stand in its place, nor will it any more: its time has passed. ${undone}`;
    return { at, detail };
  }
  const by = attempts.map(({ txId }) => shown.get(txId)?.by).find((one) => one !== undefined);
  const sequence = attempts[0]?.sequence;
  return {
    at,
    ...(by === undefined ? {} : { by }),
    detail: `The ledger took back the block of the transaction ${locator}, and another transaction${by === undefined ? '' : `, ${by},`} took its nonce ${sequence} since. ${undone}`,
  };
}
