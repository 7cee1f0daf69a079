import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { StoreError } from '../errors.ts';
import type { StoreLogger } from '../logger.ts';
import { type Admission, admit } from './admission.ts';
import type { Statement, Target } from './connection.ts';
import { renewCredentials } from './credentials.ts';
import type { Host } from './database-url.ts';
import {
  breaksConnection,
  fromPostgresError,
  isRefusedRole,
  readOnlyServer,
  sqlStateOf,
  tooManyConnections,
} from './errors.ts';
import { closingLimits, isCutOff, limitThatEnded, type SessionLimits } from './session.ts';

/** Kind of client that connects, and settings of the connection. */
export interface ConnectOptions extends pg.ClientConfig {
  readonly admission: Admission;
  /** Time in milliseconds to wait for connections that exclude this one. */
  readonly patience?: number | undefined;
  /** Time limits of the session. Default: those of the target. */
  readonly limits?: SessionLimits;
}

/**
 * Opens a connection to the primary of a database; tries every address of every host once.
 * @throws StoreError, or the error of `pg`
 */
export async function connectToPrimary(
  target: Target,
  { admission, patience, limits, ...options }: ConnectOptions,
): Promise<pg.Client> {
  const connect = (host: Host) => async () => {
    const config = { ...target.config, ...options, ...target.hosts.configOf(host) };
    const client = new StoreClient(config, host.name);
    try {
      await client.connect();
      await admit(client, target, host.name, admission, limits, patience);
      return client;
    } catch (error) {
      await client.end().catch(() => undefined);
      throw client.failure ?? error;
    }
  };
  return await eachHost(target, (host) => withoutLimits(target, connect(host)));
}

/**
 * Time in milliseconds in which a server must close a connection that is no longer used. Without this limit, a server
 * that does not respond, for example because its network is down, would keep the connection open until TCP gives up
 * after a quarter of an hour.
 */
const farewellMs = 2_000;

/**
 * A client of one host. `failure` is the error that broke the connection. The next statement also fails, but its error
 * may not name this cause.
 */
class StoreClient extends pg.Client {
  readonly hostName: string;
  failure: Error | undefined;

  constructor(config: pg.ClientConfig, hostName: string) {
    super(config);
    this.hostName = hostName;
    this.on('error', (error: Error) => {
      this.failure ??= error;
    });
  }

  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  /** Requests that the server close the connection, and waits for that for at most `farewellMs`. */
  override end(callback?: (error: Error) => void): Promise<void> | void {
    const timer = setTimeout(() => this.connection.stream.destroy(), farewellMs).unref();
    this.once('end', () => clearTimeout(timer));
    return callback === undefined ? super.end() : super.end(callback);
  }
}

/**
 * Opens a connection again if a time limit of the role closed it before the limit could be changed. The new connection
 * turns this limit off with a parameter. If a connection is closed without a reported reason, the limits that may be
 * the cause are turned off one after another.
 * @throws StoreError `misuse` if a pooler refuses the parameters
 */
async function withoutLimits<T>({ hosts, where }: Target, connect: () => Promise<T>): Promise<T> {
  const guessed: string[] = [];
  let cutOff: unknown;
  for (;;) {
    try {
      const connection = await connect();
      for (const limit of guessed) hosts.turnOff(limit);
      return connection;
    } catch (error) {
      const limit = limitThatEnded(error);
      if (limit !== undefined && hosts.turnOff(limit)) continue;
      if (isCutOff(error)) {
        cutOff ??= error;
        const guess = closingLimits.find((one) => !guessed.includes(one));
        if (guess !== undefined) {
          guessed.push(guess);
          hosts.guess(guess);
          continue;
        }
      }
      hosts.turnOn(guessed);
      const isRefused = error instanceof pg.DatabaseError && sqlStateOf(error) === '08P01';
      if (isRefused && hosts.known.length > 0) throw limitRemains(hosts.known, where, error.message);
      throw cutOff ?? error;
    }
  }
}

function limitRemains(limits: readonly string[], where: string, words: string): StoreError {
  return new StoreError(
    'misuse',
    `${limits.join(' and ')} of the role ends sessions in ${where} before they can change it, and a pooler refuses to turn it off (${words}). Set it to 0 or to at least one second: ALTER ROLE ... SET ${limits[0]} = 0.`,
  );
}

/** Settings of connections whose statements have no time limit. */
export const unlimited = { query_timeout: 0, limits: { statement: 0, idleTransaction: 0 } };

/**
 * Runs work on a separate connection, without statement timeouts. Its commits are durable.
 * @throws StoreError
 */
export async function connected<T>(
  target: Target,
  { admission, patience }: Pick<ConnectOptions, 'admission' | 'patience'>,
  work: (client: pg.Client, run: (statement: Statement) => Promise<pg.QueryResult>) => Promise<T>,
): Promise<T> {
  let statement = `connect to ${target.where}`;
  let client: pg.Client | undefined;
  try {
    const connection = await connectToPrimary(target, { ...unlimited, admission, patience });
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
 * Calls `connect` until it succeeds, at most once for each address of a host, and once more if the credentials have
 * changed.
 * @param isOfHost whether a failure is the host's, so that the next host is tried
 */
async function eachHost<T>(
  target: Target,
  connect: (host: Host) => Promise<T>,
  isOfHost = () => true,
): Promise<T> {
  const { hosts } = target;
  let isRenewed = false;
  for (let failures = 1; ; failures += 1) {
    const host = hosts.current;
    try {
      return await connect(host);
    } catch (error) {
      if (!isRenewed && (await renewCredentials(target, host, error))) {
        isRenewed = true;
        failures -= 1;
        continue;
      }
      if (!isOfHost()) throw error;
      hosts.skip(host);
      if (failures >= hosts.attempts) throw error;
    }
  }
}

/**
 * Time in milliseconds for which the pool opens no more connections after the server, a pooler or the role's settings
 * prevented one.
 */
const boundedForMs = 5_000;
/** Delay in milliseconds before each further attempt while this server has no connection. */
const waitForOthers = 100;

/** Work that must run on a promoted standby before any other work. */
export type CheckPromoted = (client: pg.ClientBase) => Promise<void>;

/**
 * A pool of connections to the primary of a database. `#checkPromoted` is the check of a promoted standby, and
 * `#checking` the check in progress, for which new connections wait. When a server becomes read-only, `#generation`
 * increases, and connections of earlier generations are closed, because they may be to that server. Until
 * `#boundedUntil`, the pool opens no more connections, because the server or a pooler allows no more of them or refused
 * the role.
 */
export class Connections {
  readonly #target: Target;
  readonly #admission: Admission;
  readonly #pool: pg.Pool;
  #checkPromoted: CheckPromoted = async () => undefined;
  #checking: Promise<void> | undefined;
  #generation = 0;
  readonly #max: number;
  #boundedUntil = Number.NEGATIVE_INFINITY;
  /** The current attempt to open a connection, if the pool has none. */
  #trial: Promise<void> | undefined;
  readonly #generations = new WeakMap<pg.ClientBase, number>();
  /** Connections that PostgreSQL has accepted. */
  readonly #open = new Set<pg.ClientBase>();

  /** @param max maximum number of connections; with `alone`, there is one, which holds the lock until it is closed */
  constructor(target: Target, admission: Admission, max: number, logger: StoreLogger) {
    this.#target = target;
    this.#max = admission === 'alone' ? 1 : max;
    this.#admission = admission;
    const isAlone = admission === 'alone';
    const { hosts } = target;
    const bound = (error: Error) => this.#bound(error);
    class Client extends StoreClient {
      constructor(config?: pg.ClientConfig) {
        const { current } = hosts;
        super({ ...config, ...hosts.configOf(current) }, current.name);
      }

      override connect(): Promise<pg.Client>;
      override connect(callback: (error: Error) => void): void;
      override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
        if (callback === undefined) return super.connect();
        super.connect((error: Error) => {
          // The pool is bounded before it learns of the failure. Otherwise, it would immediately open a connection for
          // the next waiting request.
          if (error) bound(error);
          callback(error);
        });
        return undefined;
      }
    }
    this.#pool = new pg.Pool({
      ...target.config,
      max: this.#max,
      // Statements of a transaction can be sent without waiting for the responses to earlier ones.
      pipeline: true,
      ...(isAlone ? { idleTimeoutMillis: 0 } : {}),
      Client,
      verify: (client, done) => {
        const name = client instanceof Client ? client.hostName : '';
        this.#generations.set(client, this.#generation);
        const failure = () => (client instanceof Client ? client.failure : undefined);
        this.#admit(client, name).then(
          () => done(),
          (error: Error) => done(failure() ?? error),
        );
      },
    });
    // If a connection in use breaks, its statement fails. If an idle connection breaks, the pool replaces it.
    this.#pool.on('error', (error) => {
      logger.warn({ error: fromPostgresError(error, 'none').message }, 'an idle connection broke');
    });
    this.#pool.on('connect', (client) => {
      client.on('error', () => undefined);
      this.#open.add(client);
    });
    this.#pool.on('remove', (client) => this.#open.delete(client));
  }

  /** Sets the check that runs when a standby was promoted. */
  onPromotion(check: CheckPromoted): void {
    this.#checkPromoted = check;
  }

  async #admit(client: pg.ClientBase, hostName: string): Promise<void> {
    const { hosts } = this.#target;
    await admit(client, this.#target, hostName, this.#admission);
    if (!hosts.isPromoted) return;
    this.#checking ??= this.#checkPromoted(client)
      .then(() => hosts.acceptPromotion())
      .finally(() => {
        this.#checking = undefined;
      });
    await this.#checking;
  }

  /** Takes a connection from the pool. The caller must release it. @throws StoreError `unavailable` */
  async take(): Promise<pg.PoolClient> {
    const idle = await this.#takeIdle();
    if (idle !== undefined) return idle;
    try {
      // If all connections are in use, another host would not help.
      const isOfHost = () => this.#pool.totalCount < this.#pool.options.max;
      for (;;) {
        const client = await eachHost(
          this.#target,
          () => withoutLimits(this.#target, () => this.#connect()),
          isOfHost,
        );
        if (this.#generations.get(client) === this.#generation) return client;
        client.release(true);
      }
    } catch (error) {
      throw fromPostgresError(error, 'connect');
    }
  }

  /** Takes an idle connection, if there is one. */
  async #takeIdle(): Promise<pg.PoolClient | undefined> {
    if (this.#pool.idleCount <= this.#pool.waitingCount) return undefined;
    const client = await this.#pool.connect().catch(() => undefined);
    if (client === undefined || this.#generations.get(client) === this.#generation) return client;
    client.release(true);
    return undefined;
  }

  /**
   * Takes a connection from the pool, or opens one. If the server allows no more connections, or the password is being
   * changed, waits for one that is in use.
   */
  async #connect(): Promise<pg.PoolClient> {
    const { options } = this.#pool;
    const until = performance.now() + (options.connectionTimeoutMillis ?? 0);
    for (;;) {
      if (performance.now() >= this.#boundedUntil) options.max = this.#max;
      const host = this.#target.hosts.current;
      try {
        if (performance.now() < this.#boundedUntil && this.#open.size === 0) await this.#tryAgain();
        return await this.#pool.connect();
      } catch (error) {
        if (performance.now() < until && (await renewCredentials(this.#target, host, error))) {
          this.#boundedUntil = Number.NEGATIVE_INFINITY;
          continue;
        }
        if (!this.#bound(error) || performance.now() >= until) throw error;
      }
    }
  }

  /** Opens a connection after a delay. All requests that wait for a connection share this attempt. */
  #tryAgain(): Promise<void> {
    this.#trial ??= delay(waitForOthers)
      .then(() => this.#pool.connect())
      .then((client) => client.release())
      .finally(() => {
        this.#trial = undefined;
      });
    return this.#trial;
  }

  /**
   * If the error says that the server or a pooler allows no more connections or refuses the role, the pool stays at its
   * current size for a few seconds.
   * @returns whether the error says this
   */
  #bound(error: unknown): boolean {
    const isRefused = isRefusedRole(error) && this.#open.size > 0;
    if (!isRefused && fromPostgresError(error, 'connect').native !== tooManyConnections) return false;
    this.#pool.options.max = Math.max(1, Math.min(this.#open.size, this.#pool.totalCount));
    this.#boundedUntil = performance.now() + boundedForMs;
    return true;
  }

  /**
   * Must be called with every failure of a statement. If the failure shows that a server became read-only, all current
   * connections are closed, each before its next use.
   */
  observe({ native }: StoreError): void {
    if (native === readOnlyServer) this.#generation += 1;
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
      this.observe(mapped);
      throw mapped;
    } finally {
      client.release(isBroken);
    }
  }

  close(): Promise<void> {
    return this.#pool.end();
  }
}
