import type { JsonObject } from '@ledger-ops/adapter';
import type { Auth, Principal } from '@ledger-ops/auth';
import { Problem, type ProblemDocument } from '@ledger-ops/base';
import { readJson, type SqlValue, type Store } from '@ledger-ops/store';
import type { Engine } from '../engine/engine.ts';
import { withLastError } from '../engine/tracking/unmined-reason.ts';
import type { Ledgers } from '../ledgers.ts';
import type { Page } from '../page.ts';
import { readPendingCode } from '../pending-codes.ts';
import type { RegistryPort } from '../registry-port.ts';
import { readSuspensionReasons } from '../rows/actions/suspensions.ts';
import { signsToo } from '../rows/co-signers.ts';
import { among } from '../rows/sql.ts';
import type { Wallets } from '../wallets/wallets.ts';
import { namedIn } from './action-ids.ts';
import { type ActionRow, actionColumns, retractedOf, signersOf } from './action-row.ts';
import { changeRequestText } from './change-requests.ts';
import { readableAmong } from './readable.ts';
import { receiverParty } from './send.ts';
import { changedAfter, contains, orderOfChanges } from './shown-columns.ts';
import type { ActionView, ChangePlace, ChangesQuery, WalletActionsQuery } from './types.ts';
import { WalletSearch } from './wallet-search.ts';

/** Maximum number of changed actions that one request reads, across all wallets. */
const mostWalked = 1_000;

export interface SearchOptions {
  store: Store;
  auth: Auth;
  registry: Pick<RegistryPort, 'explorerLink'>;
  wallets: Pick<Wallets, 'demand'>;
  ledgers: Pick<Ledgers, 'open'>;
  engine: Pick<Engine, 'unavailableReason' | 'signed'>;
}

interface Changes {
  items: ActionView[];
  next: ChangePlace | null;
}

/** Finds actions and returns only those that the caller may see. */
export class ActionSearch {
  readonly #read: Store['read'];
  readonly #auth: Auth;
  readonly #registry: SearchOptions['registry'];
  readonly #wallets: SearchOptions['wallets'];
  readonly #engine: SearchOptions['engine'];
  readonly #walletSearch: WalletSearch;

  constructor({ store, auth, registry, wallets, ledgers, engine }: SearchOptions) {
    this.#read = store.read;
    this.#auth = auth;
    this.#registry = registry;
    this.#wallets = wallets;
    this.#engine = engine;
    const present = (rows: readonly ActionRow[]) => this.present(rows);
    this.#walletSearch = new WalletSearch({ store, auth, registry, wallets, ledgers, present });
  }

  /** @throws Problem `not-found` */
  async get(principal: Principal, actionId: string): Promise<ActionView> {
    const [row] = await this.#visible(principal, await this.#rowsById(principal, [actionId]));
    const [found] = row === undefined ? [] : await this.present([row]);
    if (found === undefined)
      throw new Problem('not-found', `The action ${actionId} does not exist or is not visible to you.`);
    return found;
  }

  /**
   * Returns the actions in the order of the requested ids. Omits ids that are unknown or invisible to the
   * caller.
   */
  async byIds(principal: Principal, actionIds: readonly string[]): Promise<ActionView[]> {
    return this.present(await this.#visible(principal, await this.#rowsById(principal, actionIds)));
  }

  async byIntents(principal: Principal, intents: readonly string[]): Promise<ActionView[]> {
    if (intents.length === 0) return [];
    const rows = await this.#read.all<ActionRow>(
      `SELECT ${actionColumns} FROM action WHERE ${among(this.#read.dialect, 'action.intent', '$1')} AND action.project_id = $2
        ORDER BY action.created_at DESC, action.id DESC`,
      [JSON.stringify([...new Set(intents)]), principal.projectUid],
    );
    return this.present(await this.#visible(principal, rows));
  }

  /**
   * Returns the actions of the caller's request with an Idempotency-Key, in the order of its operations.
   *
   * @param requestKey from `requestKeyOf`
   * @throws Problem `not-permitted` if the request has actions that the caller may not read: an empty list would
   * suggest that nothing was accepted
   */
  async byRequest(principal: Principal, requestKey: string): Promise<ActionView[]> {
    const rows = await this.#read.all<ActionRow>(
      `SELECT ${actionColumns} FROM action WHERE action.request_key = $1 ORDER BY action.request_position`,
      [requestKey],
    );
    const visible = await this.#visible(principal, rows);
    if (visible.length === rows.length) return this.present(visible);
    const detail =
      'Operations were accepted with this key, but you may not read them. Ask for a role with wallet:read on their wallets.';
    throw new Problem('not-permitted', detail);
  }

  /**
   * Lists the actions that a wallet sends or receives. If the caller may not read the sending wallet of an action,
   * filters, sorting and the result use only the action's public data, and the returned id is valid only for this
   * wallet.
   */
  byWallet(principal: Principal, walletId: string, query: WalletActionsQuery): Promise<Page<ActionView>> {
    return this.#walletSearch.byWallet(principal, walletId, query);
  }

  /**
   * Returns search results for the actions that changed after a position, in the order of their last changes.
   * `next` is null on the last page.
   */
  async changes(principal: Principal, query: ChangesQuery): Promise<Changes> {
    const { intent, wallet } = query;
    return wallet === undefined
      ? await this.#changesOfIntent(principal, intent ?? '', query)
      : await this.#changesOfWallet(principal, wallet, query);
  }

  /**
   * Returns the action for each transaction id or action id, for the cloud wallet API. Null for ids that are
   * unknown or invisible to the caller.
   */
  async byTransaction(principal: Principal, ids: readonly string[]): Promise<(ActionView | null)[]> {
    const unique = [...new Set(ids)];
    const attempts = await this.#read.all<{ tx_id: string; action_id: string }>(
      `SELECT tx_id, action_id FROM attempt JOIN action ON action.id = attempt.action_id
        WHERE ${among(this.#read.dialect, 'tx_id', '$1')} AND attempt.kind <> 'filler' AND action.project_id = $2 ORDER BY attempt.created_at`,
      [JSON.stringify(unique), principal.projectUid],
    );
    const actionOf = new Map(attempts.map(({ tx_id, action_id }) => [tx_id, action_id]));
    const wanted = unique.map((id) => actionOf.get(id) ?? id);
    const found = await this.present(await this.#visible(principal, await this.#rowsById(principal, wanted)));
    const byId = new Map(found.flatMap((one) => [[one.uid, one] as const, [one.actionId, one] as const]));
    return ids.map((id) => byId.get(actionOf.get(id) ?? id) ?? null);
  }

  async #visible(principal: Principal, rows: readonly ActionRow[]): Promise<ActionRow[]> {
    const own = rows.filter(({ project_id }) => project_id === principal.projectUid);
    const readable = await readableAmong(this.#auth, principal, own.flatMap(signersOf));
    return own.filter((row) => signersOf(row).some((uid) => readable.has(uid)));
  }

  async present(rows: readonly ActionRow[]): Promise<ActionView[]> {
    const ids = JSON.stringify(rows.map(({ id }) => id));
    const links =
      rows.length === 0
        ? []
        : await this.#read.all<{ action_id: string; dependency_id: string; status: string }>(
            `SELECT link.action_id, coalesce(past.given_id, past.id) AS dependency_id, past.status FROM action_dependency AS link
              JOIN action AS past ON past.id = link.dependency_id
              WHERE ${among(this.#read.dialect, 'link.action_id', '$1')} ORDER BY link.action_id, link.position`,
            [ids],
          );
    const pending = rows.filter(({ status }) => status === 'PENDING').map(suspendedByRow);
    const suspended = await readSuspensionReasons(this.#read, pending);
    return await Promise.all(
      rows.map(async (row) => ({
        ...this.#view(
          row,
          links.filter(({ action_id }) => action_id === row.id),
          suspended(row.id),
        ),
        explorerUrl:
          row.locator === null
            ? null
            : await this.#registry.explorerLink(row.ledger_uid, row.project_id, row.locator),
      })),
    );
  }

  /** Returns rows of the caller's project, in the order of the ids. */
  async #rowsById({ projectUid }: Principal, ids: readonly string[]): Promise<ActionRow[]> {
    if (ids.length === 0) return [];
    const found = await this.#read.all<ActionRow>(
      `SELECT ${actionColumns} FROM action WHERE ${namedIn(this.#read.dialect, '$1')} AND action.project_id = $2`,
      [JSON.stringify([...new Set(ids)]), projectUid],
    );
    const byId = new Map(found.flatMap((row) => [[row.id, row] as const, [row.given_id ?? row.id, row]]));
    return [...new Set(ids.flatMap((id) => byId.get(id) ?? []))];
  }

  /** Reads at most `mostWalked` changed actions after a position and returns those that match the condition. */
  async #changedAmong(
    condition: string,
    conditionParams: readonly SqlValue[],
    { after, size }: Pick<ChangesQuery, 'after' | 'size'>,
  ): Promise<{ ids: string[]; next: ChangePlace | null }> {
    const params = [...conditionParams];
    const place = changedAfter(after, (value) => `$${params.push(value)}`);
    const walk = `FROM action WHERE ${place} ORDER BY ${orderOfChanges}`;
    const found = await this.#read.all<{ id: string; updated_at: number }>(
      `SELECT id, updated_at FROM (SELECT id, updated_at, wallet_uid, project_id, intent, receivers ${walk} LIMIT ${mostWalked}) AS action
        WHERE ${condition} ORDER BY ${orderOfChanges} LIMIT ${size}`,
      params,
    );
    const ids = found.map(({ id }) => id);
    const last = found.length < size ? undefined : found.at(-1);
    if (last !== undefined) return { ids, next: { updatedAt: last.updated_at, uid: last.id } };
    const afterParams: SqlValue[] = [];
    const [end] = await this.#read.all<{ id: string; updated_at: number }>(
      `SELECT id, updated_at FROM action WHERE ${changedAfter(after, (value) => `$${afterParams.push(value)}`)}
        ORDER BY ${orderOfChanges} LIMIT 1 OFFSET ${mostWalked - 1}`,
      afterParams,
    );
    return { ids, next: end === undefined ? null : { updatedAt: end.updated_at, uid: end.id } };
  }

  async #changesOfIntent(principal: Principal, intent: string, query: Pick<ChangesQuery, 'after' | 'size'>) {
    const params = [intent, principal.projectUid];
    const { ids, next } = await this.#changedAmong('intent = $1 AND project_id = $2', params, query);
    const rows = (await this.#rowsById(principal, ids)).toSorted(byChange);
    return { items: await this.present(await this.#visible(principal, rows)), next };
  }

  async #changesOfWallet(principal: Principal, walletId: string, { intent, after, size }: ChangesQuery) {
    const wallet = await this.#wallets.demand(principal, 'wallet:read', walletId);
    const receiver = JSON.stringify(receiverParty(wallet.chainId, wallet.address));
    const params: SqlValue[] = [wallet.uid, receiver];
    const signs = signsToo(contains(this.#read.dialect), wallet.uid, (value) => `$${params.push(value)}`);
    const condition = `(wallet_uid = $1 OR ${contains(this.#read.dialect)}(receivers, $2) > 0 OR ${signs})`;
    const { ids, next } = await this.#changedAmong(condition, params, { after, size });
    const filter = intent === undefined ? {} : { intent };
    const query = { ...filter, ids, changedAfter: after, page: 0, size, sort: [] };
    return {
      items: ids.length === 0 ? [] : (await this.#walletSearch.byWallet(principal, walletId, query)).items,
      next,
    };
  }

  #view(
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
      pending: status === 'PENDING' ? this.#whyPending(row, links, suspended) : null,
    };
  }

  #whyPending(
    row: ActionRow,
    links: readonly { dependency_id: string; status: string }[],
    suspended: readonly string[],
  ): ActionView['pending'] {
    const unavailable = this.#engine.unavailableReason(row.ledger_uid, row.plugin, {
      isSigned: row.stage === 'signed',
    });
    switch (row.stage) {
      case 'blocked': {
        const open = links
          .filter(({ status }) => status === 'PENDING')
          .map(({ dependency_id }) => dependency_id);
        return {
          stage: 'blocked',
          code: 'dependencies',
          detail: [`Waiting for ${open.length} of its dependencies: ${open.join(', ')}.`, ...suspended].join(
            ' ',
          ),
        };
      }
      case 'ready':
        if (suspended.length > 0) return { stage: 'ready', code: 'suspended', detail: suspended.join(' ') };
        return {
          stage: 'ready',
          code: unavailable?.code ?? readPendingCode(row.waiting_code) ?? 'turn',
          detail: unavailable?.reason ?? row.waiting ?? 'Waiting to be signed.',
        };
      default: {
        const known = this.#engine.signed(row.id);
        const said = [...(row.waiting === null ? [] : [row.waiting]), ...known.reasons];
        const detail = [
          'Signed and sent; waiting for the ledger to confirm it.',
          ...changeRequestText(row.change),
          ...withLastError(said, unavailable?.reason ?? null),
        ];
        return {
          stage: 'signed',
          code: unavailable?.code ?? readPendingCode(row.waiting_code) ?? known.code,
          detail: detail.join(' '),
        };
      }
    }
  }
}

function byChange(a: ActionRow, b: ActionRow): number {
  return a.updated_at - b.updated_at || (a.id < b.id ? -1 : 1);
}

function suspendedByRow({ id, ledger_uid, wallet_uid, project_id }: ActionRow) {
  return { id, ledgerUid: ledger_uid, walletUid: wallet_uid, projectId: project_id };
}
