import { createHash } from 'node:crypto';
import type { Auth, Principal } from '@ledger-ops/auth';
import { invalidRequest, type Problem } from '@ledger-ops/base';
import type { Queries, SqlValue, Store } from '@ledger-ops/store';
import type { Ledgers } from '../ledgers.ts';
import type { Page } from '../page.ts';
import type { RegistryPort } from '../registry-port.ts';
import { taggedParty } from '../rows/actions/listings.ts';
import { coSignerParty, coSignersOf, signsToo } from '../rows/co-signers.ts';
import { among } from '../rows/sql.ts';
import type { WalletRow } from '../wallets/types.ts';
import type { Wallets } from '../wallets/wallets.ts';
import { type ActionRow, actionColumns, retractedOf } from './action-row.ts';
import { ListedPages, type ListedQuery } from './listed-page.ts';
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
import type { ActionView, WalletActionsQuery } from './types.ts';
import { admitted, createVisibility, isSent, type ListingRow, type Visibility } from './visibility.ts';

export interface WalletSearchOptions {
  store: Store;
  auth: Auth;
  registry: Pick<RegistryPort, 'explorerLink'>;
  wallets: Pick<Wallets, 'demand'>;
  ledgers: Pick<Ledgers, 'open'>;
  present(rows: readonly ActionRow[]): Promise<ActionView[]>;
}

/** The sending wallet of a received action. */
interface SenderRow extends Record<string, SqlValue> {
  wallet_uid: string;
  project_id: string;
  ledger_uid: string;
  chain: string;
}

/**
 * Maximum number of actions that one request sorts in memory, if the list index does not support the sort
 * key.
 */
const mostSorted = 5_000;

/** Finds the actions that a wallet sends, signs or receives. */
export class WalletSearch {
  readonly #read: Queries;
  readonly #auth: Auth;
  readonly #registry: WalletSearchOptions['registry'];
  readonly #wallets: WalletSearchOptions['wallets'];
  readonly #present: WalletSearchOptions['present'];
  readonly #pages: ListedPages;
  readonly #visibility: ReturnType<typeof createVisibility>;

  constructor({ store, auth, registry, wallets, ledgers, present }: WalletSearchOptions) {
    const { read } = store;
    this.#read = read;
    this.#auth = auth;
    this.#registry = registry;
    this.#wallets = wallets;
    this.#present = present;
    this.#pages = new ListedPages(read);
    this.#visibility = createVisibility({ auth, read, ledgers });
  }

  async byWallet(
    principal: Principal,
    walletId: string,
    query: WalletActionsQuery,
  ): Promise<Page<ActionView>> {
    const wallet = await this.#wallets.demand(principal, 'wallet:read', walletId);
    // Few actions match these filters, so each of them is checked.
    if (query.ids !== undefined || query.intent !== undefined)
      return await this.#amongFew(principal, wallet, query);
    const listings = await this.#listingsOf(wallet, query.tag);
    const visibility = await this.#visibility.visibilityOfLists(principal, wallet, listings);
    if (visibility.senders !== 'project') return await this.#sorted(principal, visibility, listings, query);
    const range = { listings: admitted(listings, visibility, query), from: query.from, to: query.to };
    const { page, size } = query;
    const total = await this.#pages.total(range);
    const order = listedOrder(query);
    if (order === undefined) {
      if (total > mostSorted) throw tooManyToSort(total);
      const among = listings.filter((one) => range.listings.includes(one.id));
      return await this.#sorted(principal, visibility, among, query);
    }
    const ids =
      page * size >= total ? [] : await this.#pages.page({ ...range, ...order, offset: page * size, size });
    return { items: await this.#viewsOf(principal, await this.#rowsOf(ids), visibility), total };
  }

  async #listingsOf(wallet: WalletRow, tag: string | undefined): Promise<ListingRow[]> {
    const parties = [
      `w:${wallet.uid}`,
      coSignerParty(wallet.uid, false),
      receiverParty(wallet.chainId, wallet.address),
    ];
    return await this.#read.all<ListingRow>(
      `SELECT id, party, shown, project_id, ledger_uid, ledger_id, chain, status FROM action_listing WHERE ${among(this.#read.dialect, 'party', '$1')}`,
      [JSON.stringify(tag === undefined ? parties : parties.map((party) => taggedParty(party, tag)))],
    );
  }

  async #rowsOf(ids: readonly string[]): Promise<ActionRow[]> {
    if (ids.length === 0) return [];
    const rows = await this.#read.all<ActionRow>(
      `SELECT ${actionColumns} FROM action WHERE ${among(this.#read.dialect, 'action.id', '$1')}`,
      [JSON.stringify(ids)],
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.flatMap((one) => byId.get(one) ?? []);
  }

  /** Searches by ids or by an intent, which match few actions. */
  async #amongFew(
    principal: Principal,
    wallet: WalletRow,
    query: WalletActionsQuery,
  ): Promise<Page<ActionView>> {
    const params: SqlValue[] = [];
    const param = (value: SqlValue) => `$${params.push(value)}`;
    const itself = param(wallet.uid);
    const signs = () => signsToo(contains(this.#read.dialect), wallet.uid, param);
    const few =
      query.ids === undefined
        ? `action.intent = ${param(query.intent ?? '')} AND action.project_id = ${param(principal.projectUid)}`
        : among(this.#read.dialect, 'action.id', param(JSON.stringify(query.ids)));
    if (!(await this.#everReceived(wallet))) {
      const visibility: Visibility = { wallet, senders: [], chains: [], ledgerId: null };
      const where = [few, `(action.wallet_uid = ${itself} OR ${signs()})`];
      return await this.#select(principal, visibility, { from: 'action', where, isOwn: null, params }, query);
    }
    const receives = `${contains(this.#read.dialect)}(action.receivers, ${param(JSON.stringify(receiverParty(wallet.chainId, wallet.address)))}) > 0`;
    const senders = await this.#read.all<SenderRow>(
      `SELECT DISTINCT wallet_uid, project_id, ledger_uid, chain FROM action
        WHERE ${few} AND ${receives} AND action.wallet_uid <> ${itself}`,
      [...params],
    );
    const near = senders.filter(({ project_id }) => project_id === principal.projectUid);
    const readable = await readableAmong(
      this.#auth,
      principal,
      near.map(({ wallet_uid }) => wallet_uid),
    );
    const foreign = senders.filter(({ wallet_uid }) => !readable.has(wallet_uid));
    const visibility = {
      wallet,
      senders: [...readable],
      ...(await this.#visibility.visibilityOfForeign(principal, wallet, foreign)),
    };
    const isOwn = ownCondition(visibility, param, this.#read.dialect);
    const where = [
      few,
      `(action.wallet_uid = ${itself} OR ${signs()} OR (${receives} AND (${isOwn} OR (${publicCondition(visibility, param, this.#read.dialect)}))))`,
    ];
    return await this.#select(principal, visibility, { from: 'action', where, isOwn, params }, query);
  }

  async #everReceived(wallet: WalletRow): Promise<boolean> {
    const party = receiverParty(wallet.chainId, wallet.address);
    return (
      (await this.#read.all('SELECT id FROM action_listing WHERE party = $1 LIMIT 1', [party])).length > 0
    );
  }

  /**
   * Searches all of the wallet's actions. Used for sort orders that the list index does not support, and for callers
   * that may read only some sending wallets of the project.
   */
  async #sorted(
    principal: Principal,
    visibility: Visibility,
    listings: readonly ListingRow[],
    query: WalletActionsQuery,
  ): Promise<Page<ActionView>> {
    const params: SqlValue[] = [];
    const param = (value: SqlValue) => `$${params.push(value)}`;
    const near = listings.filter(
      (one) =>
        one.shown === 'own' &&
        (isSent(one, visibility.wallet) || one.project_id === visibility.wallet.projectId),
    );
    const far = listings.filter(
      ({ shown: as, project_id }) => as === 'public' && project_id !== visibility.wallet.projectId,
    );
    const ids = JSON.stringify([...near, ...far].map(({ id: one }) => one));
    const isOwn = ownCondition(visibility, param, this.#read.dialect);
    const where = [
      among(this.#read.dialect, 'entry.listing', param(ids)),
      `(${isOwn} OR (${publicCondition(visibility, param, this.#read.dialect)}))`,
    ];
    if (visibility.senders === 'project') {
      // The `at` of a list entry is the time that the caller sees.
      if (query.from !== undefined) where.push(`entry.at >= ${param(query.from)}`);
      if (query.to !== undefined) where.push(`entry.at <= ${param(query.to)}`);
    }
    const from = 'action_listed AS entry JOIN action ON action.id = entry.action_id';
    return await this.#select(principal, visibility, { from, where, isOwn, params }, query);
  }

  async #select(
    principal: Principal,
    visibility: Visibility,
    { from, where, isOwn, params }: Selection,
    query: WalletActionsQuery,
  ): Promise<Page<ActionView>> {
    const param = (value: SqlValue) => `$${params.push(value)}`;
    const express: Express = (one) => expression(one, isOwn, param, visibility);
    const conditions = [...where, ...filtersOf(query, express, param)];
    if (query.changedAfter !== undefined) conditions.push(changedAfter(query.changedAfter, param));
    const found = `FROM ${from} WHERE ${conditions.join(' AND ')}`;
    const isListed = query.changedAfter === undefined;
    const [count] = isListed
      ? await this.#read.all<{ total: number }>(`SELECT COUNT(*) AS total ${found}`, [...params])
      : [];
    const order = isListed ? orderOf(query, express) : orderOfChanges;
    const rows = await this.#read.all<ActionRow>(
      `SELECT ${actionColumns} ${found} ORDER BY ${order} LIMIT ${query.size} OFFSET ${query.page * query.size}`,
      params,
    );
    return { items: await this.#viewsOf(principal, rows, visibility), total: Number(count?.total ?? 0) };
  }

  async #viewsOf(
    principal: Principal,
    rows: readonly ActionRow[],
    visibility: Visibility,
  ): Promise<ActionView[]> {
    const { wallet, senders } = visibility;
    const own = rows.filter(({ wallet_uid, project_id, receivers }) =>
      senders === 'project'
        ? project_id === wallet.projectId
        : wallet_uid === wallet.uid ||
          senders.includes(wallet_uid) ||
          coSignersOf(receivers).includes(wallet.uid),
    );
    const views = new Map((await this.#present(own)).map((view) => [view.uid, view]));
    return await Promise.all(
      rows.map(async (row) => views.get(row.id) ?? (await this.#publicView(principal, row, visibility))),
    );
  }

  /** Returns the action's public data, with the id of the wallet's own ledger record. */
  async #publicView(
    { projectUid }: Principal,
    row: ActionRow,
    { wallet, ledgerId }: Visibility,
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
          : await this.#registry.explorerLink(wallet.ledgerUid, projectUid, locator),
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
}

interface Selection {
  from: string;
  where: readonly string[];
  /** SQL condition: the action is shown completely. Null if this is true for all selected actions. */
  isOwn: string | null;
  params: SqlValue[];
}

function tooManyToSort(total: number): Problem {
  const detail = `allows keys other than createdAt for up to ${mostSorted} actions, but ${total} match; narrow the search with status, ledgerId, tag, from or to`;
  return invalidRequest([{ pointer: 'sort', detail }]);
}

/**
 * Returns the requested sort order if the list index supports it: by `createdAt` only. Otherwise returns
 * undefined.
 */
function listedOrder({ sort }: WalletActionsQuery): Pick<ListedQuery, 'at' | 'name'> | undefined {
  const [only, ...others] = sort;
  if (only === undefined) return { at: 'DESC', name: 'DESC' };
  if (only.key !== 'createdAt' || others.length > 0) return undefined;
  return { at: only.direction === 'desc' ? 'DESC' : 'ASC', name: 'ASC' };
}

/**
 * Returns the id of a received action for callers that cannot read the sending wallet. It is derived from the receiving
 * wallet and the locator, so it is stable, and it reveals neither the sender's action id nor the other receivers.
 */
function receivedId(walletUid: string, locator: string): string {
  const hex = createHash('sha256').update(`received action\n${walletUid}\n${locator}`).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    // UUID version 8 (RFC 9562): custom content.
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
