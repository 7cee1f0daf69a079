import type { Auth, Principal } from '@ledger-ops/auth';
import type { Queries, SqlValue, Store } from '@ledger-ops/store';
import type { Engine } from '../engine/engine.ts';
import { readPendingCode } from '../pending-codes.ts';
import { allTime } from '../rows/actions/listings.ts';
import { codeOfStage, codeSql } from '../rows/actions/waiting.ts';
import { among, textList } from '../rows/sql.ts';
import { visibleWalletUids } from '../wallets/visible.ts';
import { type Scope, scopeOf } from './scope.ts';
import type { ActionCounts, CountsQuery } from './types.ts';

/** Maximum number of pending actions whose reasons one request counts. */
const mostReasons = 10_000;

export interface CounterOptions {
  store: Store;
  auth: Auth;
  engine: Pick<Engine, 'knownReasons'>;
}

/** Counts actions by status, stage and pending reason. */
export class ActionCounter {
  readonly #read: Queries;
  readonly #auth: Auth;
  readonly #engine: CounterOptions['engine'];

  constructor({ store, auth, engine }: CounterOptions) {
    this.#read = store.read;
    this.#auth = auth;
    this.#engine = engine;
  }

  /** Counts the actions that the caller may see. @throws Problem `not-found` */
  async counts(principal: Principal, query: CountsQuery): Promise<ActionCounts> {
    const scope = await scopeOf(this.#read, this.#auth, principal, query.project);
    if (scope === null) return noActions();
    const params: SqlValue[] = [];
    const param = (value: SqlValue) => `$${params.push(value)}`;
    const wallets = scope.byWallet ? await visibleWalletUids(this.#read, this.#auth, principal) : null;
    const of =
      wallets !== null
        ? among(this.#read.dialect, 'one.party', param(JSON.stringify(wallets.map((uid) => `w:${uid}`))))
        : scope.projectUid === null
          ? "one.party >= 'p:' AND one.party < 'p;'"
          : `one.party = ${param(`p:${scope.projectUid}`)}`;
    const ledger = query.ledgerId === undefined ? '' : ` AND one.ledger_id = ${param(query.ledgerId)}`;
    const tallies = await this.#read.all<{ status: string; n: number }>(
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
      ...(await this.#stagesOf(scope, wallets, query)),
    };
  }

  async #stagesOf(
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
      filters.push(`wallet_uid IN ${textList(this.#read.dialect, param(JSON.stringify(wallets)))}`);
    }
    const [suspension] = await this.#read.all('SELECT id FROM suspension LIMIT 1');
    // An index covers this query, unless it also reads suspensions or pending reasons that are only in memory.
    const options = { dialect: this.#read.dialect, param, suspended: suspension !== undefined };
    const ofQuery = filters.join(' AND ');
    const ofFilters = [...params];
    const shown = codeSql(this.#engine.knownReasons(), options);
    const newest = `SELECT id, stage, ${shown} AS code, project_id, ledger_id, wallet_uid FROM action
      WHERE status = 'PENDING' ORDER BY id DESC LIMIT ${mostReasons}`;
    const fits = `CASE WHEN ${ofQuery} THEN 1 ELSE 0 END`;
    const rows = await this.#read.all<{
      stage: string;
      code: string | null;
      fits: number;
      n: number;
      low: string;
    }>(
      `SELECT stage, code, ${fits} AS fits, COUNT(*) AS n, MIN(id) AS low FROM (${newest}) AS newest
        GROUP BY stage, code, fits`,
      params,
    );
    const seen = rows.reduce((sum, { n }) => sum + Number(n), 0);
    const more = seen === mostReasons && (await this.#isPendingBefore(leastOf(rows) ?? ''));
    const stage = { blocked: 0, ready: 0, signed: 0 };
    const pending: ActionCounts['pending'] = {};
    const fitting = rows.filter((row) => Number(row.fits) === 1);
    for (const row of fitting) {
      if (row.stage !== 'blocked' && row.stage !== 'ready' && row.stage !== 'signed') continue;
      const code = readPendingCode(row.code) ?? codeOfStage[row.stage];
      stage[row.stage] += Number(row.n);
      pending[code] = (pending[code] ?? 0) + Number(row.n);
    }
    const oldest = (more ? await this.#oldestPending(ofQuery, ofFilters) : undefined) ?? leastOf(fitting);
    return {
      ...{ stage, pending, complete: !more },
      oldestPendingAt: oldest === undefined ? null : await this.#acceptedAt(oldest),
    };
  }

  /**
   * Returns the id of the oldest pending action that matches; undefined if none of the `mostReasons` oldest pending
   * actions matches.
   */
  async #oldestPending(condition: string, params: readonly SqlValue[]): Promise<string | undefined> {
    const [row] = await this.#read.all<{ id: string | null }>(
      `SELECT MIN(id) AS id FROM (SELECT id, project_id, ledger_id, wallet_uid FROM action WHERE status = 'PENDING'
        ORDER BY id LIMIT ${mostReasons}) AS oldest WHERE ${condition}`,
      params,
    );
    return row?.id ?? undefined;
  }

  async #acceptedAt(id: string): Promise<number | null> {
    const [row] = await this.#read.all<{ at: number }>('SELECT created_at AS at FROM action WHERE id = $1', [
      id,
    ]);
    return row?.at ?? null;
  }

  async #isPendingBefore(id: string): Promise<boolean> {
    const older = await this.#read.all(
      "SELECT id FROM action WHERE status = 'PENDING' AND id < $1 ORDER BY id DESC LIMIT 1",
      [id],
    );
    return older.length > 0;
  }
}

function noActions(): ActionCounts {
  const status = { PENDING: 0, SUCCEEDED: 0, FAILED: 0 };
  const stage = { blocked: 0, ready: 0, signed: 0 };
  return { status, stage, pending: {}, oldestPendingAt: null, complete: true };
}

function leastOf(groups: readonly { low: string }[]): string | undefined {
  return groups.map(({ low }) => low).sort()[0];
}
