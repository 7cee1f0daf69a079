import pg from 'pg';
import { StoreError } from '../errors.ts';
import type { StoreLogger } from '../logger.ts';
import type { Statement, Target } from './connection.ts';
import { breaksConnection, fromPostgresError } from './errors.ts';
import type { Host } from './hosts.ts';

/** The timeline is in the first eight digits of the name of the file that the primary writes. */
const timeline = `case when pg_is_in_recovery() then null
  else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int end`;
const system = '(select system_identifier::text from pg_control_system())';

const roleQuery = (timeline: string, system: string) =>
  `select pg_is_in_recovery() as standby, ${timeline} as timeline, ${system} as system`;

/** Services may withhold the system identifier, or also the functions of the write-ahead log. */
const roleQueries = [roleQuery(timeline, system), roleQuery(timeline, 'null'), roleQuery('null', 'null')];

/** Fails unless a connection is to the primary. @throws StoreError, pg.DatabaseError */
async function demandPrimary(client: pg.ClientBase, { hosts }: Target, name: string): Promise<void> {
  const { standby, timeline, system } = await readRole(client);
  hosts.demandPrimary(name, standby, timeline, system);
}

interface Role {
  readonly standby: boolean;
  readonly timeline: number | null;
  readonly system: string | null;
}

async function readRole(client: pg.ClientBase, [text = '', ...others] = roleQueries): Promise<Role> {
  try {
    const { rows } = await client.query(text);
    return rows[0];
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || others.length === 0) throw error;
    return await readRole(client, others);
  }
}

/**
 * Opens a connection to the primary of a database; tries each host once.
 * @throws StoreError, or the error of `pg`
 */
export async function connectToPrimary(target: Target, options: pg.ClientConfig = {}): Promise<pg.Client> {
  return await eachHost(target, async (host) => {
    const client = new pg.Client({ ...target.config, ...options, connectionString: host.url });
    // If the connection breaks, the next statement fails.
    client.on('error', () => undefined);
    try {
      await client.connect();
      await demandPrimary(client, target, host.name);
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
  });
}

/** Settings of connections whose statements may take any time. */
export const unlimited = { statement_timeout: 0, query_timeout: 0, idle_in_transaction_session_timeout: 0 };

/**
 * Runs work on a connection of its own, without statement timeouts.
 * @throws StoreError
 */
export async function connected<T>(
  target: Target,
  work: (client: pg.Client, run: (statement: Statement) => Promise<pg.QueryResult>) => Promise<T>,
): Promise<T> {
  let statement = `connect to ${target.where}`;
  let client: pg.Client | undefined;
  try {
    const connection = await connectToPrimary(target, unlimited);
    client = connection;
    return await work(connection, (asked) => {
      statement = asked.text;
      return connection.query(asked);
    });
  } catch (error) {
    throw error instanceof StoreError ? error : fromPostgresError(error, statement);
  } finally {
    await client?.end().catch(() => undefined);
  }
}

/**
 * Calls `connect` until it succeeds, at most once for each host.
 * @param isOfHost whether a failure is the host's, so that the next one is tried
 */
async function eachHost<T>(
  { hosts }: Target,
  connect: (host: Host) => Promise<T>,
  isOfHost = () => true,
): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    const host = hosts.current;
    try {
      return await connect(host);
    } catch (error) {
      if (!isOfHost()) throw error;
      hosts.skip(host);
      if (failures >= hosts.all.length) throw error;
    }
  }
}

/** Work on a promoted standby before anything else uses it. */
export type CheckPromoted = (client: pg.ClientBase) => Promise<void>;

/**
 * Pooled connections to the primary of a database.
 *
 * State: the check of a promoted standby, and the one that is running. New connections wait for it.
 */
export class Connections {
  readonly #target: Target;
  readonly #pool: pg.Pool;
  #checkPromoted: CheckPromoted = async () => undefined;
  #checking: Promise<void> | undefined;

  /** @param max connections at most */
  constructor(target: Target, max: number, logger: StoreLogger) {
    this.#target = target;
    const { hosts } = target;
    class Client extends pg.Client {
      readonly hostName = hosts.current.name;

      constructor(config?: pg.ClientConfig) {
        super({ ...config, connectionString: hosts.current.url });
      }
    }
    this.#pool = new pg.Pool({
      ...target.config,
      max,
      Client,
      verify: (client, done) => {
        const name = client instanceof Client ? client.hostName : '';
        this.#admit(client, name).then(() => done(), done);
      },
    });
    // If a connection in use breaks, its statement fails; the pool replaces an idle one.
    this.#pool.on('error', (error) => {
      logger.warn({ error: fromPostgresError(error, 'none').message }, 'an idle connection broke');
    });
    this.#pool.on('connect', (client) => {
      client.on('error', () => undefined);
    });
  }

  /** Sets the check of promoted standbys. */
  onPromotion(check: CheckPromoted): void {
    this.#checkPromoted = check;
  }

  async #admit(client: pg.ClientBase, hostName: string): Promise<void> {
    const { hosts } = this.#target;
    await demandPrimary(client, this.#target, hostName);
    if (!hosts.isPromoted) return;
    this.#checking ??= this.#checkPromoted(client)
      .then(() => hosts.acceptPromotion())
      .finally(() => {
        this.#checking = undefined;
      });
    await this.#checking;
  }

  /** Takes a connection, which the caller releases. @throws StoreError `unavailable` */
  async take(): Promise<pg.PoolClient> {
    try {
      // If all connections are in use, another host has none either.
      const isOfHost = () => this.#pool.totalCount < this.#pool.options.max;
      return await eachHost(this.#target, () => this.#pool.connect(), isOfHost);
    } catch (error) {
      throw fromPostgresError(error, 'connect');
    }
  }

  /** Runs a statement outside of transactions. @throws StoreError */
  async query(statement: Statement): Promise<pg.QueryResult> {
    const client = await this.take();
    let isBroken = false;
    try {
      return await client.query(statement);
    } catch (error) {
      const mapped = fromPostgresError(error, statement.text);
      isBroken = breaksConnection(mapped);
      throw mapped;
    } finally {
      client.release(isBroken);
    }
  }

  close(): Promise<void> {
    return this.#pool.end();
  }
}
