import type { JsonObject } from '@ledger-ops/adapter';
import type { Auth, Principal } from '@ledger-ops/auth';
import { type MasterKey, Problem, type ProblemDocument } from '@ledger-ops/base';
import { readJson, type SqlValue, type Store } from '@ledger-ops/store';
import type { Engine } from '../engine/engine.ts';
import { withTrouble } from '../engine/tracking/unmined-reason.ts';
import type { Ledgers } from '../open-ledger.ts';
import { readPendingCode } from '../pending-codes.ts';
import type { PluginLoader } from '../plugins/loader.ts';
import type { RegistryPort } from '../registry-port.ts';
import { readSuspensionWords } from '../rows/actions/suspensions.ts';
import { signsToo } from '../rows/co-signers.ts';
import { among } from '../rows/sql.ts';
import type { Wallets } from '../wallets/types.ts';
import { namedIn } from './action-ids.ts';
import { type ActionRow, actionColumns, retractedOf, signersOf } from './action-row.ts';
import { changeWords } from './change-requests.ts';
import { createOverview } from './overview.ts';
import { readableAmong } from './readable.ts';
import { receiverParty } from './send.ts';
import { changedAfter, contains, orderOfChanges } from './shown-columns.ts';
import type { Actions, ActionView, ChangePlace, ChangesQuery } from './types.ts';
import { createWalletSearch } from './wallet-search.ts';

/** Changes that are looked at in one step, of whatever wallets they are. */
const mostWalked = 1_000;

export type Search = Pick<
  Actions,
  | 'get'
  | 'byIds'
  | 'byIntents'
  | 'byWallet'
  | 'changes'
  | 'byTransaction'
  | 'overview'
  | 'describe'
  | 'counts'
>;

export interface SearchOptions {
  store: Store;
  auth: Auth;
  registry: Pick<RegistryPort, 'explorerLink'>;
  wallets: Wallets;
  ledgers: Pick<Ledgers, 'open'>;
  plugins: Pick<PluginLoader, 'known'>;
  engine: Pick<Engine, 'trouble' | 'signed' | 'knownReasons'>;
  masterKey: MasterKey;
}

/** Finds actions; shows only what the caller may see. */
export function createSearch({
  store,
  auth,
  registry,
  wallets,
  ledgers,
  plugins,
  engine,
  masterKey,
}: SearchOptions): Search {
  const { read } = store;

  async function visible(principal: Principal, rows: readonly ActionRow[]): Promise<ActionRow[]> {
    const own = rows.filter(({ project_id }) => project_id === principal.projectUid);
    const readable = await readableAmong(auth, principal, own.flatMap(signersOf));
    return own.filter((row) => signersOf(row).some((uid) => readable.has(uid)));
  }

  async function views(rows: readonly ActionRow[]): Promise<ActionView[]> {
    const ids = JSON.stringify(rows.map(({ id }) => id));
    const links =
      rows.length === 0
        ? []
        : await read.all<{ action_id: string; dependency_id: string; status: string }>(
            `SELECT link.action_id, coalesce(past.given_id, past.id) AS dependency_id, past.status FROM action_dependency AS link
              JOIN action AS past ON past.id = link.dependency_id
              WHERE ${among(read.dialect, 'link.action_id', '$1')} ORDER BY link.action_id, link.position`,
            [ids],
          );
    const pending = rows.filter(({ status }) => status === 'PENDING').map(suspendedByRow);
    const suspended = await readSuspensionWords(read, pending);
    return await Promise.all(
      rows.map(async (row) => ({
        ...view(
          row,
          links.filter(({ action_id }) => action_id === row.id),
          suspended(row.id),
        ),
        explorerUrl:
          row.locator === null
            ? null
            : await registry.explorerLink(row.ledger_uid, row.project_id, row.locator),
      })),
    );
  }

  function view(
    row: ActionRow,
    links: readonly { dependency_id: string; status: string }[],
    suspended: readonly string[],
  ): Omit<ActionView, 'explorerUrl'> {
    const status = row.status === 'SUCCEEDED' || row.status === 'FAILED' ? row.status : 'PENDING';
    return {
      uid: row.id,
      actionId: row.given_id ?? row.id,
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
      details: readJson<JsonObject>(row.details),
      problem: readJson<ProblemDocument>(row.problem),
      retracted: retractedOf(row),
      pending: status === 'PENDING' ? whyPending(row, links, suspended) : null,
    };
  }

  function whyPending(
    row: ActionRow,
    links: readonly { dependency_id: string; status: string }[],
    suspended: readonly string[],
  ): ActionView['pending'] {
    const trouble = engine.trouble(row.ledger_uid, row.plugin);
    switch (row.stage) {
      case 'blocked': {
        const open = links
          .filter(({ status }) => status === 'PENDING')
          .map(({ dependency_id }) => dependency_id);
        return {
          stage: 'blocked',
          code: 'dependencies',
          detail: [`Waits for ${open.length} of its dependencies: ${open.join(', ')}.`, ...suspended].join(
            ' ',
          ),
        };
      }
      case 'ready':
        if (suspended.length > 0) return { stage: 'ready', code: 'suspended', detail: suspended.join(' ') };
        return {
          stage: 'ready',
          code: trouble === null ? (readPendingCode(row.waiting_code) ?? 'turn') : 'ledger-unavailable',
          detail: trouble ?? row.waiting ?? 'Waits for its turn to be signed.',
        };
      default: {
        const known = engine.signed(row.id);
        const said = [...(row.waiting === null ? [] : [row.waiting]), ...known.reasons];
        const detail = [
          'Signed and sent; waits for the ledger to confirm it.',
          ...changeWords(row.change),
          ...withTrouble(said, trouble),
        ];
        const code = readPendingCode(row.waiting_code) ?? known.code;
        return {
          stage: 'signed',
          code: trouble === null ? code : 'ledger-unavailable',
          detail: detail.join(' '),
        };
      }
    }
  }

  /** Of the caller's project, in the order of the ids. */
  async function rowsById({ projectUid }: Principal, ids: readonly string[]): Promise<ActionRow[]> {
    if (ids.length === 0) return [];
    const found = await read.all<ActionRow>(
      `SELECT ${actionColumns} FROM action WHERE ${namedIn(read.dialect, '$1')} AND action.project_id = $2`,
      [JSON.stringify([...new Set(ids)]), projectUid],
    );
    const byId = new Map(found.flatMap((row) => [[row.id, row] as const, [row.given_id ?? row.id, row]]));
    return [...new Set(ids.flatMap((id) => byId.get(id) ?? []))];
  }

  const byWallet = createWalletSearch({ store, auth, registry, wallets, ledgers, present: views });

  /** Walks what changed, whoever's it is, a bounded number at a time. */
  async function changedAmong(
    condition: string,
    conditionParams: readonly SqlValue[],
    { after, size }: Pick<ChangesQuery, 'after' | 'size'>,
  ): Promise<{ ids: string[]; next: ChangePlace | null }> {
    const params = [...conditionParams];
    const place = changedAfter(after, (value) => `$${params.push(value)}`);
    const walk = `FROM action WHERE ${place} ORDER BY ${orderOfChanges}`;
    const found = await read.all<{ id: string; updated_at: number }>(
      `SELECT id, updated_at FROM (SELECT id, updated_at, wallet_uid, project_id, intent, receivers ${walk} LIMIT ${mostWalked}) AS action
        WHERE ${condition} ORDER BY ${orderOfChanges} LIMIT ${size}`,
      params,
    );
    const ids = found.map(({ id }) => id);
    const last = found.length < size ? undefined : found.at(-1);
    if (last !== undefined) return { ids, next: { updatedAt: last.updated_at, uid: last.id } };
    const afterParams: SqlValue[] = [];
    const [end] = await read.all<{ id: string; updated_at: number }>(
      `SELECT id, updated_at FROM action WHERE ${changedAfter(after, (value) => `$${afterParams.push(value)}`)}
        ORDER BY ${orderOfChanges} LIMIT 1 OFFSET ${mostWalked - 1}`,
      afterParams,
    );
    return { ids, next: end === undefined ? null : { updatedAt: end.updated_at, uid: end.id } };
  }

  async function changesOfIntent(
    principal: Principal,
    intent: string,
    query: Pick<ChangesQuery, 'after' | 'size'>,
  ) {
    const params = [intent, principal.projectUid];
    const { ids, next } = await changedAmong('intent = $1 AND project_id = $2', params, query);
    const rows = (await rowsById(principal, ids)).toSorted(byChange);
    return { items: await views(await visible(principal, rows)), next };
  }

  async function changesOfWallet(
    principal: Principal,
    walletId: string,
    { intent, after, size }: ChangesQuery,
  ) {
    const wallet = await wallets.demand(principal, 'wallet:read', walletId);
    const receiver = JSON.stringify(receiverParty(wallet.chainId, wallet.address));
    const params: SqlValue[] = [wallet.uid, receiver];
    const signs = signsToo(contains(read.dialect), wallet.uid, (value) => `$${params.push(value)}`);
    const condition = `(wallet_uid = $1 OR ${contains(read.dialect)}(receivers, $2) > 0 OR ${signs})`;
    const { ids, next } = await changedAmong(condition, params, { after, size });
    const filter = intent === undefined ? {} : { intent };
    const query = { ...filter, ids, changedAfter: after, page: 0, size, sort: [] };
    return { items: ids.length === 0 ? [] : (await byWallet(principal, walletId, query)).items, next };
  }

  return {
    ...createOverview({ store, auth, plugins, engine, masterKey, present: views }),
    async get(principal, actionId) {
      const [row] = await visible(principal, await rowsById(principal, [actionId]));
      const [found] = row === undefined ? [] : await views([row]);
      if (found === undefined)
        throw new Problem('not-found', `There is no action ${actionId} that you may see.`);
      return found;
    },
    async byIds(principal, actionIds) {
      return views(await visible(principal, await rowsById(principal, actionIds)));
    },
    async byIntents(principal, intents) {
      if (intents.length === 0) return [];
      const rows = await read.all<ActionRow>(
        `SELECT ${actionColumns} FROM action WHERE ${among(read.dialect, 'action.intent', '$1')} AND action.project_id = $2
          ORDER BY action.created_at DESC, action.id DESC`,
        [JSON.stringify([...new Set(intents)]), principal.projectUid],
      );
      return views(await visible(principal, rows));
    },
    byWallet,
    async changes(principal, query) {
      const { intent, wallet } = query;
      return wallet === undefined
        ? await changesOfIntent(principal, intent ?? '', query)
        : await changesOfWallet(principal, wallet, query);
    },
    async byTransaction(principal, ids) {
      const unique = [...new Set(ids)];
      const attempts = await read.all<{ tx_id: string; action_id: string }>(
        `SELECT tx_id, action_id FROM attempt JOIN action ON action.id = attempt.action_id
          WHERE ${among(read.dialect, 'tx_id', '$1')} AND attempt.kind <> 'filler' AND action.project_id = $2 ORDER BY attempt.created_at`,
        [JSON.stringify(unique), principal.projectUid],
      );
      const actionOf = new Map(attempts.map(({ tx_id, action_id }) => [tx_id, action_id]));
      const wanted = unique.map((id) => actionOf.get(id) ?? id);
      const found = await views(await visible(principal, await rowsById(principal, wanted)));
      const byId = new Map(found.flatMap((one) => [[one.uid, one] as const, [one.actionId, one] as const]));
      return ids.map((id) => byId.get(actionOf.get(id) ?? id) ?? null);
    },
  };
}

function byChange(a: ActionRow, b: ActionRow): number {
  return a.updated_at - b.updated_at || (a.id < b.id ? -1 : 1);
}

function suspendedByRow({ id, ledger_uid, wallet_uid, project_id }: ActionRow) {
  return { id, ledgerUid: ledger_uid, walletUid: wallet_uid, projectId: project_id };
}
