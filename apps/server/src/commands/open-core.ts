import { createAuth } from '@ledger-ops/auth';
import { createMasterKey } from '@ledger-ops/base';
import type { Store } from '@ledger-ops/store';
import type { Core } from '../core.ts';
import { createLog } from '../logging/logger.ts';
import type { ServerConfig } from '../settings/config.ts';

/**
 * Opens the core on a snapshot of the database, for commands that check it. Starts no background work.
 * @throws SealError if the master key does not open the database
 */
export async function openCore(
  config: ServerConfig,
  store: Store,
): Promise<Core & { close(): Promise<void> }> {
  const masterKey = createMasterKey(config.masterKey);
  const auth = await createAuth({ store, masterKey, config: { baseUrl: 'http://localhost' } });
  // Loaded on demand: this is most of the server, and other commands do not need it.
  const [{ createCore }, { builtInAdapters: adapters }] = await Promise.all([
    import('../core.ts'),
    import('../adapters.ts'),
  ]);
  const log = createLog('silent');
  const core = createCore({ config, log, adapters, store, auth, masterKey, now: Date.now });
  return {
    ...core,
    async close() {
      await core.runtime.stop();
      await auth.close();
    },
  };
}
