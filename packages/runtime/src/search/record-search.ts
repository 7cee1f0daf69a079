import { type Auth, type Principal, systemUid } from '@ledger-ops/auth';
import type { Queries, SqlValue, Store } from '@ledger-ops/store';
import type { ActionOverviews } from '../actions/overview.ts';
import { readableAmong } from '../actions/readable.ts';
import { contains } from '../actions/shown-columns.ts';
import type { ActionOverview } from '../actions/types.ts';

/** A record that a search found. */
export type FoundRecord =
  | { kind: 'action'; id: string; action: ActionOverview }
  | {
      kind: 'wallet' | 'contract' | 'template' | 'ledger' | 'intent' | 'tag';
      /** Id of the record; for an intent or tag, its value. */
      id: string;
      name: string;
      /** Address of a wallet or contract, or technology of a ledger. */
      detail: string | null;
    };

export interface RecordSearchOptions {
  store: Store;
  auth: Auth;
  overviews: Pick<ActionOverviews, 'byUids'>;
}

/** Maximum number of records of one kind in a result. */
const mostOfKind = 5;
/** Maximum number of records of one kind that are read. Those that the caller may not read are removed afterwards. */
const mostRead = 20;
/**
 * Maximum number of records of one kind whose names are searched for the text at any position. The names of the others
 * match only if they start with it.
 */
const mostSearched = 1_000;
/** Minimum length of a search term for which ids, addresses and hashes are found that start with it. */
const shortestStart = 6;
/** Maximum number of rows of other projects that are skipped in an index whose first column is not the project. */
const mostForeign = 50;
/** Greater than every character of an id or name. */
const end = '\u{10FFFF}';

interface Row extends Record<string, SqlValue> {
  id: string;
  uid: string;
  name: string;
  detail: string | null;
}

/**
 * Finds records of the caller's project by id, name, address or hash. Each SQL statement reads a limited part of an
 * index.
 */
export class RecordSearch {
  readonly #read: Queries;
  readonly #auth: Auth;
  readonly #overviews: RecordSearchOptions['overviews'];

  constructor({ store, auth, overviews }: RecordSearchOptions) {
    this.#read = store.read;
    this.#auth = auth;
    this.#overviews = overviews;
  }

  /** Returns the records that the caller may read. Records whose id or address equals the text come first. */
  async find(principal: Principal, text: string): Promise<FoundRecord[]> {
    const found = await Promise.all([
      this.#actions(principal, text),
      this.#intents(principal, text),
      this.#wallets(principal, text),
      this.#contracts(principal, text),
      this.#templates(principal, text),
      this.#ledgers(principal, text),
      this.#tags(principal, text),
    ]);
    return found.flat();
  }

  /** Finds actions by id or transaction id, or by the beginning of one of these. */
  async #actions({ projectUid, ...principal }: Principal, text: string): Promise<FoundRecord[]> {
    const params: SqlValue[] = [projectUid, text, text.toLowerCase(), `${text.toLowerCase()}${end}`];
    const exact = `SELECT id FROM action WHERE given_id = $2 AND project_id = $1
      UNION SELECT action.id FROM attempt JOIN action ON action.id = attempt.action_id
        WHERE attempt.tx_id IN ($2, $3) AND attempt.kind <> 'filler' AND action.project_id = $1`;
    const starting = `UNION SELECT id FROM (SELECT id FROM action WHERE project_id = $1 AND stage <> ''
        AND id >= $3 AND id < $4 ORDER BY id LIMIT ${mostRead}) AS by_id
      UNION SELECT action.id FROM (SELECT action_id FROM attempt WHERE tx_id >= $3 AND tx_id < $4 AND kind <> 'filler'
        ORDER BY tx_id LIMIT ${mostForeign}) AS sent JOIN action ON action.id = sent.action_id WHERE action.project_id = $1`;
    const isLong = text.length >= shortestStart;
    const rows = await this.#read.all<{ id: string }>(
      `SELECT id FROM (${exact} ${isLong ? starting : ''}) AS found ORDER BY id DESC LIMIT ${mostRead}`,
      isLong ? params : params.slice(0, 3),
    );
    const uids = rows.map(({ id }) => id);
    const actions = await this.#overviews.byUids({ projectUid, ...principal }, uids);
    return actions.slice(0, mostOfKind).map((action) => ({ kind: 'action', id: action.actionId, action }));
  }

  async #intents(principal: Principal, text: string): Promise<FoundRecord[]> {
    const rows = await this.#read.all<{ wallet_uid: string }>(
      `SELECT wallet_uid FROM action WHERE intent = $1 AND project_id = $2 AND intent <> '' LIMIT ${mostRead}`,
      [text.toLowerCase(), principal.projectUid],
    );
    const readable = await this.#readable(principal, rows, ({ wallet_uid }) => wallet_uid, 'wallet');
    const name = text.toLowerCase();
    return readable.length === 0 ? [] : [{ kind: 'intent', id: name, name, detail: null }];
  }

  /**
   * Finds tags that start with the text. Skips from tag to tag in the index, so that actions with the same tag are not
   * read.
   */
  async #tags(principal: Principal, text: string): Promise<FoundRecord[]> {
    const { result } = await this.#auth.decide(principal, ['wallet:read'], principal.projectUid);
    if (!result) return [];
    const tags: string[] = [];
    let after = text;
    for (let comparison = '>='; tags.length < mostOfKind; comparison = '>') {
      const [row] = await this.#read.all<{ tag: string }>(
        `SELECT tag FROM action WHERE project_id = $1 AND tag IS NOT NULL AND tag ${comparison} $2 AND tag < $3
          ORDER BY tag LIMIT 1`,
        [principal.projectUid, after, `${text}${end}`],
      );
      if (row === undefined) break;
      tags.push(row.tag);
      after = row.tag;
    }
    return tags.map((tag) => ({ kind: 'tag', id: tag, name: tag, detail: null }));
  }

  async #wallets(principal: Principal, text: string): Promise<FoundRecord[]> {
    const columns = 'uid, wallet_id AS id, wallet_id AS name, address AS detail';
    const rows = await this.#rows(principal.projectUid, text, {
      columns,
      table: 'wallet',
      starts: ['lower(wallet_id)', 'lower(address)'],
      part: { text: 'id', order: 'wallet_id' },
    });
    const readable = await this.#readable(principal, rows, ({ uid }) => uid, 'wallet');
    return readable.map((row) => recordOf('wallet', row));
  }

  async #contracts(principal: Principal, text: string): Promise<FoundRecord[]> {
    const columns = 'uid, contract_id AS id, name, native_reference AS detail';
    const rows = await this.#rows(principal.projectUid, text, {
      columns,
      table: 'contract',
      starts: ['lower(name)', 'lower(native_reference)', 'contract_id'],
      part: { text: 'name', order: 'contract_id' },
    });
    const readable = await this.#readable(principal, rows, ({ uid }) => uid, 'smart-contract-instance');
    return readable.map((row) => recordOf('contract', row));
  }

  async #templates(principal: Principal, text: string): Promise<FoundRecord[]> {
    const rows = await this.#rows(principal.projectUid, text, {
      columns: 'uid, template_id AS id, name, NULL AS detail',
      table: 'template',
      starts: ['template_id'],
      part: { text: `name || ' ' || id`, order: 'template_id' },
    });
    const readable = await this.#readable(principal, rows, ({ uid }) => uid, 'smart-contract-template');
    return readable.map((row) => recordOf('template', row));
  }

  /** Finds ledgers of the project, and those of the deployer, which every caller may read. */
  async #ledgers(principal: Principal, text: string): Promise<FoundRecord[]> {
    const rows = await this.#read.all<Row & { scope: string }>(
      `SELECT uid, scope, ledger_id AS id, name, technology AS detail FROM (
          SELECT uid, scope, ledger_id, name, technology, active FROM ledger WHERE scope IN ($1, $2)
          ORDER BY scope, ledger_id LIMIT ${mostSearched}) AS ledger
        WHERE ${contains(this.#read.dialect)}(lower(name || ' ' || ledger_id || ' ' || uid), $3) > 0 AND active
        ORDER BY ledger_id LIMIT ${mostRead}`,
      [principal.projectUid, systemUid, text.toLowerCase()],
    );
    const own = rows.filter(({ scope }) => scope !== systemUid);
    const readable = new Set(await this.#readable(principal, own, ({ uid }) => uid, 'ledger'));
    return rows
      .filter((row) => row.scope === systemUid || readable.has(row))
      .slice(0, mostOfKind)
      .map((row) => recordOf('ledger', row));
  }

  /** Returns rows of a project whose indexed expressions start with the text or whose name contains it. */
  async #rows(projectUid: string, text: string, { columns, table, starts, part }: Lookup): Promise<Row[]> {
    const select = `SELECT ${columns} FROM ${table} WHERE project_id = $1`;
    const ranges = starts.map(
      (
        expression,
      ) => `SELECT uid, id, name, detail FROM (${select} AND ${expression} >= $2 AND ${expression} < $3
        ORDER BY ${expression} LIMIT ${mostRead}) AS starting`,
    );
    const parts = `SELECT uid, id, name, detail FROM (${select} ORDER BY ${part.order} LIMIT ${mostSearched}) AS searched
      WHERE ${contains(this.#read.dialect)}(lower(${part.text}), $2) > 0`;
    const sought = text.toLowerCase();
    return await this.#read.all<Row>(
      `SELECT uid, id, name, detail FROM (${[...ranges, parts].join(' UNION ')}) AS found
        ORDER BY CASE WHEN lower(name) = $2 OR lower(id) = $2 THEN 0 ELSE 1 END, name, id LIMIT ${mostRead}`,
      [projectUid, sought, `${sought}${end}`],
    );
  }

  async #readable<One>(
    principal: Principal,
    rows: readonly One[],
    uidOf: (row: One) => string,
    type: Parameters<typeof readableAmong>[3],
  ): Promise<One[]> {
    const readable = await readableAmong(this.#auth, principal, rows.map(uidOf), type);
    return rows.filter((row) => readable.has(uidOf(row))).slice(0, mostOfKind);
  }
}

interface Lookup {
  /** List of columns that includes uid, id, name and detail. */
  readonly columns: string;
  readonly table: string;
  /** Expressions that are searched by their beginning. For each, an index on the project and the expression exists. */
  readonly starts: readonly string[];
  /** The expression in which the text is searched at any position, and the order in which rows are searched. */
  readonly part: { readonly text: string; readonly order: string };
}

function recordOf(
  kind: 'wallet' | 'contract' | 'template' | 'ledger',
  { id, name, detail }: Row,
): FoundRecord {
  return { kind, id, name, detail };
}
