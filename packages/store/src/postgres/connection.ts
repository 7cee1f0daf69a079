import { createHash } from 'node:crypto';
import pg from 'pg';
import { StoreError } from '../errors.ts';
import type { Timing } from '../timing.ts';
import { fromPostgresError } from './errors.ts';

/** Runs one statement and answers with rows as objects or, for drizzle, as arrays. */
export interface Statement {
  readonly text: string;
  readonly values: unknown[];
  /** Prepared under this name, once per connection. */
  readonly name?: string;
  readonly rowMode?: 'array';
}

/** Where a store connects to; the password appears in no message. */
export interface Target {
  readonly config: pg.ClientConfig;
  /** `host:port/database`, for messages. */
  readonly where: string;
}

/** Checks the URL and adds what every connection of the store has. */
export function parseTarget(url: string, timing: Timing): Target {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    throw new StoreError(
      'misuse',
      'The database URL is not a URL; it has the form postgres://user:password@host:port/database.',
    );
  }
  if (parsed.protocol !== 'postgres:' && parsed.protocol !== 'postgresql:') {
    throw new StoreError(
      'misuse',
      `The database URL has scheme ${parsed.protocol}//; only postgres:// is known.`,
    );
  }
  return {
    where: `${parsed.host}${parsed.pathname}`,
    config: {
      connectionString: url,
      application_name: 'ledger-ops',
      connectionTimeoutMillis: timing.connect,
      keepAlive: true,
      statement_timeout: timing.statement,
      idle_in_transaction_session_timeout: timing.idleTransaction,
      query_timeout: timing.statement + timing.silence,
      types: { getTypeParser },
    },
  };
}

/** Work on a connection of its own, without bounds for its statements. @throws StoreError */
export async function connected<T>(
  target: Target,
  work: (client: pg.Client, run: (statement: Statement) => Promise<pg.QueryResult>) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    ...target.config,
    ...{ statement_timeout: 0, query_timeout: 0, idle_in_transaction_session_timeout: 0 },
  });
  // A connection that breaks fails the next statement.
  client.on('error', () => undefined);
  let statement = `connect to ${target.where}`;
  try {
    await client.connect();
    return await work(client, (asked) => {
      statement = asked.text;
      return client.query(asked);
    });
  } catch (error) {
    throw error instanceof StoreError ? error : fromPostgresError(error, statement);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Values as SQLite gives them: integers as numbers, bytes as plain Uint8Array. */
const getTypeParser: pg.CustomTypesConfig['getTypeParser'] = (oid, format) => {
  if (oid === pg.types.builtins.INT8 || oid === pg.types.builtins.NUMERIC) return toNumber;
  const parse = pg.types.getTypeParser(oid, format);
  if (oid !== pg.types.builtins.BYTEA) return parse;
  return (value: string) => {
    const buffer: Buffer = parse(value);
    return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  };
};

function toNumber(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new StoreError(
      'statement',
      'The database answered an integer beyond 2^53; such values are kept as text.',
    );
  }
  return value;
}

/** Names prepared statements by the hash of their text; only as many as a server should hold. */
export function createStatementNames(limit = 500): (text: string) => string | undefined {
  const names = new Map<string, string>();
  return (text) => {
    const known = names.get(text);
    if (known !== undefined) return known;
    if (names.size >= limit) return undefined;
    const name = `s_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
    names.set(text, name);
    return name;
  };
}
