import { invalidRequest, unknownSortKey } from '@ledger-ops/base';
import type { SqlValue, Store } from '@ledger-ops/store';
import { signsToo } from '../rows/co-signers.ts';
import { textList } from '../rows/sql.ts';
import type { Sight } from './sight.ts';
import type { ChangePlace, WalletActionsQuery } from './types.ts';

type Dialect = Store['dialect'];
/** Adds a parameter to the statement; answers its name. */
export type AddParam = (value: SqlValue) => string;

/** Columns of a found action, as SQL: all of an own one; of others those that their ledger makes public. */
interface Shown {
  own: string;
  public(param: AddParam, sight: Sight): string;
}

const always = (own: string): Shown => ({ own, public: () => own });
const unlessForeign = (own: string, instead: string): Shown => ({ own, public: () => instead });
/** When its sender made it is the sender's; when its ledger confirmed it, everybody's. */
const created = unlessForeign('action.created_at', 'action.ended_at');
/** The id that is shown is made from the locator; an order of our own ids would tell when they were made. */
const id = unlessForeign('coalesce(action.given_id, action.id)', 'action.locator');

/** Names that actions can be sorted by, and what they stand for. */
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

/** Names that actions can be sorted by. */
export const actionSortKeys: readonly string[] = Object.keys(shown);

export type Express = (one: Shown | undefined) => string;

export function ownCondition({ wallet, own }: Sight, param: AddParam, dialect: Dialect): string {
  return own === 'project'
    ? `action.project_id = ${param(wallet.projectId)}`
    : `(action.wallet_uid IN ${textList(dialect, param(JSON.stringify([wallet.uid, ...own])))} OR ${signsToo(contains(dialect), wallet.uid, param)})`;
}

/**
 * An action off the ledger is not public; a plugin that tells no transaction has the action's own id there. The same
 * account under another ledger id: what only claims to be its chain may be anybody's.
 */
export function publicCondition({ wallet, chains }: Sight, param: AddParam, dialect: Dialect): string {
  const sameChain = `(action.ledger_uid = ${param(wallet.ledgerUid)} OR action.chain IN ${textList(dialect, param(JSON.stringify(chains)))})`;
  return `action.status = 'SUCCEEDED' AND action.locator <> action.id AND ${sameChain}`;
}

export function expression(
  one: Shown | undefined,
  own: string | null,
  param: AddParam,
  sight: Sight,
): string {
  if (one === undefined) throw invalidRequest([{ pointer: 'sort', detail: unknownSortKey(actionSortKeys) }]);
  if (own === null) return one.own;
  const foreign = one.public(param, sight);
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

/** The order in which actions changed. */
export const orderOfChanges = 'action.updated_at, action.id';

/** SQL: later than a place in that order. */
export function changedAfter({ updatedAt, uid }: ChangePlace, param: AddParam): string {
  const at = param(updatedAt);
  return `action.updated_at >= ${at} AND (action.updated_at > ${at} OR action.id > ${param(uid)})`;
}

/** SQL function: where a text has another one, by case. */
export function contains(dialect: Store['dialect']): string {
  return dialect === 'postgres' ? 'strpos' : 'instr';
}
