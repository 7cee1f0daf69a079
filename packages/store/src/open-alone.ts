import { StoreError } from './errors.ts';
import { silentLogger } from './logger.ts';
import { openStore } from './open-store.ts';
import { openPostgresStore } from './postgres/store.ts';
import { noInstallation, type Place, readSchema } from './schema-of.ts';
import type { Store } from './types.ts';

/**
 * Opens a store like `openStore`, but only if no server has the installation open. Until this store is closed, no
 * server can open it. On PostgreSQL, the store's transactions run one after the other on one connection, and the store
 * neither sends nor receives notifications.
 * @throws StoreError `locked` (SQLite) or `misuse` (PostgreSQL) if a server has the installation open;
 * `no-installation`; and the errors of `openStore`
 */
export async function openAlone(place: Place): Promise<Store> {
  await demandInstallation(place);
  const { url } = place;
  if (url === undefined) return await openStore(place);
  return await openPostgresStore({ ...place, url, logger: silentLogger, isAlone: true });
}

/** @throws StoreError `no-installation` if there is no installation; and the errors of `readSchema` */
async function demandInstallation(place: Place): Promise<void> {
  const { applied, where } = await readSchema(place);
  if (applied.length > 0) return;
  throw new StoreError('no-installation', noInstallation(where));
}
