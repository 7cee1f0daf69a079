import { createHash } from 'node:crypto';
import type { Auth, Principal } from '@ledger-ops/auth';
import { invalidRequest, type Problem, unknownSortKey } from '@ledger-ops/base';
import type { SqlValue, Store } from '@ledger-ops/store';
import { chainBase, isOfChain } from '../engine/rows/chain-key.ts';
import { taggedParty } from '../engine/rows/listings.ts';
import { textList } from '../engine/rows/sql.ts';
import type { Ledgers } from '../open-ledger.ts';
import type { Page } from '../page.ts';
import type { RegistryPort } from '../registry-port.ts';
import type { WalletRow, Wallets } from '../wallets/types.ts';
import { type ActionRow, actionColumns, retractedOf } from './action-row.ts';
import { createListedPages, type ListedQuery } from './listed-page.ts';
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
  present(rows: readonly ActionRow[]): Promise<ActionView[]>;
}

/** Decides which actions a search finds, and how much of them it shows. */
interface Sight {
  wallet: WalletRow;
  /** Senders whose actions are shown whole, beside the wallet itself: all of the caller's project, or these. */
  own: 'project' | readonly string[];
  /** Keys of the wallet's chain as other ledgers' actions have it. */
  chains: readonly string[];
  /** The wallet's ledger, as far as the caller may see it. */
  ledgerId: string | null;
}

/** A list of the wallet's party; see table `action_listing`. */
interface ListingRow extends Record<string, SqlValue> {
  id: string;
  party: string;
  shown: string;
  project_id: string;
  ledger_uid: string;
  ledger_id: string;
  chain: string;
  status: string;
}

/** Senders of received actions. */
interface SenderRow extends Record<string, SqlValue> {
  wallet_uid: string;
  project_id: string;
  ledger_uid: string;
  chain: string;
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

/** Actions that are looked at one by one for an order that no list has. */
const mostSorted = 5_000;

/** Names that actions can be sorted by. */
export const actionSortKeys: readonly string[] = Object.keys(shown);

/** Finds the actions in which a wallet takes part. */
export function createWalletSearch(options: WalletSearchOptions) {
  const { store, auth, registry, wallets, ledgers, present } = options;
  const { read } = store;
  const pages = createListedPages(read);
  const listed = (param: string) => textList(read.dialect, param);

  async function byWallet(
    principal: Principal,
    walletId: string,
    query: WalletActionsQuery,
  ): Promise<Page<ActionView>> {
    const wallet = await wallets.demand(principal, 'wallet:read', walletId);
    // Few of all actions: they are looked at one by one.
    if (query.ids !== undefined || query.intent !== undefined)
      return await amongFew(principal, wallet, query);
    const listings = await listingsOf(wallet, query.tag);
    const sight = await sightOfLists(principal, wallet, listings);
    if (sight.own !== 'project') return await sorted(principal, sight, listings, query);
    const range = { listings: admitted(listings, sight, query), from: query.from, to: query.to };
    const { page, size } = query;
    const total = await pages.total(range);
    const order = listedOrder(query);
    if (order === undefined) {
      if (total > mostSorted) throw tooManyToSort(total);
      const among = listings.filter((one) => range.listings.includes(one.id));
      return await sorted(principal, sight, among, query);
    }
    const ids =
      page * size >= total ? [] : await pages.page({ ...range, ...order, offset: page * size, size });
    return { items: await viewsOf(principal, await rowsOf(ids), sight), total };
  }

  async function listingsOf(wallet: WalletRow, tag: string | undefined): Promise<ListingRow[]> {
    const parties = [`w:${wallet.uid}`, receiverParty(wallet.chainId, wallet.address)];
    return await read.all<ListingRow>(
      `SELECT id, party, shown, project_id, ledger_uid, ledger_id, chain, status FROM action_listing WHERE party IN ${listed('$1')}`,
      [JSON.stringify(tag === undefined ? parties : parties.map((party) => taggedParty(party, tag)))],
    );
  }

  /** Of senders that the caller's project does not have, only what is public is listed. */
  async function sightOfLists(
    principal: Principal,
    wallet: WalletRow,
    listings: readonly ListingRow[],
  ): Promise<Sight> {
    const received = listings.filter((one) => !isSent(one, wallet));
    const near = received.filter(({ project_id }) => project_id === principal.projectUid);
    const own = near.length === 0 || (await readsProject(principal)) ? 'project' : await readable(near);
    const foreign = received.filter(
      ({ shown: as, project_id }) =>
        as === 'public' && (own !== 'project' || project_id !== principal.projectUid),
    );
    return { wallet, own, ...(await sightOfForeign(principal, wallet, foreign)) };

    async function readable(lists: readonly ListingRow[]): Promise<readonly string[]> {
      const senders = await read.all<{ wallet_uid: string }>(
        `SELECT DISTINCT action.wallet_uid FROM action_listed JOIN action ON action.id = action_listed.action_id
          WHERE action_listed.listing IN ${listed('$1')}`,
        [JSON.stringify(lists.map(({ id: one }) => one))],
      );
      return [
        ...(await readableAmong(
          auth,
          principal,
          senders.map(({ wallet_uid }) => wallet_uid),
        )),
      ];
    }
  }

  /** Who may read a project's wallets by a role on the project or above it may read all of them. */
  async function readsProject(principal: Principal): Promise<boolean> {
    return (await auth.decide(principal, ['wallet:read'], principal.projectUid)).result;
  }

  async function sightOfForeign(
    principal: Principal,
    wallet: WalletRow,
    foreign: readonly { ledger_uid: string; chain: string }[],
  ): Promise<Pick<Sight, 'chains' | 'ledgerId'>> {
    const elsewhere = foreign.filter(({ ledger_uid }) => ledger_uid !== wallet.ledgerUid);
    const base = elsewhere.length === 0 ? null : await chainOf(wallet);
    const chains = [...new Set(elsewhere.map(({ chain }) => chain))];
    const seesLedger =
      foreign.length > 0 && (await auth.decide(principal, ['ledger:read'], wallet.ledgerUid)).result;
    return {
      chains: base === null ? [] : chains.filter((one) => isOfChain(one, base)),
      ledgerId: seesLedger ? wallet.ledgerId : null,
    };
  }

  /** Ids of the lists whose entries are all found. */
  function admitted(listings: readonly ListingRow[], sight: Sight, query: WalletActionsQuery): string[] {
    const { wallet, chains, ledgerId } = sight;
    const found = listings.filter((one) => {
      if (query.status !== undefined && one.status !== query.status) return false;
      if (isSent(one, wallet) || one.project_id === wallet.projectId) {
        return one.shown === 'own' && (query.ledgerId === undefined || one.ledger_id === query.ledgerId);
      }
      return (
        one.shown === 'public' &&
        (one.ledger_uid === wallet.ledgerUid || chains.includes(one.chain)) &&
        (query.ledgerId === undefined || ledgerId === query.ledgerId)
      );
    });
    return found.map(({ id: one }) => one);
  }

  async function rowsOf(ids: readonly string[]): Promise<ActionRow[]> {
    if (ids.length === 0) return [];
    const rows = await read.all<ActionRow>(
      `SELECT ${actionColumns} FROM action WHERE action.id IN ${listed('$1')}`,
      [JSON.stringify(ids)],
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.flatMap((one) => byId.get(one) ?? []);
  }

  /** By ids or by an intent. */
  async function amongFew(
    principal: Principal,
    wallet: WalletRow,
    query: WalletActionsQuery,
  ): Promise<Page<ActionView>> {
    const params: SqlValue[] = [];
    const param = (value: SqlValue) => `$${params.push(value)}`;
    const itself = param(wallet.uid);
    const few =
      query.ids === undefined
        ? `action.intent = ${param(query.intent ?? '')} AND action.project_id = ${param(principal.projectUid)}`
        : `action.id IN ${listed(param(JSON.stringify(query.ids)))}`;
    if (!(await everReceived(wallet))) {
      const sight: Sight = { wallet, own: [], chains: [], ledgerId: null };
      const where = [few, `action.wallet_uid = ${itself}`];
      return await select(principal, sight, { from: 'action', where, isOwn: null, params }, query);
    }
    const receives = `${contains(read.dialect)}(action.receivers, ${param(JSON.stringify(receiverParty(wallet.chainId, wallet.address)))}) > 0`;
    const senders = await read.all<SenderRow>(
      `SELECT DISTINCT wallet_uid, project_id, ledger_uid, chain FROM action
        WHERE ${few} AND ${receives} AND action.wallet_uid <> ${itself}`,
      [...params],
    );
    const near = senders.filter(({ project_id }) => project_id === principal.projectUid);
    const readable = await readableAmong(
      auth,
      principal,
      near.map(({ wallet_uid }) => wallet_uid),
    );
    const foreign = senders.filter(({ wallet_uid }) => !readable.has(wallet_uid));
    const sight = { wallet, own: [...readable], ...(await sightOfForeign(principal, wallet, foreign)) };
    const isOwn = ownCondition(sight, param);
    const where = [
      few,
      `(action.wallet_uid = ${itself} OR (${receives} AND (${isOwn} OR (${publicCondition(sight, param)}))))`,
    ];
    return await select(principal, sight, { from: 'action', where, isOwn, params }, query);
  }

  async function everReceived(wallet: WalletRow): Promise<boolean> {
    const party = receiverParty(wallet.chainId, wallet.address);
    return (await read.all('SELECT id FROM action_listing WHERE party = $1 LIMIT 1', [party])).length > 0;
  }

  /** Found among all of the wallet's actions: what no list has in its order, or who sees some senders of a project only. */
  async function sorted(
    principal: Principal,
    sight: Sight,
    listings: readonly ListingRow[],
    query: WalletActionsQuery,
  ): Promise<Page<ActionView>> {
    const params: SqlValue[] = [];
    const param = (value: SqlValue) => `$${params.push(value)}`;
    const near = listings.filter(
      (one) =>
        one.shown === 'own' && (isSent(one, sight.wallet) || one.project_id === sight.wallet.projectId),
    );
    const far = listings.filter(
      ({ shown: as, project_id }) => as === 'public' && project_id !== sight.wallet.projectId,
    );
    const ids = JSON.stringify([...near, ...far].map(({ id: one }) => one));
    const isOwn = ownCondition(sight, param);
    const where = [
      `entry.listing IN ${listed(param(ids))}`,
      `(${isOwn} OR (${publicCondition(sight, param)}))`,
    ];
    if (sight.own === 'project') {
      // Entries stand where the caller is shown them.
      if (query.from !== undefined) where.push(`entry.at >= ${param(query.from)}`);
      if (query.to !== undefined) where.push(`entry.at <= ${param(query.to)}`);
    }
    const from = 'action_listed AS entry JOIN action ON action.id = entry.action_id';
    return await select(principal, sight, { from, where, isOwn, params }, query);
  }

  function ownCondition({ wallet, own }: Sight, param: (value: SqlValue) => string): string {
    return own === 'project'
      ? `action.project_id = ${param(wallet.projectId)}`
      : `action.wallet_uid IN ${listed(param(JSON.stringify([wallet.uid, ...own])))}`;
  }

  /**
   * An action off the ledger is not public; a plugin that tells no transaction has the action's own id there. The same
   * account under another ledger id: what only claims to be its chain may be anybody's.
   */
  function publicCondition({ wallet, chains }: Sight, param: (value: SqlValue) => string): string {
    const sameChain = `(action.ledger_uid = ${param(wallet.ledgerUid)} OR action.chain IN ${listed(param(JSON.stringify(chains)))})`;
    return `action.status = 'SUCCEEDED' AND action.locator <> action.id AND ${sameChain}`;
  }

  async function select(
    principal: Principal,
    sight: Sight,
    { from, where, isOwn, params }: Selection,
    query: WalletActionsQuery,
  ): Promise<Page<ActionView>> {
    const param = (value: SqlValue) => `$${params.push(value)}`;
    const express: Express = (one) => expression(one, isOwn, param, sight);
    const conditions = [...where, ...filtersOf(query, express, param)];
    if (query.changedAfter !== undefined) conditions.push(changedAfter(query.changedAfter, param));
    const found = `FROM ${from} WHERE ${conditions.join(' AND ')}`;
    const isListed = query.changedAfter === undefined;
    const [count] = isListed
      ? await read.all<{ total: number }>(`SELECT COUNT(*) AS total ${found}`, [...params])
      : [];
    const order = isListed ? orderOf(query, express) : orderOfChanges;
    const rows = await read.all<ActionRow>(
      `SELECT ${actionColumns} ${found} ORDER BY ${order} LIMIT ${query.size} OFFSET ${query.page * query.size}`,
      params,
    );
    return { items: await viewsOf(principal, rows, sight), total: Number(count?.total ?? 0) };
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
    const { wallet, own: senders } = sight;
    const own = rows.filter(({ wallet_uid, project_id }) =>
      senders === 'project'
        ? project_id === wallet.projectId
        : wallet_uid === wallet.uid || senders.includes(wallet_uid),
    );
    const views = new Map((await present(own)).map((view) => [view.uid, view]));
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
    const { id: uid, locator, contract_address, updated_at, ended_at } = row;
    return {
      uid,
      actionId: receivedId(wallet.uid, locator ?? ''),
      contractAddress: contract_address,
      createdAt: ended_at ?? updated_at,
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

/** Part of a statement: where actions are looked for, and which of them are shown whole. */
interface Selection {
  from: string;
  where: readonly string[];
  /** Condition: it is shown whole; null: all that is found is. */
  isOwn: string | null;
  params: SqlValue[];
}

function isSent({ party }: ListingRow, { uid }: WalletRow): boolean {
  return party === `w:${uid}` || party.startsWith(`w:${uid}#`);
}

/** SQL function: where a text has another one, by case. */
export function contains(dialect: Store['dialect']): string {
  return dialect === 'postgres' ? 'strpos' : 'instr';
}

function tooManyToSort(total: number): Problem {
  const detail = `sorts at most ${mostSorted} actions by anything but createdAt, and there are ${total}: narrow them with status, ledgerId, tag, from or to`;
  return invalidRequest([{ pointer: 'sort', detail }]);
}

/** The order that lists are in, where the query asks for it. */
function listedOrder({ sort }: WalletActionsQuery): Pick<ListedQuery, 'at' | 'name'> | undefined {
  const [only, ...others] = sort;
  if (only === undefined) return { at: 'DESC', name: 'DESC' };
  if (only.key !== 'createdAt' || others.length > 0) return undefined;
  return { at: only.direction === 'desc' ? 'DESC' : 'ASC', name: 'ASC' };
}

function expression(
  one: Shown | undefined,
  own: string | null,
  param: (value: SqlValue) => string,
  sight: Sight,
): string {
  if (one === undefined) throw invalidRequest([{ pointer: 'sort', detail: unknownSortKey(actionSortKeys) }]);
  if (own === null) return one.own;
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
