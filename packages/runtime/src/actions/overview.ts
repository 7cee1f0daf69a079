import type { Auth, Principal } from '@ledger-ops/auth';
import { createCursors, type MasterKey, Problem, problemType } from '@ledger-ops/base';
import type { Queries, SqlValue, Store } from '@ledger-ops/store';
import { blockTimeOf } from '../block-time.ts';
import type { Engine } from '../engine/engine.ts';
import type { PluginLoader } from '../plugins/loader.ts';
import { codeSql } from '../rows/actions/waiting.ts';
import { among, textList } from '../rows/sql.ts';
import { visibleWalletUids } from '../wallets/visible.ts';
import {
  createDetails,
  type DetailsRow,
  detailsColumns,
  type OverviewRow,
  operationOf,
  overviewColumns,
} from './action-details.ts';
import { namedIn } from './action-ids.ts';
import { firstArguments, readNames } from './action-names.ts';
import { type ActionRow, signersOf } from './action-row.ts';
import { readableAmong } from './readable.ts';
import { type Scope, scopeOf } from './scope.ts';
import { contains } from './shown-columns.ts';
import type { ActionDetails, ActionOverview, ActionView, OverviewQuery } from './types.ts';

/** Maximum number of actions that one request reads while it searches for matches. */
const mostScanned = 1_000;
/**
 * Assumed maximum difference between the clocks of the database and a server, in milliseconds. Action ids contain the
 * time of a server's clock.
 */
const skew = 600_000;

export interface OverviewOptions {
  store: Store;
  auth: Auth;
  plugins: Pick<PluginLoader, 'known'>;
  engine: Pick<Engine, 'signed' | 'knownReasons'>;
  /** Encrypts the cursors: they contain ids of actions that the caller may not see. */
  masterKey: MasterKey;
  present(rows: readonly ActionRow[]): Promise<ActionView[]>;
}

/** Lists all actions that the caller may see, across wallets. */
export class ActionOverviews {
  readonly #read: Queries;
  readonly #auth: Auth;
  readonly #plugins: OverviewOptions['plugins'];
  readonly #engine: OverviewOptions['engine'];
  readonly #present: OverviewOptions['present'];
  readonly #cursors: ReturnType<typeof createCursors>;
  readonly #details: ReturnType<typeof createDetails>;

  constructor({ store, auth, plugins, engine, masterKey, present }: OverviewOptions) {
    this.#read = store.read;
    this.#auth = auth;
    this.#plugins = plugins;
    this.#engine = engine;
    this.#present = present;
    this.#cursors = createCursors(masterKey, 'actions');
    this.#details = createDetails({ read: store.read, auth, plugins, engine });
  }

  /**
   * Lists all actions that the caller may see: those of all projects if the caller may read all wallets of the
   * installation. `next` is the cursor of the next page; null at the end.
   * @throws Problem `not-found`, `invalid-request`
   */
  async overview(
    principal: Principal,
    query: OverviewQuery,
  ): Promise<{ items: ActionOverview[]; next: string | null }> {
    const scope = await scopeOf(this.#read, this.#auth, principal, query.project);
    const wallets =
      scope?.byWallet === true ? await visibleWalletUids(this.#read, this.#auth, principal) : null;
    if (scope === null || wallets?.length === 0) return { items: [], next: null };
    const params: SqlValue[] = [];
    const param = (value: SqlValue) => `$${params.push(value)}`;
    // An index covers these conditions. The other filters are applied to the rows that the index returns.
    const walk: string[] = [];
    const isStatus = query.status !== undefined && query.status !== 'SUCCEEDED';
    if (query.intent !== undefined) walk.push(`action.intent = ${param(query.intent)}`);
    const isCanceled = query.status === 'CANCELED';
    if (isStatus) walk.push(`action.status = '${isCanceled ? 'FAILED' : query.status}'`);
    if (scope.projectUid !== null && !isStatus) {
      // This condition must equal the condition of the index on projects.
      walk.push(`action.project_id = ${param(scope.projectUid)} AND action.stage <> ''`);
    }
    const [direction, beyond] = query.order === 'oldest' ? ['ASC', '>'] : ['DESC', '<'];
    if (query.cursor !== undefined) {
      walk.push(`action.id ${beyond} ${param(this.#cursors.placeOf(principal.serviceId, query.cursor))}`);
    }
    for (const latest of [query.to, query.pendingSince]) {
      if (latest !== undefined) walk.push(`action.id < ${param(idPrefix(latest + skew))}`);
    }
    if (query.from !== undefined) walk.push(`action.id >= ${param(idPrefix(query.from - skew))}`);
    const ofWalk = [...params];
    const filters = this.#filtersOf(query, param);
    if (scope.projectUid !== null && isStatus) {
      filters.push(`action.project_id = ${param(scope.projectUid)}`);
    }
    if (wallets !== null) {
      const these = textList(this.#read.dialect, param(JSON.stringify(wallets)));
      filters.push(`(action.wallet_uid IN ${these} OR ${signedBy(this.#read, `wallet.uid IN ${these}`)})`);
    }
    const conditions = walk.length === 0 ? '' : `WHERE ${walk.join(' AND ')}`;
    const most = filters.length === 0 ? query.size : mostScanned;
    const walked = `SELECT action.id FROM action ${conditions} ORDER BY action.id ${direction} LIMIT ${most}`;
    const rows = await this.#read.all<OverviewRow>(
      `WITH walked AS (${walked})
        SELECT ${overviewColumns}
        FROM walked JOIN action ON action.id = walked.id LEFT JOIN project ON project.uid = action.project_id
        ${filters.length === 0 ? '' : `WHERE ${filters.join(' AND ')}`} ORDER BY action.id ${direction} LIMIT ${query.size}`,
      params,
    );
    const next =
      rows.length < query.size ? await this.#endOfWalk(walked, ofWalk, most, direction) : rows.at(-1)?.id;
    return {
      items: await this.#itemsOf(principal, scope, rows),
      next: next === undefined ? null : this.#cursors.of(principal.serviceId, next),
    };
  }

  /** Returns the id of action number `most`, the last one that this request reads; undefined if there are fewer. */
  async #endOfWalk(
    walked: string,
    params: readonly SqlValue[],
    most: number,
    direction: string,
  ): Promise<string | undefined> {
    const [end] = await this.#read.all<{ id: string }>(
      `WITH walked AS (${walked}) SELECT id FROM walked ORDER BY id ${direction} LIMIT 1 OFFSET ${most - 1}`,
      params,
    );
    return end?.id;
  }

  #filtersOf(query: OverviewQuery, param: (value: SqlValue) => string): string[] {
    const { wallet, pendingSince } = query;
    const equal: [string, SqlValue | undefined][] = [
      ['action.status', query.status === 'SUCCEEDED' ? query.status : undefined],
      ['action.stage', query.stage],
      ['action.ledger_id', query.ledgerId],
      ['action.tag', query.tag],
      ['action.caller', query.caller],
      [member(this.#read, ['type']), query.type],
    ];
    const filters = equal.flatMap(([column, value]) =>
      value === undefined ? [] : [`${column} = ${param(value)}`],
    );
    if (query.status === 'CANCELED') {
      const type = this.#read.dialect === 'postgres' ? "problem::jsonb ->> 'type'" : "problem ->> '$.type'";
      filters.push(`action.${type} = ${param(problemType('cancelled'))}`);
    }
    if (wallet !== undefined) {
      const itself = param(wallet);
      filters.push(
        `(action.wallet_id = ${itself} OR ${signedBy(this.#read, `wallet.wallet_id = ${itself}`)})`,
      );
    }
    if (query.code !== undefined) {
      const code = codeSql(this.#engine.knownReasons(), {
        dialect: this.#read.dialect,
        param,
        suspended: true,
      });
      filters.push(`${code} = ${param(query.code)}`);
    }
    if (query.contract !== undefined) filters.push(ofContract(this.#read, param(query.contract)));
    if (query.from !== undefined) filters.push(`action.created_at >= ${param(query.from)}`);
    if (query.to !== undefined) filters.push(`action.created_at <= ${param(query.to)}`);
    if (pendingSince !== undefined) filters.push(`action.created_at <= ${param(pendingSince)}`);
    return filters;
  }

  async #itemsOf(
    principal: Principal,
    scope: Scope,
    rows: readonly OverviewRow[],
  ): Promise<ActionOverview[]> {
    const readable = scope.byWallet
      ? await readableAmong(this.#auth, principal, rows.flatMap(signersOf))
      : undefined;
    const shown = rows.filter(
      (row) => readable === undefined || signersOf(row).some((uid) => readable.has(uid)),
    );
    const views = await this.#present(shown);
    const known = await this.#plugins.known(shown.flatMap(({ plugin }) => plugin ?? []));
    const namesOf = await readNames(this.#read, this.#auth, principal, scope, shown);
    const unitOf = ({ plugin }: OverviewRow): ActionOverview['unit'] =>
      known.get(plugin ?? '')?.definition.description?.unit ?? null;
    return views.flatMap((view, index) => {
      const row = shown[index];
      if (row === undefined) return [];
      const summary = summaryOf(row, unitOf(row));
      const names = namesOf(row.id);
      const named = names.arguments.slice(0, summary.argumentsPreview?.length ?? 0);
      return [{ ...view, ...summary, names: { ...names, arguments: named } }];
    });
  }

  /**
   * Returns the actions with these uids, in the order of the uids. Omits actions of other projects and
   * actions that the caller may not see.
   */
  async byUids(principal: Principal, uids: readonly string[]): Promise<ActionOverview[]> {
    if (uids.length === 0) return [];
    const { result } = await this.#auth.decide(principal, ['wallet:read'], principal.projectUid);
    const rows = await this.#read.all<OverviewRow>(
      `SELECT ${overviewColumns} FROM action LEFT JOIN project ON project.uid = action.project_id
        WHERE ${among(this.#read.dialect, 'action.id', '$1')} AND action.project_id = $2`,
      [JSON.stringify(uids), principal.projectUid],
    );
    const byUid = new Map(rows.map((row) => [row.id, row]));
    const scope = { projectUid: principal.projectUid, byWallet: !result };
    return await this.#itemsOf(
      principal,
      scope,
      uids.flatMap((uid) => byUid.get(uid) ?? []),
    );
  }

  /** Returns the details of an action that `overview` lists. @throws Problem `not-found` */
  async describe(principal: Principal, actionId: string): Promise<ActionDetails> {
    const scope = await scopeOf(this.#read, this.#auth, principal);
    if (scope === null) throw noAction(actionId);
    const own = scope.projectUid === null ? '' : ' AND action.project_id = $2';
    const rows = await this.#read.all<DetailsRow>(
      `SELECT ${overviewColumns}, ${detailsColumns} FROM action LEFT JOIN project ON project.uid = action.project_id
        WHERE ${namedIn(this.#read.dialect, '$1')}${own}`,
      [JSON.stringify([actionId]), ...(scope.projectUid === null ? [] : [scope.projectUid])],
    );
    // Several actions may match an id, because clients of several projects may choose the same id. Ids
    // assigned by the service are unique.
    const row = rows.find(({ id }) => id === actionId) ?? (rows.length === 1 ? rows[0] : undefined);
    const [item] = row === undefined ? [] : await this.#itemsOf(principal, scope, [row]);
    if (row === undefined || item === undefined) {
      throw noAction(actionId);
    }
    return await this.#details(principal, scope, row, item);
  }
}

/** SQL expression: a member of the stored operation. */
function member({ dialect }: Queries, path: readonly string[]): string {
  return dialect === 'postgres'
    ? `action.operation::jsonb #>> '{${path.join(',')}}'`
    : `action.operation ->> '$.${path.join('.')}'`;
}

/**
 * SQL condition: one of the wallets selected by `these` co-signs the action. Reads wallets only for actions with
 * co-signers, which are rare.
 */
function signedBy(read: Queries, these: string): string {
  const find = contains(read.dialect);
  return `(${find}(action.receivers, '"s') > 0 AND EXISTS (SELECT 1 FROM wallet WHERE ${these} AND
    (${find}(action.receivers, '"s:' || wallet.uid || '"') > 0 OR ${find}(action.receivers, '"sr:' || wallet.uid || '"') > 0)))`;
}

/**
 * SQL condition: the action calls or deployed a contract, given by id or address, whichever the operation contains. The
 * case of hexadecimal digits is ignored.
 */
function ofContract(read: Queries, sought: string): string {
  const called = member(read, ['contract', 'resource']);
  const folded = (text: string) => `CASE WHEN ${text} LIKE '0x%' THEN lower(${text}) ELSE ${text} END`;
  const addresses = `(${folded(called)}, ${folded('action.contract_address')})`;
  const registered = (id: string, condition: string) =>
    `EXISTS (SELECT 1 FROM contract WHERE contract.project_id = action.project_id AND contract.contract_id = ${id}
      AND contract.ledger_uid = action.ledger_uid AND ${condition})`;
  const reference = folded('contract.native_reference');
  return `(${called} = ${sought} OR ${folded(sought)} IN ${addresses} OR ${registered(sought, `${reference} IN ${addresses}`)}
    OR ${registered(called, `${reference} = ${folded(sought)}`)})`;
}

function noAction(actionId: string): Problem {
  return new Problem('not-found', `The action ${actionId} does not exist or is not visible to you.`);
}

/** Returns the smallest prefix of a version 7 UUID that was created at this time. */
function idPrefix(at: number): string {
  const hex = Math.max(0, at).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/** Number of characters of an argument in a preview: enough for a transaction hash. */
const shownCharacters = 66;

function shortened(text: string): string {
  return text.length <= shownCharacters ? text : `${text.slice(0, shownCharacters)}…`;
}

function summaryOf(row: OverviewRow, unit: ActionOverview['unit']) {
  const operation = operationOf(row);
  const { recipient, contract, source, method, amount, value } = operation;
  return {
    ledgerId: row.ledger_id,
    projectId: row.project_name,
    type: operation.type ?? null,
    contract: (contract ?? source)?.resource ?? null,
    method: method?.name ?? null,
    argumentsPreview: firstArguments(operation)?.map(shortened) ?? null,
    recipient: recipient?.resource ?? null,
    amount: amount ?? value ?? null,
    unit,
    fee: row.fee,
    blockHeight: row.height,
    blockTime: blockTimeOf(row.block_time),
    endedAt: row.ended_at,
    creator: { serviceId: row.caller, appId: row.app_id },
  };
}
