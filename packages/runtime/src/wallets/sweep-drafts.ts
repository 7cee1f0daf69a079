import type { Store } from '@ledger-ops/store';
import type { Log } from '../log.ts';
import { dropOldDrafts } from './drafts.ts';

const hour = 3_600_000;

/** Deletes the keys of wallets whose creation was not completed within a day. Runs at startup and every hour. */
export function createDraftSweep({ store, now, log }: { store: Store; now: () => number; log: Log }) {
  let timer: NodeJS.Timeout | undefined;
  let sweeping: Promise<void> = Promise.resolve();

  function sweep(): void {
    sweeping = store
      .transaction((tx) => dropOldDrafts(tx, now()))
      .catch((error: unknown) => {
        log('warn', 'wallet.sweep-failed', { error: error instanceof Error ? error.name : 'unknown' });
      });
  }

  return {
    start(): void {
      sweep();
      timer ??= setInterval(sweep, hour).unref();
    },
    async stop(): Promise<void> {
      clearInterval(timer);
      timer = undefined;
      await sweeping;
    },
  };
}
