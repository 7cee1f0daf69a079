import { StoreError } from '../errors.ts';

/** One server of a replicated database. */
export interface Host {
  readonly url: string;
  /** `host:port`, for messages. */
  readonly name: string;
}

/**
 * The servers of a database. One of them, the primary, accepts writes.
 *
 * State: the hosts whose pooler was checked, the host to connect to, which is the next one after each failure, the system identifier that the cluster's servers
 * share, the highest timeline of a primary so far, and the time limits that are turned off as parameters of connections.
 * PostgreSQL counts timelines: the promotion of a standby begins a new one. `isPromoted` is set by a promotion until
 * `acceptPromotion`.
 */
export class Hosts {
  readonly all: readonly Host[];
  #at = 0;
  #timeline = 0;
  #system: string | undefined;
  #isPromoted = false;
  readonly #checked = new Set<string>();
  readonly #turnedOff = new Set<string>();

  constructor(all: readonly Host[]) {
    this.all = all;
  }

  get current(): Host {
    const host = this.all[this.#at];
    if (host === undefined) throw new TypeError('A database URL has at least one host.');
    return host;
  }

  /** Timeline of the primary; null: not known. */
  get timeline(): number | null {
    return this.#timeline === 0 ? null : this.#timeline;
  }

  /** A standby was promoted, and nobody has checked it yet. */
  get isPromoted(): boolean {
    return this.#isPromoted;
  }

  /** The URL for a new connection, with the parameters that it needs. */
  urlOf({ url }: Host): string {
    if (this.#turnedOff.size === 0) return url;
    const connection = new URL(url);
    const settings = [...this.#turnedOff].map((name) => `-c ${name}=0`);
    const given = connection.searchParams.get('options');
    connection.searchParams.set('options', [...(given === null ? [] : [given]), ...settings].join(' '));
    return connection.href;
  }

  /** The time limits that are parameters of connections. */
  get turnedOff(): readonly string[] {
    return [...this.#turnedOff];
  }

  /** Turns a time limit off with the parameters of all later connections. Returns false if it is already. */
  turnOff(limit: string): boolean {
    const isNew = !this.#turnedOff.has(limit);
    this.#turnedOff.add(limit);
    return isNew;
  }

  /** Uses the time limits of the role again. */
  turnOn(limits: readonly string[]): void {
    for (const limit of limits) this.#turnedOff.delete(limit);
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

  /** Continues with the next host, unless another connection did so already. */
  skip(host: Host): void {
    if (host === this.current) this.#at = (this.#at + 1) % this.all.length;
  }

  /**
   * Checks that a server accepts writes. A primary with a lower timeline than another one before was replaced: its data are
   * outdated, and writes to it are lost. A primary of another cluster is another database, perhaps a restored copy that lacks
   * what was signed since.
   * @param system the cluster's system identifier; null: not known
   * @throws StoreError `unavailable`
   */
  demandPrimary(
    name: string,
    isStandby: boolean,
    timeline: number | null,
    system: string | null = null,
  ): void {
    if (isStandby) throw new StoreError('unavailable', `${name} is a standby, which accepts no writes.`);
    this.#demandCluster(name, system);
    if (timeline === null) return;
    if (timeline < this.#timeline) {
      throw new StoreError(
        'unavailable',
        `${name} is a former primary: its timeline is ${timeline}, and that of its successor ${this.#timeline}.`,
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

/**
 * Splits the hosts of a URL: `postgres://user:password@host1:5432,host2:5432/database`, as libpq does.
 * @throws StoreError `misuse`
 */
export function readHosts(url: string): { hosts: Host[]; where: string } {
  const [, scheme = '', authority = '', rest = ''] = /^([a-z]+:\/\/)([^/?#]*)(.*)$/i.exec(url) ?? [];
  const at = authority.lastIndexOf('@') + 1;
  const parsed = authority
    .slice(at)
    .split(',')
    .map((host, _, all) =>
      parseUrl(all.length > 1 && host === '' ? '' : `${scheme}${authority.slice(0, at)}${host}${rest}`),
    );
  for (const { protocol } of parsed) {
    if (protocol === 'postgres:' || protocol === 'postgresql:') continue;
    throw new StoreError(
      'misuse',
      `The database URL has the scheme ${protocol}//, but only postgres:// is supported.`,
    );
  }
  const names = parsed.map(({ host }) => host).join(',');
  return {
    hosts: parsed.map(({ href, host }) => ({ url: href, name: host })),
    where: `${names}${parsed[0]?.pathname ?? ''}`,
  };
}

function parseUrl(url: string): URL {
  try {
    return new URL(url);
  } catch {
    throw new StoreError(
      'misuse',
      'The database URL is not a valid URL. It must have the form postgres://user:password@host:port/database; several hosts are separated by commas.',
    );
  }
}
