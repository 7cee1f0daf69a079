import { invalidRequest, unknownSortKey } from '@ledger-ops/base';
import type { SqlValue, Store } from '@ledger-ops/store';
import { signsToo } from '../rows/co-signers.ts';
import { textList } from '../rows/sql.ts';
import type { ChangePlace, WalletActionsQuery } from './types.ts';
import type { Visibility } from './visibility.ts';

type Dialect = Store['dialect'];
/** Adds a parameter to an SQL statement and returns its placeholder. */
export type AddParam = (value: SqlValue) => string;

/**
 * SQL for one column: `own` is the full value, for the caller's own actions; `public` is what the ledger publishes, for
 * other actions.
 */
interface Shown {
  own: string;
  public(param: AddParam, visibility: Visibility): string;
}

const always = (own: string): Shown => ({ own, public: () => own });
const unlessForeign = (own: string, instead: string): Shown => ({ own, public: () => instead });
/** Only the caller that sent the action may see when it was accepted. The time of confirmation is public. */
const created = unlessForeign('action.created_at', 'action.ended_at');
/**
 * Received actions are shown with an id that is derived from the locator, so they are sorted by the locator. Sorting by
 * the internal id would reveal when they were created.
 */
const id = unlessForeign('coalesce(action.given_id, action.id)', 'action.locator');

const shown: Readonly<Record<string, Shown>> = {
  actionId: id,
  contractAddress: always('action.contract_address'),
  createdAt: created,
  dateUpdated: always('action.updated_at'),
  intent: unlessForeign('action.intent', "''"),
  ledgerId: { own: 'action.ledger_id', public: (param, { ledgerId }) => param(ledgerId) },
  locator: always('action.locator'),
  status: always('action.status'),
  tag: unlessForeign('action.tag', 'NULL'),
  txId: always('action.locator'),
  updatedAt: always('action.updated_at'),
  walletId: unlessForeign('action.wallet_id', "''"),
};

export const actionSortKeys: readonly string[] = Object.keys(shown);

export type Express = (one: Shown | undefined) => string;

export function ownCondition({ wallet, senders }: Visibility, param: AddParam, dialect: Dialect): string {
  return senders === 'project'
    ? `action.project_id = ${param(wallet.projectId)}`
    : `(action.wallet_uid IN ${textList(dialect, param(JSON.stringify([wallet.uid, ...senders])))} OR ${signsToo(contains(dialect), wallet.uid, param)})`;
}

/**
 * SQL condition: the action is public. An action without a transaction is not public: its locator is its own id. The
 * chain must also match, because another ledger record with the same id may be on another chain.
 */
export function publicCondition({ wallet, chains }: Visibility, param: AddParam, dialect: Dialect): string {
  const sameChain = `(action.ledger_uid = ${param(wallet.ledgerUid)} OR action.chain IN ${textList(dialect, param(JSON.stringify(chains)))})`;
  return `action.status = 'SUCCEEDED' AND action.locator <> action.id AND ${sameChain}`;
}

export function expression(
  one: Shown | undefined,
  own: string | null,
  param: AddParam,
  visibility: Visibility,
): string {
  if (one === undefined) throw invalidRequest([{ pointer: 'sort', detail: unknownSortKey(actionSortKeys) }]);
  if (own === null) return one.own;
  const foreign = one.public(param, visibility);
  return foreign === one.own ? one.own : `(CASE WHEN ${own} THEN ${one.own} ELSE ${foreign} END)`;
}

export function filtersOf(query: WalletActionsQuery, express: Express, param: AddParam): string[] {
  const filters: [Shown | undefined, '=' | '>=' | '<=', SqlValue | undefined][] = [
    [shown.intent, '=', query.intent],
    [shown.status, '=', query.status],
    [shown.ledgerId, '=', query.ledgerId],
    [shown.tag, '=', query.tag],
    [shown.createdAt, '>=', query.from],
    [shown.createdAt, '<=', query.to],
  ];
  return filters.flatMap(([one, comparison, value]) =>
    value === undefined ? [] : [`${express(one)} ${comparison} ${param(value)}`],
  );
}

export function orderOf({ sort }: WalletActionsQuery, express: Express): string {
  if (sort.length === 0) return `${express(created)} DESC, ${express(id)} DESC`;
  const keys = sort.map(({ key, direction }) => {
    const one = Object.hasOwn(shown, key) ? shown[key] : undefined;
    return `${express(one)} ${direction === 'desc' ? 'DESC' : 'ASC'}`;
  });
  return [...keys, `${express(id)} ASC`].join(', ');
}

export const orderOfChanges = 'action.updated_at, action.id';

/** SQL condition: the action comes after a position in `orderOfChanges`. */
export function changedAfter({ updatedAt, uid }: ChangePlace, param: AddParam): string {
  const at = param(updatedAt);
  return `action.updated_at >= ${at} AND (action.updated_at > ${at} OR action.id > ${param(uid)})`;
}

/** SQL function that returns the position of a substring, case-sensitive. */
export function contains(dialect: Store['dialect']): string {
  return dialect === 'postgres' ? 'strpos' : 'instr';
}
