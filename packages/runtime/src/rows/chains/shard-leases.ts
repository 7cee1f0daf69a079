import type { Queries, SqlValue, Store, Tx } from '@ledger-ops/store';
import { forShare } from '../sql.ts';
import { shardCount } from './chain-key.ts';

/** The lanes are another server's now: whatever was prepared for them must be thrown away. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** The shards of one chain that this server holds. */
export interface Leases {
  holds(shard: number): boolean;
  held(): number[];
  /** Renews what is held and takes what is free, up to a fair share. Tells what came and what went. */
  renew(): Promise<{ gained: number[]; lost: number[] }>;
  /** Within a transaction: still ours? Locks the rows against a take-over until the commit. @throws LeaseLost */
  check(tx: Tx, shards: Iterable<number>): Promise<void>;
  /** Gives all back, so that another server need not wait. */
  release(): Promise<void>;
}

export interface LeaseOptions {
  store: Store;
  chain: string;
  /** Unique for this run of this server. */
  owner: string;
  /** Milliseconds; a server that was silent this long has lost its lanes. */
  duration: number;
  /** A database that only one server may open: nobody else can be alive. */
  alone: boolean;
}

interface LaneRow extends Record<string, SqlValue> {
  shard: number;
  owner: string;
  epoch: number;
  expires_at: number;
}

export function createLeases(options: LeaseOptions): Leases {
  const { store, chain, owner, duration, alone } = options;
  const epochs = new Map<number, number>();

  const rows = (queries: Queries, suffix = '') =>
    queries.all<LaneRow>(
      `SELECT shard, owner, epoch, expires_at FROM lane WHERE chain = $1 ORDER BY shard${suffix}`,
      [chain],
    );

  /** Says that this server is here, and counts the others that are. */
  async function otherServers(tx: Tx, now: number): Promise<number> {
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

  async function renew() {
    const now = await store.now();
    const next = await store.transaction(async (tx) => {
      await tx.run(
        `INSERT INTO lane (chain, shard, owner, epoch, expires_at) SELECT $1, j.shard, '', 0, 0 FROM ${
          tx.dialect === 'postgres'
            ? 'generate_series(0, $2::bigint) AS j(shard)'
            : '(WITH RECURSIVE s(shard) AS (SELECT 0 UNION ALL SELECT shard + 1 FROM s WHERE shard < $2) SELECT shard FROM s) AS j'
        } WHERE true ON CONFLICT DO NOTHING`,
        [chain, shardCount - 1],
      );
      const all = await rows(tx, tx.dialect === 'postgres' ? ' FOR UPDATE' : '');
      const fair = Math.ceil(shardCount / (1 + (await otherServers(tx, now))));
      const mine = all.filter((row) => row.owner === owner && epochs.get(row.shard) === row.epoch);
      const kept = mine.slice(0, fair);
      for (const row of mine.slice(fair)) {
        await tx.run(`UPDATE lane SET expires_at = 0, owner = '' WHERE chain = $1 AND shard = $2`, [
          chain,
          row.shard,
        ]);
      }
      const held = new Map<number, number>();
      for (const row of kept) {
        held.set(row.shard, row.epoch);
        await tx.run('UPDATE lane SET expires_at = $3 WHERE chain = $1 AND shard = $2', [
          chain,
          row.shard,
          now + duration,
        ]);
      }
      for (const row of all) {
        if (held.size >= fair) break;
        if (
          held.has(row.shard) ||
          (row.owner !== '' && row.expires_at > now && row.owner !== owner && !alone)
        )
          continue;
        if (mine.includes(row)) continue;
        held.set(row.shard, row.epoch + 1);
        await tx.run(
          'UPDATE lane SET owner = $3, epoch = $4, expires_at = $5 WHERE chain = $1 AND shard = $2',
          [chain, row.shard, owner, row.epoch + 1, now + duration],
        );
      }
      return held;
    });
    const gained = [...next.keys()].filter((shard) => epochs.get(shard) !== next.get(shard));
    const lost = [...epochs.keys()].filter((shard) => next.get(shard) !== epochs.get(shard));
    epochs.clear();
    for (const [shard, epoch] of next) epochs.set(shard, epoch);
    return { gained, lost };
  }

  return {
    holds: (shard) => epochs.has(shard),
    held: () => [...epochs.keys()],
    renew,
    async check(tx, shards) {
      const current = new Map((await rows(tx, forShare(tx.dialect))).map((row) => [row.shard, row]));
      for (const shard of shards) {
        const row = current.get(shard);
        if (row === undefined || row.owner !== owner || row.epoch !== epochs.get(shard)) {
          throw new LeaseLost(`Lane ${shard} of ${chain} is no longer held by this server.`);
        }
      }
    },
    async release() {
      epochs.clear();
      await store.transaction(async (tx) => {
        await tx.run(`UPDATE lane SET expires_at = 0, owner = '' WHERE chain = $1 AND owner = $2`, [
          chain,
          owner,
        ]);
        await tx.run('DELETE FROM lane_server WHERE chain = $1 AND owner = $2', [chain, owner]);
      });
    },
  };
}
