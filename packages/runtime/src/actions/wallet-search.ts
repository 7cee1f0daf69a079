import { createHash } from 'node:crypto';
import type { Auth, Principal } from '@ledger-ops/auth';
import { invalidRequest, unknownSortKey } from '@ledger-ops/base';
import type { SqlValue, Store } from '@ledger-ops/store';
import { chainBase, isOfChain } from '../engine/rows/chain-key.ts';
import { textList } from '../engine/rows/sql.ts';
import type { Ledgers } from '../open-ledger.ts';
import type { Page } from '../page.ts';
import type { RegistryPort } from '../registry-port.ts';
import type { WalletRow, Wallets } from '../wallets/types.ts';
import { type ActionRow, actionColumns, retractedOf } from './action-row.ts';
import { readableAmong } from './readable.ts';
import { receiverParty } from './send.ts';
import type { ActionView, ChangePlace, WalletActionsQuery } from './types.ts';

export interface WalletSearchOptions {
  store: Store;
  auth: Auth;
  registry: Pick<RegistryPort, 'explorerLink'>;
  wallets: Pick<Wallets, 'demand'>;
  ledgers: Pick<Ledgers, 'open'>;
  /** Actions of wallets that the caller may read, as records. */
  present(principal: Principal, rows: readonly ActionRow[]): Promise<ActionView[]>;
}

/** Decides which actions a search finds, and how much of them it shows. */
interface Sight {
  wallet: WalletRow;
  /** Wallets whose actions are shown whole: this one, and senders that the caller may read. */
  own: readonly string[];
  /** Keys of the wallet's chain as other ledgers' actions have it. */
  chains: readonly string[];
  /** The wallet's ledger, as far as the caller may see it. */
  ledgerId: string | null;
}

/** Columns of a found action, as SQL: all of an own one; of others those that their ledger makes public. */
interface Shown {
  own: string;
  /** @param param adds a parameter to the statement; answers its name */
  public(param: (value: SqlValue) => string, sight: Sight): string;
}

const always = (own: string): Shown => ({ own, public: () => own });
const unlessForeign = (own: string, instead: string): Shown => ({ own, public: () => instead });
/** When its sender made it is the sender's; when its ledger confirmed it, everybody's. */
const created = unlessForeign('action.created_at', 'action.updated_at');
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

/** Finds the actions in which a wallet takes part. */
export function createWalletSearch(options: WalletSearchOptions) {
  const { store, auth, registry, wallets, ledgers, present } = options;
  const { read } = store;
  const listed = (param: string) => textList(read.dialect, param);

  async function byWallet(
    principal: Principal,
    walletId: string,
    query: WalletActionsQuery,
  ): Promise<Page<ActionView>> {
    const wallet = await wallets.demand(principal, 'wallet:read', walletId);
    const sight = await sightOf(principal, wallet, query.ids);
    const params: SqlValue[] = [];
    const param = (value: SqlValue) => `$${params.push(value)}`;
    const own = `action.wallet_uid IN ${listed(param(JSON.stringify(sight.own)))}`;
    // The same account under another ledger id: what only claims to be its chain may be anybody's.
    const sameChain = `(action.ledger_uid = ${param(wallet.ledgerUid)} OR action.chain IN ${listed(param(JSON.stringify(sight.chains)))})`;
    // An action off the ledger is not public; a plugin that tells no transaction has the action's own id there.
    const isPublic = `action.status = 'SUCCEEDED' AND action.locator <> action.id AND ${sameChain}`;
    const received = `party.party = ${param(receiverParty(wallet.chainId, wallet.address))} AND action.wallet_uid <> ${param(wallet.uid)}`;
    const where = [
      `(party.party = ${param(`w:${wallet.uid}`)} OR (${received} AND (${own} OR (${isPublic}))))`,
      ...filtersOf(query, (one) => expression(one, own, param, sight), param),
    ];
    if (query.ids !== undefined) where.push(`action.id IN ${listed(param(JSON.stringify(query.ids)))}`);
    if (query.changedAfter !== undefined) where.push(changedAfter(query.changedAfter, param));
    const from = `FROM action_party AS party JOIN action ON action.id = party.action_id WHERE ${where.join(' AND ')}`;
    const isListed = query.changedAfter === undefined;
    const [count] = isListed
      ? await read.all<{ total: number }>(`SELECT COUNT(*) AS total ${from}`, [...params])
      : [];
    const order = isListed ? orderOf(query, (one) => expression(one, own, param, sight)) : orderOfChanges;
    const rows = await read.all<ActionRow>(
      `SELECT ${actionColumns} ${from} ORDER BY ${order} LIMIT ${query.size} OFFSET ${query.page * query.size}`,
      params,
    );
    return { items: await viewsOf(principal, rows, sight), total: Number(count?.total ?? 0) };
  }

  async function sightOf(
    principal: Principal,
    wallet: WalletRow,
    ids: readonly string[] | undefined,
  ): Promise<Sight> {
    const among = ids === undefined ? '' : ` AND action.id IN ${listed('$3')}`;
    const senders = await read.all<{
      wallet_uid: string;
      project_id: string;
      ledger_uid: string;
      chain: string;
    }>(
      `SELECT DISTINCT action.wallet_uid, action.project_id, action.ledger_uid, action.chain
        FROM action_party AS party JOIN action ON action.id = party.action_id
        WHERE party.party = $1 AND action.wallet_uid <> $2${among}`,
      [
        receiverParty(wallet.chainId, wallet.address),
        wallet.uid,
        ...(ids === undefined ? [] : [JSON.stringify(ids)]),
      ],
    );
    const near = senders.filter(({ project_id }) => project_id === principal.projectUid);
    const readable = await readableAmong(
      auth,
      principal,
      near.map(({ wallet_uid }) => wallet_uid),
    );
    const foreign = senders.filter(({ wallet_uid }) => !readable.has(wallet_uid));
    const elsewhere = foreign.filter(({ ledger_uid }) => ledger_uid !== wallet.ledgerUid);
    const base = elsewhere.length === 0 ? null : await chainOf(wallet);
    const chains = elsewhere.map(({ chain }) => chain);
    const seesLedger =
      foreign.length > 0 && (await auth.decide(principal, ['ledger:read'], wallet.ledgerUid)).result;
    return {
      wallet,
      own: [wallet.uid, ...readable],
      chains: base === null ? [] : chains.filter((one) => isOfChain(one, base)),
      ledgerId: seesLedger ? wallet.ledgerId : null,
    };
  }

  /** Null where it is not known for certain: the ledger cannot be asked, or who answers knows no first block. */
  async function chainOf({ ledgerUid, projectId }: WalletRow): Promise<string | null> {
    try {
      const identity = await (await ledgers.open(ledgerUid, { projectUid: projectId })).chain();
      return identity.genesis === 'remote' ? null : chainBase(identity);
    } catch {
      // Of this ledger's own actions all is shown as ever; those of others when it answers.
      return null;
    }
  }

  async function viewsOf(
    principal: Principal,
    rows: readonly ActionRow[],
    sight: Sight,
  ): Promise<ActionView[]> {
    const own = rows.filter(({ wallet_uid }) => sight.own.includes(wallet_uid));
    const views = new Map((await present(principal, own)).map((view) => [view.uid, view]));
    return await Promise.all(
      rows.map(async (row) => views.get(row.id) ?? (await publicView(principal, row, sight))),
    );
  }

  /** As the ledger itself shows it to everybody, in the words of the wallet's own ledger record. */
  async function publicView(
    { projectUid }: Principal,
    row: ActionRow,
    { wallet, ledgerId }: Sight,
  ): Promise<ActionView> {
    const { id: uid, locator, contract_address, updated_at } = row;
    return {
      uid,
      actionId: receivedId(wallet.uid, locator ?? ''),
      contractAddress: contract_address,
      createdAt: updated_at,
      updatedAt: updated_at,
      dependencies: [],
      intent: '',
      ledgerId,
      locator,
      explorerUrl:
        ledgerId === null || locator === null
          ? null
          : await registry.explorerLink(wallet.ledgerUid, projectUid, locator),
      status: 'SUCCEEDED',
      tag: null,
      context: null,
      walletId: '',
      details: null,
      problem: null,
      retracted: retractedOf(row),
      pending: null,
    };
  }

  return byWallet;
}

/** The order in which actions changed. */
export const orderOfChanges = 'action.updated_at, action.id';

/** SQL: later than a place in that order. */
export function changedAfter({ updatedAt, uid }: ChangePlace, param: (value: SqlValue) => string): string {
  const at = param(updatedAt);
  return `action.updated_at >= ${at} AND (action.updated_at > ${at} OR action.id > ${param(uid)})`;
}

type Express = (one: Shown | undefined) => string;

function expression(
  one: Shown | undefined,
  own: string,
  param: (value: SqlValue) => string,
  sight: Sight,
): string {
  if (one === undefined) throw invalidRequest([{ pointer: 'sort', detail: unknownSortKey(actionSortKeys) }]);
  const foreign = one.public(param, sight);
  return foreign === one.own ? one.own : `(CASE WHEN ${own} THEN ${one.own} ELSE ${foreign} END)`;
}

function filtersOf(
  query: WalletActionsQuery,
  express: Express,
  param: (value: SqlValue) => string,
): string[] {
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

function orderOf({ sort }: WalletActionsQuery, express: Express): string {
  if (sort.length === 0) return `${express(created)} DESC, ${express(id)} DESC`;
  const keys = sort.map(({ key, direction }) => {
    const one = Object.hasOwn(shown, key) ? shown[key] : undefined;
    return `${express(one)} ${direction === 'desc' ? 'DESC' : 'ASC'}`;
  });
  return [...keys, `${express(id)} ASC`].join(', ');
}

/**
 * The id under which a wallet sees an action of a sender that it does not see. It is made of what both know, stays the
 * same, and names nothing else: neither the sender's action nor what another wallet received with it.
 */
function receivedId(walletUid: string, locator: string): string {
  const hex = createHash('sha256').update(`received action\n${walletUid}\n${locator}`).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    // Version 8 of RFC 9562: made in a way of one's own.
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
