import type { ClaimingTransaction, Outcome } from '@ledger-ops/adapter';
import { plainWords } from '@ledger-ops/adapter/words';
import { readJson, type Store } from '@ledger-ops/store';
import type { ActionView } from '../../actions/types.ts';
import type { OpenLedger } from '../../open-ledger.ts';
import { textList } from '../sql.ts';

/** Maximum length of a claim quoted in a message. */
const longestClaim = 200;

/** Why and when an action was retracted, because the ledger no longer contained its outcome. */
export type Retracted = NonNullable<ActionView['retracted']>;

/** A finished action with its transactions, whose bytes are still stored. */
export interface PastAction {
  id: string;
  status: string;
  /** Id of the executed transaction; null if none was executed. */
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
    claims: readonly string[] | null;
    needs: readonly ClaimingTransaction[] | null;
  }[];
}

/** Position in a shard's finished actions, which are read backward, starting with the last settled one. */
export interface PastPlace {
  readonly settledAt: number;
  readonly id: string;
}

/**
 * The finished actions of a shard that were settled before `before` (null: no limit) and not before `until` (null: no
 * limit).
 */
export interface PastRange {
  readonly shard: number;
  readonly before: PastPlace | null;
  readonly until: PastPlace | null;
}

/**
 * SQL condition: selects one attempt per past action. An attempt without a sequence is selected only if it expires or
 * holds claims. Other attempts without a sequence need no comparison: if a reorg removes them, they are resent and
 * executed again.
 */
const counted = `CASE WHEN attempt.sequence IS NOT NULL THEN attempt.kind IN ('main', 'outside') AND NOT EXISTS (SELECT 1 FROM attempt AS later
          WHERE later.action_id = attempt.action_id AND later.n > attempt.n AND later.kind IN ('main', 'outside'))
        ELSE (attempt.valid_until IS NOT NULL OR attempt.claims IS NOT NULL) AND attempt.n = (SELECT MAX(other.n) FROM attempt AS other WHERE other.action_id = attempt.action_id) END`;

/**
 * Reads the next finished actions of a ledger in each range, except those of plugins that other trackers follow.
 *
 * @param limit maximum number of actions per range
 * @returns the actions, and the rest of each range, which is null if the range is complete
 */
export async function readPast(
  store: Store,
  ledger: { readonly chain: string; readonly open: Pick<OpenLedger, 'record'> },
  ranges: readonly PastRange[],
  otherPlugins: readonly string[],
  limit: number,
): Promise<{ actions: PastAction[]; rest: Map<PastRange, PastRange | null> }> {
  const ids: string[] = [];
  const rest = new Map<PastRange, PastRange | null>();
  for (const range of ranges) {
    const places = await readPlaces(store, ledger, range, otherPlugins, limit);
    const last = places.at(-1);
    ids.push(...places.map(({ id }) => id));
    rest.set(range, last === undefined || places.length < limit ? null : { ...range, before: last });
  }
  return { actions: await readAttempts(store, ledger.chain, ids), rest };
}

async function readPlaces(
  store: Store,
  { chain, open }: { readonly chain: string; readonly open: Pick<OpenLedger, 'record'> },
  { shard, before, until }: PastRange,
  otherPlugins: readonly string[],
  limit: number,
): Promise<PastPlace[]> {
  const rows = await store.read.all<{ id: string; settled_at: number }>(
    `SELECT action.id, attempt.settled_at FROM attempt JOIN action ON action.id = attempt.action_id
      WHERE attempt.chain = $1 AND attempt.shard = $2 AND attempt.bytes IS NOT NULL AND ${counted}
      AND attempt.settled_at <= $3 AND (attempt.settled_at < $3 OR action.id < $4)
      AND attempt.settled_at >= $5 AND (attempt.settled_at > $5 OR action.id >= $6)
      AND action.status <> 'PENDING' AND action.ledger_uid = $7
      AND (action.plugin IS NULL OR action.plugin NOT IN ${textList(store.dialect, '$8')})
      ORDER BY attempt.settled_at DESC, action.id DESC LIMIT $9`,
    [
      chain,
      shard,
      before?.settledAt ?? Number.MAX_SAFE_INTEGER,
      before?.id ?? '',
      until?.settledAt ?? 0,
      until?.id ?? '',
      open.record.uid,
      JSON.stringify(otherPlugins),
      limit,
    ],
  );
  return rows.map(({ id, settled_at }) => ({ id, settledAt: settled_at }));
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
    claims: string | null;
    needs: string | null;
  }>(
    `SELECT action.id, action.status, action.locator, action.address, action.shard, action.retracted,
      attempt.tx_id, attempt.kind, attempt.sequence, attempt.note, attempt.valid_until,
      attempt.claims, attempt.needs FROM attempt JOIN action ON action.id = attempt.action_id
      WHERE attempt.action_id IN ${textList(store.dialect, '$1')} AND attempt.chain = $2 AND attempt.kind <> 'filler'
      ORDER BY attempt.n`,
    [JSON.stringify(ids), chain],
  );
  const found = new Map<string, PastAction>();
  for (const row of rows) {
    const { id, status, locator, address, shard, retracted, tx_id: txId, kind, sequence, note } = row;
    const action = found.get(id) ?? {
      ...{ id, status, locator, address, shard },
      isRetracted: retracted !== null,
      attempts: [],
    };
    action.attempts.push({
      ...{ txId, kind, sequence, note, validUntil: row.valid_until },
      claims: readJson<string[]>(row.claims),
      needs: readJson<ClaimingTransaction[]>(row.needs),
    });
    found.set(id, action);
  }
  return [...found.values()];
}

/**
 * What the ledger reports about a transaction that has an outcome. `needs` is a transaction that it needs and that can
 * no longer be executed.
 */
export type Shown = Pick<Outcome, 'status'> & { claim?: string; by?: string; needs?: string };

/**
 * Compares the outcome of a finished action with the ledger. Returns null if the ledger still contains the outcome, the
 * reason if it does not, and undefined if this is not known yet.
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
    const now = executed ? 'was executed' : is === 'failed' ? 'failed' : 'only used its nonce';
    return {
      at,
      by: txId,
      detail: `The ledger removed the block with the result of this action. In the block that replaced it, the transaction ${txId} of the action ${now}.`,
    };
  }
  const said = attempts.map(({ txId }) => shown.get(txId)?.status);
  if (said.some((one) => one !== 'superseded' && one !== 'expired' && one !== 'continue')) return undefined;
  // The action failed without a transaction on the ledger, and the ledger still contains none.
  if (locator === null) return null;
  const undone = 'The effect of the action is undone. Send it again if it is still needed.';
  if (!said.includes('superseded')) {
    const detail = `The ledger removed the block of the transaction ${locator}, and the transaction has expired, so it cannot be included again. ${undone}`;
    return { at, detail };
  }
  // The conflict of the executed transaction explains best why its effect was undone.
  const ofExecuted = shown.get(locator);
  const conflict =
    ofExecuted?.status === 'superseded'
      ? ofExecuted
      : attempts.flatMap(({ txId }) => shown.get(txId) ?? []).find(({ status }) => status === 'superseded');
  const removed = `The ledger removed the block of the transaction ${locator}`;
  if (conflict?.needs !== undefined)
    return {
      at,
      detail: `${removed}, and the transaction ${plainWords(conflict.needs, longestClaim)}, whose result it spends, can no longer be executed. ${undone}`,
    };
  const by = conflict?.by;
  const sequence = attempts[0]?.sequence ?? null;
  const isOwn = attempts.some(({ claims }) => claims?.includes(conflict?.claim ?? '') === true);
  return {
    at,
    ...(by === undefined ? {} : { by }),
    detail: `${removed}, and another transaction${by === undefined ? '' : `, ${by},`} has used ${claimText(sequence, conflict?.claim, isOwn)}. ${undone}`,
  };
}

/** Returns a phrase for users that names the nonce or claim that another transaction used. */
function claimText(sequence: number | null, claim: string | undefined, isOwn: boolean): string {
  if (sequence !== null) return `its nonce ${sequence}`;
  if (claim === undefined) return 'the coins that this action spends';
  const name = plainWords(claim, longestClaim);
  return isOwn
    ? `${name}, which this action spends`
    : `${name}, which is spent by a transaction that this action depends on`;
}
