import { Problem } from '@ledger-ops/base';
import type { Store, Tx } from '@ledger-ops/store';

/** Wrong passwords that cost nothing but themselves. */
const freeFailures = 10;
/** Failures are forgotten when this long passed without another, in milliseconds. */
const memory = 600_000;
const firstDelay = 15_000;
const maxDelay = 900_000;

/** Counts wrong passwords per identity and wallet, for all servers: nobody locks another's wallet. */
export interface Throttle {
  /**
   * Counts an attempt as failed before it is made, so that many at once cannot slip through.
   * @throws Problem `too-many-requests` while the caller has to wait
   */
  reserve(caller: string, walletUid: string): Promise<void>;
  /** The attempt was not made. */
  giveBack(caller: string, walletUid: string): Promise<void>;
  /** The password was right: all is forgotten. */
  forget(caller: string, walletUid: string): Promise<void>;
}

type Row = { points: number; expires_at: number };

export function createThrottle(store: Store, now: () => number): Throttle {
  let sweptAt = now();

  async function sweep(tx: Tx, at: number): Promise<void> {
    if (at - sweptAt < memory) return;
    sweptAt = at;
    await tx.run('DELETE FROM wallet_throttle WHERE expires_at <= $1', [at]);
  }

  return {
    async reserve(caller, walletUid) {
      const key = keyOf(caller, walletUid);
      await store.transaction(async (tx) => {
        const at = now();
        await sweep(tx, at);
        await tx.run(
          'INSERT INTO wallet_throttle (key, points, expires_at) VALUES ($1, 0, $2) ON CONFLICT (key) DO NOTHING',
          [key, at],
        );
        const lock = tx.dialect === 'postgres' ? ' FOR UPDATE' : '';
        const [row] = await tx.all<Row>(
          `SELECT points, expires_at FROM wallet_throttle WHERE key = $1${lock}`,
          [key],
        );
        const failures = row === undefined || row.expires_at <= at ? 0 : row.points;
        const blockedUntil = failures >= freeFailures && row !== undefined ? row.expires_at - memory : 0;
        if (blockedUntil > at) {
          const retryAfter = Math.ceil((blockedUntil - at) / 1_000);
          throw new Problem(
            'too-many-requests',
            `The wallet password was wrong ${failures} times; try again in ${retryAfter} s.`,
            { retryAfter },
          );
        }
        await tx.run('UPDATE wallet_throttle SET points = $2, expires_at = $3 WHERE key = $1', [
          key,
          failures + 1,
          at + delayAfter(failures + 1) + memory,
        ]);
      });
    },
    async giveBack(caller, walletUid) {
      await store.transaction((tx) =>
        tx.run('UPDATE wallet_throttle SET points = points - 1 WHERE key = $1 AND points > 0', [
          keyOf(caller, walletUid),
        ]),
      );
    },
    async forget(caller, walletUid) {
      await store.transaction((tx) =>
        tx.run('DELETE FROM wallet_throttle WHERE key = $1', [keyOf(caller, walletUid)]),
      );
    },
  };
}

function delayAfter(failures: number): number {
  if (failures < freeFailures) return 0;
  return Math.min(maxDelay, firstDelay * 2 ** (failures - freeFailures));
}

function keyOf(caller: string, walletUid: string): string {
  return `${walletUid} ${caller}`;
}
