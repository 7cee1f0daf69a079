import type { Auth, Principal } from '@ledger-ops/auth';
import { createCursors, type MasterKey, Problem } from '@ledger-ops/base';
import type { SqlValue, Store } from '@ledger-ops/store';
import type { Engine } from '../engine/engine.ts';
import { readPendingCode } from '../pending-codes.ts';
import type { PluginLoader } from '../plugins/loader.ts';
import { allTime } from '../rows/actions/listings.ts';
import { codeOfStage, codeSql } from '../rows/actions/waiting.ts';
import { among, textList } from '../rows/sql.ts';
import { visibleWallets } from '../wallets/visible.ts';
import {
  createDetails,
  type DetailsRow,
  detailsColumns,
  type OverviewRow,
  operationOf,
  overviewColumns,
} from './action-details.ts';
import { namedIn } from './action-ids.ts';
import { type ActionRow, signersOf } from './action-row.ts';
import { readableAmong } from './readable.ts';
import { type Scope, scopeOf } from './scope.ts';
import { contains } from './shown-columns.ts';
import type {
  ActionCounts,
  ActionDetails,
  ActionOverview,
  Actions,
  ActionView,
  CountsQuery,
  OverviewQuery,
} from './types.ts';

/** Actions that one request looks at; what it finds among them is its page. */
const mostScanned = 1_000;
/** Pending actions of which one request counts the reasons. */
const mostReasons = 10_000;
/** How far the clocks of servers, by which ids are made, may be from the database's, milliseconds. */
const skew = 600_000;

export interface OverviewOptions {
  store: Store;
  auth: Auth;
  plugins: Pick<PluginLoader, 'known'>;
  engine: Pick<Engine, 'signed' | 'knownReasons'>;
  /** Seals cursors: they name actions that the caller may not see. */
  masterKey: MasterKey;
  /** As the searches show them. */
  present(rows: readonly ActionRow[]): Promise<ActionView[]>;
}

/** All actions that the caller may see, whatever wallets they are of. */
export function createOverview({
  store,
  auth,
  plugins,
  engine,
  masterKey,
  present,
}: OverviewOptions): Pick<Actions, 'overview' | 'describe' | 'counts'> {
  const { read } = store;
  const cursors = createCursors(masterKey, 'actions');
  const details = createDetails({ read, auth, engine });
  const member = (path: readonly string[]) =>
    read.dialect === 'postgres'
      ? `action.operation::jsonb #>> '{${path.join(',')}}'`
      : `action.operation ->> '$.${path.join('.')}'`;

  async function overview(
    principal: Principal,
    query: OverviewQuery,
  ): Promise<{ items: ActionOverview[]; next: string | null }> {
    const scope = await scopeOf(read, auth, principal, query.project);
    const wallets = scope?.byWallet === true ? await walletsOf(principal) : null;
    if (scope === null || wallets?.length === 0) return { items: [], next: null };
    const params: SqlValue[] = [];
    const param = (value: SqlValue) => `$${params.push(value)}`;
    // An index has these in order; all else is looked for among them.
    const walk: string[] = [];
    const isStatus = query.status !== undefined && query.status !== 'SUCCEEDED';
    if (query.intent !== undefined) walk.push(`action.intent = ${param(query.intent)}`);
    if (isStatus) walk.push(`action.status = '${query.status}'`);
    if (scope.projectUid !== null && !isStatus) {
      // As the index of projects has it.
      walk.push(`action.project_id = ${param(scope.projectUid)} AND action.stage <> ''`);
    }
    const [direction, beyond] = query.order === 'oldest' ? ['ASC', '>'] : ['DESC', '<'];
    if (query.cursor !== undefined) {
      walk.push(`action.id ${beyond} ${param(cursors.placeOf(principal.serviceId, query.cursor))}`);
    }
    for (const latest of [query.to, query.pendingSince]) {
      if (latest !== undefined) walk.push(`action.id < ${param(idPrefix(latest + skew))}`);
    }
    if (query.from !== undefined) walk.push(`action.id >= ${param(idPrefix(query.from - skew))}`);
    const ofWalk = [...params];
    const filters = filtersOf(query, param);
    if (scope.projectUid !== null && isStatus) {
      filters.push(`action.project_id = ${param(scope.projectUid)}`);
    }
    if (wallets !== null) {
      const these = textList(read.dialect, param(JSON.stringify(wallets)));
      filters.push(`(action.wallet_uid IN ${these} OR ${signedBy(`wallet.uid IN ${these}`)})`);
    }
    const conditions = walk.length === 0 ? '' : `WHERE ${walk.join(' AND ')}`;
    const most = filters.length === 0 ? query.size : mostScanned;
    const walked = `SELECT action.id FROM action ${conditions} ORDER BY action.id ${direction} LIMIT ${most}`;
    const rows = await read.all<OverviewRow>(
      `WITH walked AS (${walked})
        SELECT ${overviewColumns}
        FROM walked JOIN action ON action.id = walked.id LEFT JOIN project ON project.uid = action.project_id
        ${filters.length === 0 ? '' : `WHERE ${filters.join(' AND ')}`} ORDER BY action.id ${direction} LIMIT ${query.size}`,
      params,
    );
    const next =
      rows.length < query.size ? await endOfWalk(walked, ofWalk, most, direction) : rows.at(-1)?.id;
    return {
      items: await itemsOf(principal, scope, rows),
      next: next === undefined ? null : cursors.of(principal.serviceId, next),
    };
  }

  /** SQL: one of these wallets signs too. Few actions have such, so that the others cost no look-up. */
  function signedBy(these: string): string {
    const find = contains(read.dialect);
    return `(${find}(action.receivers, '"s') > 0 AND EXISTS (SELECT 1 FROM wallet WHERE ${these} AND
      (${find}(action.receivers, '"s:' || wallet.uid || '"') > 0 OR ${find}(action.receivers, '"sr:' || wallet.uid || '"') > 0)))`;
  }

  /** The last that was looked at; undefined: there are no more. */
  async function endOfWalk(
    walked: string,
    params: readonly SqlValue[],
    most: number,
    direction: string,
  ): Promise<string | undefined> {
    const [end] = await read.all<{ id: string }>(
      `WITH walked AS (${walked}) SELECT id FROM walked ORDER BY id ${direction} LIMIT 1 OFFSET ${most - 1}`,
      params,
    );
    return end?.id;
  }

  function filtersOf(query: OverviewQuery, param: (value: SqlValue) => string): string[] {
    const { wallet, pendingSince } = query;
    const equal: [string, SqlValue | undefined][] = [
      ['action.status', query.status === 'SUCCEEDED' ? query.status : undefined],
      ['action.stage', query.stage],
      ['action.ledger_id', query.ledgerId],
      ['action.tag', query.tag],
      ['action.caller', query.caller],
      [member(['type']), query.type],
    ];
    const filters = equal.flatMap(([column, value]) =>
      value === undefined ? [] : [`${column} = ${param(value)}`],
    );
    if (wallet !== undefined) {
      const itself = param(wallet);
      filters.push(`(action.wallet_id = ${itself} OR ${signedBy(`wallet.wallet_id = ${itself}`)})`);
    }
    if (query.code !== undefined) {
      const code = codeSql(engine.knownReasons(), { dialect: read.dialect, param, suspended: true });
      filters.push(`${code} = ${param(query.code)}`);
    }
    if (query.contract !== undefined) filters.push(ofContract(param(query.contract)));
    if (query.from !== undefined) filters.push(`action.created_at >= ${param(query.from)}`);
    if (query.to !== undefined) filters.push(`action.created_at <= ${param(query.to)}`);
    if (pendingSince !== undefined) filters.push(`action.created_at <= ${param(pendingSince)}`);
    return filters;
  }

  /**
   * SQL: a contract, by its id or address, is called, or was deployed. Whether the operation names it by its id or its address, and in which
   * case hexadecimal digits are written, makes no difference.
   */
  function ofContract(sought: string): string {
    const called = member(['contract', 'resource']);
    const folded = (text: string) => `CASE WHEN ${text} LIKE '0x%' THEN lower(${text}) ELSE ${text} END`;
    const addresses = `(${folded(called)}, ${folded('action.contract_address')})`;
    const registered = (id: string, condition: string) =>
      `EXISTS (SELECT 1 FROM contract WHERE contract.project_id = action.project_id AND contract.contract_id = ${id}
        AND contract.ledger_uid = action.ledger_uid AND ${condition})`;
    const reference = folded('contract.native_reference');
    return `(${called} = ${sought} OR ${folded(sought)} IN ${addresses} OR ${registered(sought, `${reference} IN ${addresses}`)}
      OR ${registered(called, `${reference} = ${folded(sought)}`)})`;
  }

  async function itemsOf(
    principal: Principal,
    scope: Scope,
    rows: readonly OverviewRow[],
  ): Promise<ActionOverview[]> {
    const readable = scope.byWallet
      ? await readableAmong(auth, principal, rows.flatMap(signersOf))
      : undefined;
    const shown = rows.filter(
      (row) => readable === undefined || signersOf(row).some((uid) => readable.has(uid)),
    );
    const views = await present(shown);
    const known = await plugins.known(shown.flatMap(({ plugin }) => plugin ?? []));
    const unitOf = ({ plugin }: OverviewRow): ActionOverview['unit'] =>
      known.get(plugin ?? '')?.definition.description?.unit ?? null;
    return views.flatMap((view, index) => {
      const row = shown[index];
      return row === undefined ? [] : [{ ...view, ...summaryOf(row, unitOf(row)) }];
    });
  }

  async function describe(principal: Principal, actionId: string): Promise<ActionDetails> {
    const scope = await scopeOf(read, auth, principal);
    if (scope === null) throw noAction(actionId);
    const own = scope.projectUid === null ? '' : ' AND action.project_id = $2';
    const rows = await read.all<DetailsRow>(
      `SELECT ${overviewColumns}, ${detailsColumns} FROM action LEFT JOIN project ON project.uid = action.project_id
        WHERE ${namedIn(read.dialect, '$1')}${own}`,
      [JSON.stringify([actionId]), ...(scope.projectUid === null ? [] : [scope.projectUid])],
    );
    // Projects may have chosen the same id; one of the service's own names one action only.
    const row = rows.find(({ id }) => id === actionId) ?? (rows.length === 1 ? rows[0] : undefined);
    const [item] = row === undefined ? [] : await itemsOf(principal, scope, [row]);
    if (row === undefined || item === undefined) {
      throw noAction(actionId);
    }
    return await details(principal, scope, row, item);
  }

  async function counts(principal: Principal, query: CountsQuery): Promise<ActionCounts> {
    const scope = await scopeOf(read, auth, principal, query.project);
    if (scope === null) return noActions();
    const params: SqlValue[] = [];
    const param = (value: SqlValue) => `$${params.push(value)}`;
    const wallets = scope.byWallet ? await walletsOf(principal) : null;
    const of =
      wallets !== null
        ? among(read.dialect, 'one.party', param(JSON.stringify(wallets.map((uid) => `w:${uid}`))))
        : scope.projectUid === null
          ? "one.party >= 'p:' AND one.party < 'p;'"
          : `one.party = ${param(`p:${scope.projectUid}`)}`;
    const ledger = query.ledgerId === undefined ? '' : ` AND one.ledger_id = ${param(query.ledgerId)}`;
    const tallies = await read.all<{ status: string; n: number }>(
      `SELECT one.status AS status, SUM(tally.n) AS n FROM action_listing AS one
        JOIN action_tally AS tally ON tally.listing = one.id AND tally.level = ${allTime} AND tally.span = 0
        WHERE ${of}${ledger} GROUP BY one.status`,
      params,
    );
    const number = (status: string) => Number(tallies.find((one) => one.status === status)?.n ?? 0);
    return {
      status: {
        PENDING: number('PENDING'),
        SUCCEEDED: number('SUCCEEDED'),
        FAILED: number('FAILED'),
      },
      ...(await stagesOf(scope, wallets, query)),
    };
  }

  async function stagesOf(
    scope: Scope,
    wallets: readonly string[] | null,
    query: CountsQuery,
  ): Promise<Pick<ActionCounts, 'stage' | 'pending' | 'oldestPendingAt' | 'complete'>> {
    const params: SqlValue[] = [];
    const param = (value: SqlValue) => `$${params.push(value)}`;
    const filters = ['true'];
    if (scope.projectUid !== null) filters.push(`project_id = ${param(scope.projectUid)}`);
    if (query.ledgerId !== undefined) filters.push(`ledger_id = ${param(query.ledgerId)}`);
    if (wallets !== null) {
      filters.push(`wallet_uid IN ${textList(read.dialect, param(JSON.stringify(wallets)))}`);
    }
    const [suspension] = await read.all('SELECT id FROM suspension LIMIT 1');
    // All of it stands in the index, unless something is suspended, or memory knows more.
    const options = { dialect: read.dialect, param, suspended: suspension !== undefined };
    const ofQuery = filters.join(' AND ');
    const ofFilters = [...params];
    const shown = codeSql(engine.knownReasons(), options);
    const newest = `SELECT id, stage, ${shown} AS code, project_id, ledger_id, wallet_uid FROM action
      WHERE status = 'PENDING' ORDER BY id DESC LIMIT ${mostReasons}`;
    const fits = `CASE WHEN ${ofQuery} THEN 1 ELSE 0 END`;
    const rows = await read.all<{ stage: string; code: string | null; fits: number; n: number; low: string }>(
      `SELECT stage, code, ${fits} AS fits, COUNT(*) AS n, MIN(id) AS low FROM (${newest}) AS newest
        GROUP BY stage, code, fits`,
      params,
    );
    const seen = rows.reduce((sum, { n }) => sum + Number(n), 0);
    const more = seen === mostReasons && (await isPendingBefore(leastOf(rows) ?? ''));
    const stage = { blocked: 0, ready: 0, signed: 0 };
    const pending: ActionCounts['pending'] = {};
    const fitting = rows.filter((row) => Number(row.fits) === 1);
    for (const row of fitting) {
      if (row.stage !== 'blocked' && row.stage !== 'ready' && row.stage !== 'signed') continue;
      const code = readPendingCode(row.code) ?? codeOfStage[row.stage];
      stage[row.stage] += Number(row.n);
      pending[code] = (pending[code] ?? 0) + Number(row.n);
    }
    const oldest = (more ? await oldestPending(ofQuery, ofFilters) : undefined) ?? leastOf(fitting);
    return {
      ...{ stage, pending, complete: !more },
      oldestPendingAt: oldest === undefined ? null : await acceptedAt(oldest),
    };
  }

  /** The id of the oldest pending action that fits; undefined: none of the oldest of all does. */
  async function oldestPending(condition: string, params: readonly SqlValue[]): Promise<string | undefined> {
    const [row] = await read.all<{ id: string | null }>(
      `SELECT MIN(id) AS id FROM (SELECT id, project_id, ledger_id, wallet_uid FROM action WHERE status = 'PENDING'
        ORDER BY id LIMIT ${mostReasons}) AS oldest WHERE ${condition}`,
      params,
    );
    return row?.id ?? undefined;
  }

  async function acceptedAt(id: string): Promise<number | null> {
    const [row] = await read.all<{ at: number }>('SELECT created_at AS at FROM action WHERE id = $1', [id]);
    return row?.at ?? null;
  }

  /** Whether an older action than this one is pending. */
  async function isPendingBefore(id: string): Promise<boolean> {
    const older = await read.all(
      "SELECT id FROM action WHERE status = 'PENDING' AND id < $1 ORDER BY id DESC LIMIT 1",
      [id],
    );
    return older.length > 0;
  }

  async function walletsOf(principal: Principal): Promise<string[]> {
    const { wallet } = read.t;
    const rows = await read.db
      .select({ uid: wallet.uid })
      .from(wallet)
      .where(await visibleWallets(read, auth, principal));
    return rows.map(({ uid }) => uid);
  }

  return { overview, describe, counts };
}

/** Where nothing else is stored, it waits for what its stage says. */
function noAction(actionId: string): Problem {
  return new Problem('not-found', `There is no action ${actionId} that you may see.`);
}

function noActions(): ActionCounts {
  const status = { PENDING: 0, SUCCEEDED: 0, FAILED: 0 };
  const stage = { blocked: 0, ready: 0, signed: 0 };
  return { status, stage, pending: {}, oldestPendingAt: null, complete: true };
}

/** The least id of groups of actions. */
function leastOf(groups: readonly { low: string }[]): string | undefined {
  return groups.map(({ low }) => low).sort()[0];
}

/** The least id of version 7 that is made at an instant. */
function idPrefix(at: number): string {
  const hex = Math.max(0, at).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
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
    recipient: recipient?.resource ?? null,
    amount: amount ?? value ?? null,
    unit,
    fee: row.fee,
    blockHeight: row.height,
    blockTime: row.block_time,
    endedAt: row.ended_at,
    creator: { serviceId: row.caller, appId: row.app_id },
  };
}
