import type { JsonObject } from '@ledger-ops/adapter';
import type { Auth, Principal } from '@ledger-ops/auth';
import { invalidRequest, Problem, type ProblemDocument, unknownSortKey } from '@ledger-ops/base';
import type { SqlValue, Store } from '@ledger-ops/store';
import type { Catalogue } from '../catalogue.ts';
import type { Engine } from '../engine/engine.ts';
import { textList } from '../engine/sql.ts';
import type { Actions, ActionView, Page, WalletActionsQuery, Wallets } from '../types.ts';
import { readableAmong } from './readable.ts';
import { receiverParty } from './send.ts';

export type Search = Pick<Actions, 'get' | 'byIds' | 'byIntents' | 'byWallet' | 'byTransaction'>;

export interface SearchOptions {
  store: Store;
  auth: Auth;
  catalogue: Pick<Catalogue, 'explorerLink'>;
  wallets: Wallets;
  engine: Engine;
}

interface ActionRow extends Record<string, SqlValue> {
  id: string;
  project_id: string;
  wallet_uid: string;
  wallet_id: string;
  ledger_uid: string;
  ledger_id: string;
  plugin: string | null;
  intent: string;
  tag: string | null;
  context: string | null;
  status: string;
  stage: string;
  blockers: number;
  waiting: string | null;
  details: string | null;
  problem: string | null;
  locator: string | null;
  contract_address: string | null;
  created_at: number;
  updated_at: number;
}

const columns = [
  'id',
  'project_id',
  'wallet_uid',
  'wallet_id',
  'ledger_uid',
  'ledger_id',
  'plugin',
  'intent',
  'tag',
  'context',
  'status',
  'stage',
  'blockers',
  'waiting',
  'details',
  'problem',
  'locator',
  'contract_address',
  'created_at',
  'updated_at',
]
  .map((name) => `action.${name}`)
  .join(', ');

/** Sort keys of an action and their columns. */
const sortColumns: Readonly<Record<string, string>> = {
  actionId: 'action.id',
  contractAddress: 'action.contract_address',
  createdAt: 'action.created_at',
  dateUpdated: 'action.updated_at',
  intent: 'action.intent',
  ledgerId: 'action.ledger_id',
  locator: 'action.locator',
  status: 'action.status',
  tag: 'action.tag',
  txId: 'action.locator',
  updatedAt: 'action.updated_at',
  walletId: 'action.wallet_id',
};

/** Names that actions can be sorted by. */
export const actionSortKeys: readonly string[] = Object.keys(sortColumns);

/** Finds actions; shows only what the caller may see. */
export function createSearch({ store, auth, catalogue, wallets, engine }: SearchOptions): Search {
  const { read } = store;

  async function visible(principal: Principal, rows: readonly ActionRow[]): Promise<ActionRow[]> {
    const own = rows.filter(({ project_id }) => project_id === principal.projectUid);
    const readable = await readableAmong(
      auth,
      principal,
      own.map(({ wallet_uid }) => wallet_uid),
    );
    return own.filter(({ wallet_uid }) => readable.has(wallet_uid));
  }

  async function views({ projectUid }: Principal, rows: readonly ActionRow[]): Promise<ActionView[]> {
    const ids = JSON.stringify(rows.map(({ id }) => id));
    const links =
      rows.length === 0
        ? []
        : await read.all<{ action_id: string; dependency_id: string; status: string }>(
            `SELECT link.action_id, link.dependency_id, past.status FROM action_dependency AS link
              JOIN action AS past ON past.id = link.dependency_id
              WHERE link.action_id IN ${textList(read.dialect, '$1')} ORDER BY link.action_id, link.position`,
            [ids],
          );
    return await Promise.all(
      rows.map(async (row) => ({
        ...view(
          row,
          links.filter(({ action_id }) => action_id === row.id),
        ),
        explorerUrl:
          row.locator === null ? null : await catalogue.explorerLink(row.ledger_uid, projectUid, row.locator),
      })),
    );
  }

  function view(
    row: ActionRow,
    links: readonly { dependency_id: string; status: string }[],
  ): Omit<ActionView, 'explorerUrl'> {
    const status = row.status === 'SUCCEEDED' || row.status === 'FAILED' ? row.status : 'PENDING';
    return {
      actionId: row.id,
      contractAddress: row.contract_address,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      dependencies: links.map(({ dependency_id }) => dependency_id),
      intent: row.intent,
      ledgerId: status === 'PENDING' ? null : row.ledger_id,
      locator: row.locator,
      status,
      tag: row.tag,
      context: row.context,
      walletId: row.wallet_id,
      details: row.details === null ? null : (JSON.parse(row.details) as JsonObject),
      problem: row.problem === null ? null : (JSON.parse(row.problem) as ProblemDocument),
      pending: status === 'PENDING' ? whyPending(row, links) : null,
    };
  }

  function whyPending(
    row: ActionRow,
    links: readonly { dependency_id: string; status: string }[],
  ): ActionView['pending'] {
    const trouble = engine.trouble(row.ledger_uid, row.plugin);
    switch (row.stage) {
      case 'blocked': {
        const open = links
          .filter(({ status }) => status === 'PENDING')
          .map(({ dependency_id }) => dependency_id);
        return {
          stage: 'blocked',
          detail: `Waits for ${open.length} of its dependencies: ${open.join(', ')}.`,
        };
      }
      case 'ready':
        return { stage: 'ready', detail: trouble ?? row.waiting ?? 'Waits for its turn to be signed.' };
      default: {
        const said = row.waiting === null ? engine.whyUnmined(row.id) : [row.waiting];
        const detail = ['Signed and sent; waits for the ledger to confirm it.', ...said];
        if (trouble !== null) detail.push(trouble);
        return { stage: 'signed', detail: detail.join(' ') };
      }
    }
  }

  async function rowsById(ids: readonly string[]): Promise<ActionRow[]> {
    if (ids.length === 0) return [];
    const found = await read.all<ActionRow>(
      `SELECT ${columns} FROM action WHERE action.id IN ${textList(read.dialect, '$1')}`,
      [JSON.stringify([...new Set(ids)])],
    );
    const byId = new Map(found.map((row) => [row.id, row]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  async function byWallet(
    principal: Principal,
    walletId: string,
    query: WalletActionsQuery,
  ): Promise<Page<ActionView>> {
    const wallet = await wallets.demand(principal, 'wallet:read', walletId);
    const params: SqlValue[] = [
      `w:${wallet.uid}`,
      receiverParty(wallet.chainId, wallet.address),
      wallet.uid,
      JSON.stringify(await readableWallets(principal, wallet.chainId, wallet.address)),
    ];
    const filters = filterSql(query, params);
    // Of another's action the receiver sees what the ledger makes public, and so only what is on the ledger.
    const where = `(party.party = $1 OR (party.party = $2 AND action.wallet_uid <> $3
      AND (action.status = 'SUCCEEDED' OR action.wallet_uid IN ${textList(read.dialect, '$4')})))${filters}`;
    const from = 'action_party AS party JOIN action ON action.id = party.action_id';
    const [count] = await read.all<{ total: number }>(
      `SELECT COUNT(*) AS total FROM ${from} WHERE ${where}`,
      params,
    );
    const rows = await read.all<ActionRow>(
      `SELECT ${columns} FROM ${from} WHERE ${where} ORDER BY ${orderSql(query)} LIMIT ${query.size} OFFSET ${query.page * query.size}`,
      params,
    );
    const own = new Set((await visible(principal, rows)).map(({ id }) => id));
    const items = (await views(principal, rows)).map((item) =>
      own.has(item.actionId) ? item : publicView(item),
    );
    return { items, total: Number(count?.total ?? 0) };
  }

  /** Wallets of the caller's project that sent something to this account and that the caller may read. */
  async function readableWallets(principal: Principal, chainId: string, address: string): Promise<string[]> {
    const senders = await read.all<{ wallet_uid: string }>(
      `SELECT DISTINCT action.wallet_uid FROM action_party AS party JOIN action ON action.id = party.action_id
        WHERE party.party = $1 AND action.project_id = $2`,
      [receiverParty(chainId, address), principal.projectUid],
    );
    return [
      ...(await readableAmong(
        auth,
        principal,
        senders.map(({ wallet_uid }) => wallet_uid),
      )),
    ];
  }

  return {
    async get(principal, actionId) {
      const [row] = await visible(principal, await rowsById([actionId]));
      const [found] = row === undefined ? [] : await views(principal, [row]);
      if (found === undefined)
        throw new Problem('not-found', `There is no action ${actionId} that you may see.`);
      return found;
    },
    async byIds(principal, actionIds) {
      return views(principal, await visible(principal, await rowsById([...new Set(actionIds)])));
    },
    async byIntents(principal, intents) {
      if (intents.length === 0) return [];
      const rows = await read.all<ActionRow>(
        `SELECT ${columns} FROM action WHERE action.intent IN ${textList(read.dialect, '$1')} AND action.project_id = $2
          ORDER BY action.created_at DESC, action.id DESC`,
        [JSON.stringify([...new Set(intents)]), principal.projectUid],
      );
      return views(principal, await visible(principal, rows));
    },
    byWallet,
    async byTransaction(principal, ids) {
      const unique = [...new Set(ids)];
      const attempts = await read.all<{ tx_id: string; action_id: string }>(
        `SELECT tx_id, action_id FROM attempt WHERE tx_id IN ${textList(read.dialect, '$1')} ORDER BY created_at`,
        [JSON.stringify(unique)],
      );
      const actionOf = new Map(attempts.map(({ tx_id, action_id }) => [tx_id, action_id]));
      const wanted = unique.map((id) => actionOf.get(id) ?? id);
      const found = await views(principal, await visible(principal, await rowsById(wanted)));
      const byId = new Map(found.map((one) => [one.actionId, one]));
      return ids.map((id) => byId.get(actionOf.get(id) ?? id) ?? null);
    },
  };
}

function filterSql(query: WalletActionsQuery, params: SqlValue[]): string {
  const filters: [string, SqlValue | undefined][] = [
    ['action.intent =', query.intent],
    ['action.status =', query.status],
    ['action.ledger_id =', query.ledgerId],
    ['action.tag =', query.tag],
    ['action.created_at >=', query.from],
    ['action.created_at <=', query.to],
  ];
  return filters
    .map(([sql, value]) => (value === undefined ? '' : ` AND ${sql} $${params.push(value)}`))
    .join('');
}

function orderSql({ sort }: WalletActionsQuery): string {
  if (sort.length === 0) return 'party.created_at DESC, action.id DESC';
  const keys = sort.map(({ key, direction }) => {
    const column = Object.hasOwn(sortColumns, key) ? sortColumns[key] : undefined;
    if (column === undefined) {
      throw invalidRequest([{ pointer: 'sort', detail: unknownSortKey(actionSortKeys) }]);
    }
    return `${column} ${direction === 'desc' ? 'DESC' : 'ASC'}`;
  });
  return [...keys, 'action.id ASC'].join(', ');
}

/** What the ledger itself tells everybody. */
function publicView(item: ActionView): ActionView {
  return {
    ...item,
    walletId: '',
    intent: '',
    tag: null,
    context: null,
    dependencies: [],
    details: null,
    problem: null,
    pending: null,
  };
}
