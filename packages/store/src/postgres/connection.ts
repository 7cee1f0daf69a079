import { createHash } from 'node:crypto';
import pg from 'pg';
import { StoreError } from '../errors.ts';
import { type StoreLogger, silentLogger } from '../logger.ts';
import type { Timing } from '../timing.ts';
import { readDatabaseUrl } from './database-url.ts';
import { Hosts } from './hosts.ts';
import type { SessionLimits } from './session.ts';

/** One statement. It returns rows as objects or, for drizzle, as arrays. */
export interface Statement {
  readonly text: string;
  readonly values: unknown[];
  /** Name of the prepared statement. Each connection prepares it once. */
  readonly name?: string;
  readonly rowMode?: 'array';
}

/** The database to connect to. Error messages never contain its password. */
export interface Target {
  /**
   * Settings of every connection, except those of a host, such as its name and credentials. Settings of a host override
   * these.
   */
  readonly config: pg.ClientConfig;
  readonly hosts: Hosts;
  readonly limits: SessionLimits;
  /**
   * The installation's schema, which becomes the search path of each connection. If undefined, the role's search path
   * applies.
   */
  readonly schema: string | undefined;
  /** Name of the database in messages: `host:port/database`, and the schema if it is known. */
  readonly where: string;
  /** Reads the URL again; undefined if the URL never changes. */
  readonly readUrl: (() => Promise<string>) | undefined;
  readonly logger: StoreLogger;
}

/** A PostgreSQL database, as the deployer names it. */
export interface PostgresPlace {
  readonly url: string;
  readonly schema?: string | undefined;
  /** Reads the URL again after PostgreSQL refused its role or password; undefined if the URL never changes. */
  readonly readUrl?: (() => Promise<string>) | undefined;
  readonly logger?: StoreLogger | undefined;
}

/** Checks the URL and adds the settings that every connection of the store uses. */
export function parseTarget(place: PostgresPlace, timing: Timing): Target {
  const { url, schema, readUrl, logger = silentLogger } = place;
  const { hosts, where, connectTimeout } = readDatabaseUrl(url);
  return {
    schema,
    readUrl,
    logger,
    where: schema === undefined ? where : `${where}, schema ${schema}`,
    hosts: new Hosts(hosts),
    limits: { statement: timing.statement, idleTransaction: timing.idleTransaction },
    config: {
      application_name: 'ledger-ops',
      connectionTimeoutMillis: connectTimeout ?? timing.connect,
      keepAlive: true,
      query_timeout: timing.statement + timing.silence,
      types: { getTypeParser },
    },
  };
}

/**
 * Returns parsers that convert values to those that SQLite returns: numbers for integers, and plain Uint8Arrays for
 * bytes.
 */
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
      'The database returned an integer above 2^53. Store such values as text.',
    );
  }
  return value;
}

/** Creates a function that names prepared statements by a hash of their text. It names at most `limit` statements. */
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
