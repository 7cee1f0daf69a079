import type pg from 'pg';
import { StoreError } from '../errors.ts';
import { Addresses } from './addresses.ts';
import type { Host } from './database-url.ts';
import { readOnlyServer } from './errors.ts';

/**
 * The servers of a database, one of which, the primary, accepts writes. `#at` is the host to connect to; each failure
 * selects the next one. `#checked` contains the hosts whose pooler was checked, and `#turnedOff` the time limits that
 * connections turn off with parameters. `#timeline` is the highest timeline of a primary so far: the promotion of a
 * standby begins a new timeline with a higher number. A promotion sets `isPromoted`, and `acceptPromotion` clears it.
 */
export class Hosts {
  #all: readonly Host[];
  #at = 0;
  #timeline = 0;
  #system: string | undefined;
  #isPromoted = false;
  readonly #checked = new Set<string>();
  /** Resolved addresses, by host name. */
  readonly #addresses = new Map<string, Addresses>();
  readonly #turnedOff = new Set<string>();
  /** Time limits that are turned off on trial, because it is not known whether they cause the failures. */
  readonly #guessed = new Set<string>();

  constructor(all: readonly Host[]) {
    this.#all = all;
  }

  get all(): readonly Host[] {
    return this.#all;
  }

  get current(): Host {
    const host = this.#all[this.#at];
    if (host === undefined) throw new TypeError('A database URL has at least one host.');
    return host;
  }

  /** Highest timeline of a primary so far; null if it is not known. */
  get timeline(): number | null {
    return this.#timeline === 0 ? null : this.#timeline;
  }

  /** Whether a standby was promoted and has not been checked yet. */
  get isPromoted(): boolean {
    return this.#isPromoted;
  }

  /** Returns the options of a new connection to a host, with the parameters that turn time limits off. */
  configOf(host: Host): pg.ClientConfig {
    const stream = this.#addressesOf(host).streamOf(host.config.host);
    const config = stream === undefined ? host.config : { ...host.config, stream };
    if (this.#turnedOff.size === 0) return config;
    const settings = [...this.#turnedOff].map((name) => `-c ${name}=0`);
    const given = config.options === undefined ? [] : [config.options];
    return { ...config, options: [...given, ...settings].join(' ') };
  }

  /** Names of the time limits that new connections turn off. */
  get turnedOff(): readonly string[] {
    return [...this.#turnedOff];
  }

  /** The time limits in `turnedOff` that certainly end sessions. The others are turned off on trial. */
  get known(): readonly string[] {
    return this.turnedOff.filter((limit) => !this.#guessed.has(limit));
  }

  /** Turns a time limit off with the parameters of all later connections. Returns false if it is already off. */
  turnOff(limit: string): boolean {
    const isNew = !this.#turnedOff.has(limit);
    this.#turnedOff.add(limit);
    this.#guessed.delete(limit);
    return isNew;
  }

  /**
   * Turns a time limit off on trial. If that helps, `turnOff` makes it permanent; otherwise `turnOn` restores
   * the limit.
   */
  guess(limit: string): void {
    if (this.#turnedOff.has(limit)) return;
    this.#turnedOff.add(limit);
    this.#guessed.add(limit);
  }

  /** Uses the time limits of the role again. */
  turnOn(limits: readonly string[]): void {
    for (const limit of limits) {
      this.#turnedOff.delete(limit);
      this.#guessed.delete(limit);
    }
  }

  /** Whether a host's pooler still has to be checked. */
  isUnchecked(name: string): boolean {
    return !this.#checked.has(name);
  }

  acceptPooler(name: string): void {
    this.#checked.add(name);
  }

  acceptPromotion(): void {
    this.#isPromoted = false;
  }

  /** Replaces the credentials. The servers must be the same. */
  replace(all: readonly Host[]): void {
    this.#all = all;
  }

  /**
   * Selects the next host, unless another connection already did. When this host is used again, its next address is
   * tried first.
   */
  skip(host: Host): void {
    if (host !== this.current) return;
    this.#addressesOf(host).skip();
    this.#at = (this.#at + 1) % this.#all.length;
  }

  /** Number of attempts that is needed to reach every address of every host. */
  get attempts(): number {
    const counts = this.#all.map((host) => this.#addressesOf(host).count);
    return this.#all.length * Math.max(...counts);
  }

  #addressesOf({ name }: Host): Addresses {
    const addresses = this.#addresses.get(name) ?? new Addresses();
    this.#addresses.set(name, addresses);
    return addresses;
  }

  /**
   * Checks that a server is the primary of the database. A primary with a lower timeline than an earlier primary was
   * replaced by a promoted standby: its data is outdated, and writes to it would be lost. A primary of another cluster
   * is another database, such as a restored copy that lacks recently signed transactions.
   * @param system the cluster's system identifier; null if it is not known
   * @throws StoreError `unavailable`
   */
  demandPrimary(
    name: string,
    isStandby: boolean,
    timeline: number | null,
    system: string | null = null,
  ): void {
    if (isStandby)
      throw new StoreError('unavailable', `${name} is a standby, which accepts no writes.`, {
        native: readOnlyServer,
      });
    this.#demandCluster(name, system);
    if (timeline === null) return;
    if (timeline < this.#timeline) {
      throw new StoreError(
        'unavailable',
        `${name} is a former primary: its timeline is ${timeline}, and its successor's timeline is ${this.#timeline}.`,
      );
    }
    if (this.#timeline !== 0 && timeline > this.#timeline) this.#isPromoted = true;
    this.#timeline = timeline;
  }

  #demandCluster(name: string, system: string | null): void {
    if (system === null) return;
    this.#system ??= system;
    if (system === this.#system) return;
    throw new StoreError(
      'unavailable',
      `${name} belongs to the PostgreSQL cluster ${system}, but this server uses the cluster ${this.#system}. If the database was moved there, stop the servers and run adopt.`,
    );
  }
}
