import { openStore } from './open-store.ts';
import { defaultPatience, waitUntilAlone } from './postgres/alone.ts';
import { parseTarget } from './postgres/connection.ts';
import { connected } from './postgres/connections.ts';
import type { Place } from './schema-of.ts';
import { defaultTiming } from './timing.ts';
import type { Store } from './types.ts';

/**
 * Opens a database that no server has open, as `openStore` does. On PostgreSQL, it does not prevent a server
 * from starting afterwards.
 *
 * @throws StoreError `locked` (SQLite) or `misuse` (PostgreSQL): a server has it open; otherwise as `openStore`
 */
export async function openAlone(place: Place): Promise<Store> {
  if (place.url !== undefined) {
    const target = parseTarget(place.url, defaultTiming);
    await connected(target, (client) => waitUntilAlone(client, target, defaultPatience));
  }
  return await openStore(place);
}
