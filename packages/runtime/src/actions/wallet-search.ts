import { createHash } from 'node:crypto';
import type { Auth, Principal } from '@ledger-ops/auth';
import { invalidRequest, type Problem } from '@ledger-ops/base';
import type { SqlValue, Store } from '@ledger-ops/store';
import type { Ledgers } from '../open-ledger.ts';
import type { Page } from '../page.ts';
import type { RegistryPort } from '../registry-port.ts';
import { taggedParty } from '../rows/actions/listings.ts';
import { coSignerParty, coSignersOf, signsToo } from '../rows/co-signers.ts';
import { among } from '../rows/sql.ts';
import type { WalletRow, Wallets } from '../wallets/types.ts';
import { type ActionRow, actionColumns, retractedOf } from './action-row.ts';
import { createListedPages, type ListedQuery } from './listed-page.ts';
import { readableAmong } from './readable.ts';
import { receiverParty } from './send.ts';
import {
  changedAfter,
  contains,
  type Express,
  expression,
  filtersOf,
  orderOf,
  orderOfChanges,
  ownCondition,
  publicCondition,
} from './shown-columns.ts';
import { admitted, createSights, isSent, type ListingRow, type Sight } from './sight.ts';
import type { ActionView, WalletActionsQuery } from './types.ts';

export interface WalletSearchOptions {
  store: Store;
  auth: Auth;
  registry: Pick<RegistryPort, 'explorerLink'>;
  wallets: Pick<Wallets, 'demand'>;
  ledgers: Pick<Ledgers, 'open'>;
  /** Actions of wallets that the caller may read, as records. */
  present(rows: readonly ActionRow[]): Promise<ActionView[]>;
}

/** Senders of received actions. */
interface SenderRow extends Record<string, SqlValue> {
  wallet_uid: string;
  project_id: string;
  ledger_uid: string;
  chain: string;
}

/** Actions that are looked at one by one for an order that no list has. */
const mostSorted = 5_000;

/** Finds the actions in which a wallet takes part. */
export function createWalletSearch(options: WalletSearchOptions) {
  const { store, auth, registry, wallets, ledgers, present } = options;
  const { read } = store;
  const pages = createListedPages(read);
  const { sightOfLists, sightOfForeign } = createSights({ auth, read, ledgers });

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
    const parties = [
      `w:${wallet.uid}`,
      coSignerParty(wallet.uid, false),
      receiverParty(wallet.chainId, wallet.address),
    ];
    return await read.all<ListingRow>(
      `SELECT id, party, shown, project_id, ledger_uid, ledger_id, chain, status FROM action_listing WHERE ${among(read.dialect, 'party', '$1')}`,
      [JSON.stringify(tag === undefined ? parties : parties.map((party) => taggedParty(party, tag)))],
    );
  }

  async function rowsOf(ids: readonly string[]): Promise<ActionRow[]> {
    if (ids.length === 0) return [];
    const rows = await read.all<ActionRow>(
      `SELECT ${actionColumns} FROM action WHERE ${among(read.dialect, 'action.id', '$1')}`,
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
    const signs = () => signsToo(contains(read.dialect), wallet.uid, param);
    const few =
      query.ids === undefined
        ? `action.intent = ${param(query.intent ?? '')} AND action.project_id = ${param(principal.projectUid)}`
        : among(read.dialect, 'action.id', param(JSON.stringify(query.ids)));
    if (!(await everReceived(wallet))) {
      const sight: Sight = { wallet, own: [], chains: [], ledgerId: null };
      const where = [few, `(action.wallet_uid = ${itself} OR ${signs()})`];
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
    const isOwn = ownCondition(sight, param, read.dialect);
    const where = [
      few,
      `(action.wallet_uid = ${itself} OR ${signs()} OR (${receives} AND (${isOwn} OR (${publicCondition(sight, param, read.dialect)}))))`,
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
    const isOwn = ownCondition(sight, param, read.dialect);
    const where = [
      among(read.dialect, 'entry.listing', param(ids)),
      `(${isOwn} OR (${publicCondition(sight, param, read.dialect)}))`,
    ];
    if (sight.own === 'project') {
      // Entries stand where the caller is shown them.
      if (query.from !== undefined) where.push(`entry.at >= ${param(query.from)}`);
      if (query.to !== undefined) where.push(`entry.at <= ${param(query.to)}`);
    }
    const from = 'action_listed AS entry JOIN action ON action.id = entry.action_id';
    return await select(principal, sight, { from, where, isOwn, params }, query);
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

  async function viewsOf(
    principal: Principal,
    rows: readonly ActionRow[],
    sight: Sight,
  ): Promise<ActionView[]> {
    const { wallet, own: senders } = sight;
    const own = rows.filter(({ wallet_uid, project_id, receivers }) =>
      senders === 'project'
        ? project_id === wallet.projectId
        : wallet_uid === wallet.uid ||
          senders.includes(wallet_uid) ||
          coSignersOf(receivers).includes(wallet.uid),
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

/** Part of a statement: where actions are looked for, and which of them are shown whole. */
interface Selection {
  from: string;
  where: readonly string[];
  /** Condition: it is shown whole; null: all that is found is. */
  isOwn: string | null;
  params: SqlValue[];
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
