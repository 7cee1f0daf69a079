import { type Queries, type SqlValue, type Store, type Tx, together } from '@ledger-ops/store';
import { forShare } from '../sql.ts';
import { shardCount } from './chain-key.ts';

/** Another server now holds the shards. Everything that was prepared for them must be discarded. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

export interface LeaseOptions {
  store: Store;
  chain: string;
  /** Name of the server process, unique per process. */
  owner: string;
  /** Lifetime of a lease in milliseconds: a server that does not renew its leases in this time loses them. */
  duration: number;
  /** Whether only this server can open the database, so that no other server can hold a lease. */
  alone: boolean;
}

interface LaneRow extends Record<string, SqlValue> {
  shard: number;
  owner: string;
  epoch: number;
  expires_at: number;
}

/**
 * The shards of one chain that this server holds.
 *
 * `#epochs` contains the epoch of each held shard, which increases each time a server takes the shard. `check` fences a
 * write by comparing these epochs with the database.
 */
export class Leases {
  readonly #options: LeaseOptions;
  readonly #epochs = new Map<number, number>();

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  holds(shard: number): boolean {
    return this.#epochs.has(shard);
  }

  held(): number[] {
    return [...this.#epochs.keys()];
  }

  /**
   * Checks that this server still holds the shards, and locks their rows until the commit, so that no other server can
   * take them over.
   * @throws LeaseLost
   */
  async check(tx: Tx, shards: Iterable<number>): Promise<void> {
    const { chain, owner } = this.#options;
    const current = new Map((await this.#rows(tx, forShare(tx.dialect))).map((row) => [row.shard, row]));
    for (const shard of shards) {
      const row = current.get(shard);
      if (row === undefined || row.owner !== owner || row.epoch !== this.#epochs.get(shard)) {
        throw new LeaseLost(`This server no longer holds the lease of lane ${shard} of ${chain}.`);
      }
    }
  }

  /**
   * Renews the leases of the held shards, and takes free shards up to a fair share. Returns the gained and the lost
   * shards.
   */
  async renew(): Promise<{ gained: number[]; lost: number[] }> {
    const { store } = this.#options;
    const now = await store.now();
    const next = await store.transaction((tx) => this.#claim(tx, now));
    const gained = [...next.keys()].filter((shard) => this.#epochs.get(shard) !== next.get(shard));
    const lost = [...this.#epochs.keys()].filter((shard) => next.get(shard) !== this.#epochs.get(shard));
    this.#epochs.clear();
    for (const [shard, epoch] of next) this.#epochs.set(shard, epoch);
    return { gained, lost };
  }

  /** Releases all shards, so that another server can take them immediately. */
  async release(): Promise<void> {
    const { store, chain, owner } = this.#options;
    this.#epochs.clear();
    await store.transaction(async (tx) => {
      await tx.run(`UPDATE lane SET expires_at = 0, owner = '' WHERE chain = $1 AND owner = $2`, [
        chain,
        owner,
      ]);
      await tx.run('DELETE FROM lane_server WHERE chain = $1 AND owner = $2', [chain, owner]);
    });
  }

  /** Writes the leases to the database. Returns the epochs of the shards that this server holds after the commit. */
  async #claim(tx: Tx, now: number): Promise<Map<number, number>> {
    const { chain, owner, duration, alone } = this.#options;
    await insertMissing(tx, chain);
    const all = await this.#rows(tx, tx.dialect === 'postgres' ? ' FOR UPDATE' : '');
    const fair = Math.ceil(shardCount / (1 + (await this.#otherServers(tx, now))));
    const mine = all.filter((row) => row.owner === owner && this.#epochs.get(row.shard) === row.epoch);
    const given = mine.slice(fair);
    const renewed = mine.slice(0, fair);
    const held = new Map(renewed.map(({ shard, epoch }) => [shard, epoch]));
    const writes = [
      ...given.map(({ shard }) =>
        tx.run(`UPDATE lane SET expires_at = 0, owner = '' WHERE chain = $1 AND shard = $2`, [chain, shard]),
      ),
      ...renewed.map(({ shard }) =>
        tx.run('UPDATE lane SET expires_at = $3 WHERE chain = $1 AND shard = $2', [
          chain,
          shard,
          now + duration,
        ]),
      ),
    ];
    const isFree = (row: LaneRow) =>
      row.owner === '' || row.expires_at <= now || row.owner === owner || alone;
    for (const row of all) {
      if (held.size >= fair) break;
      if (held.has(row.shard) || mine.includes(row) || !isFree(row)) continue;
      held.set(row.shard, row.epoch + 1);
      writes.push(
        tx.run('UPDATE lane SET owner = $3, epoch = $4, expires_at = $5 WHERE chain = $1 AND shard = $2', [
          ...[chain, row.shard, owner, row.epoch + 1, now + duration],
        ]),
      );
    }
    await together(...writes);
    return held;
  }

  /** Registers this server as alive, and counts the other live servers. */
  async #otherServers(tx: Tx, now: number): Promise<number> {
    const { chain, owner, duration, alone } = this.#options;
    await tx.run(
      `INSERT INTO lane_server (chain, owner, expires_at) VALUES ($1, $2, $3)
        ON CONFLICT (chain, owner) DO UPDATE SET expires_at = excluded.expires_at`,
      [chain, owner, now + duration],
    );
    await tx.run('DELETE FROM lane_server WHERE chain = $1 AND expires_at <= $2', [chain, now]);
    if (alone) return 0;
    const others = await tx.all('SELECT owner FROM lane_server WHERE chain = $1 AND owner <> $2', [
      chain,
      owner,
    ]);
    return others.length;
  }

  #rows(queries: Queries, suffix: string): Promise<LaneRow[]> {
    return queries.all<LaneRow>(
      `SELECT shard, owner, epoch, expires_at FROM lane WHERE chain = $1 ORDER BY shard${suffix}`,
      [this.#options.chain],
    );
  }
}

async function insertMissing(tx: Tx, chain: string): Promise<void> {
  const shards =
    tx.dialect === 'postgres'
      ? 'generate_series(0, $2::bigint) AS j(shard)'
      : '(WITH RECURSIVE s(shard) AS (SELECT 0 UNION ALL SELECT shard + 1 FROM s WHERE shard < $2) SELECT shard FROM s) AS j';
  await tx.run(
    `INSERT INTO lane (chain, shard, owner, epoch, expires_at) SELECT $1, j.shard, '', 0, 0 FROM ${shards}
      WHERE true ON CONFLICT DO NOTHING`,
    [chain, shardCount - 1],
  );
}
