import type { Connection } from '../ledger/database.ts';
import type { InstalledPackage } from './packages.ts';

/** The packages installed on one organization's peer. */
export interface Installed {
  find(packageId: string): InstalledPackage | undefined;
  all(): InstalledPackage[];
  /** Returns false if the package is already installed. */
  add(one: InstalledPackage): boolean;
}

/** Opens the packages of an organization in the database. */
export function installedOn(connection: Connection, mspId: string): Installed {
  const select = 'SELECT id, label, address, bytes FROM package WHERE msp = ?';
  const find = connection.prepare<[string, string], InstalledPackage>(`${select} AND id = ?`);
  const all = connection.prepare<[string], InstalledPackage>(`${select} ORDER BY id`);
  const insert = connection.prepare(
    'INSERT INTO package (msp, id, label, address, bytes) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  return {
    find: (packageId) => find.get(mspId, packageId),
    all: () => all.all(mspId),
    add: ({ id, label, address, bytes }) => insert.run(mspId, id, label, address, bytes).changes > 0,
  };
}
