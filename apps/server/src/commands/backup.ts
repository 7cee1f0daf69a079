import { mkdir, open, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createAuth } from '@ledger-ops/auth';
import { createMasterKey } from '@ledger-ops/base';
import { copySqlite, openSnapshot, readSchema } from '@ledger-ops/store';
import { databaseFile, databasePlace } from '../database-place.ts';
import { version } from '../version.ts';
import { type Command, CommandError } from './command.ts';
import { writeManifest } from './manifest.ts';

/** Copies the database while it is served. */
export const backup: Command = {
  about: 'Copies the SQLite database into a new folder, while the server runs or not.',
  more: `The copy is the database as it was at one instant, checked; the server does not wait. manifest.json says what the folder
holds, authenticated by the master key. Keys of wallets and all other secrets stand in the copy as in the database:
sealed. The master key is not in it: keep it elsewhere. Nor are administrator.json and mails that were not sent.
A database of an older version is copied as it is: this may be done right before an upgrade. PostgreSQL has tools of its own (pg_dump, or a base backup with its log).`,
  arguments: { folder: 'Where to put it; is made, or must be empty.' },
  options: {},
  async run({ given: { folder = '' }, config }) {
    const settings = config();
    const place = databasePlace(settings);
    if (place.file === undefined) {
      throw new CommandError(
        'The database is PostgreSQL: back it up with pg_dump --format=custom, or with a base backup and its log.',
      );
    }
    await checkKey(place, settings.masterKey);
    const target = resolve(folder);
    await makeEmpty(target);
    const copy = join(target, databaseFile);
    const database = await copySqlite(place.file, copy);
    const { applied } = await readSchema({ file: copy, version });
    const manifest = {
      format: 1 as const,
      createdAt: new Date().toISOString(),
      version,
      pending: await pendingActions(copy),
      migrations: [...applied],
      database: { file: databaseFile, ...database },
    };
    await writeManifest(target, settings.masterKey, manifest);
    await syncFolder(target);
    return {
      code: 0,
      lines: [
        `${target}: ${database.bytes} bytes, ${database.rows.action ?? 0} actions (${manifest.pending} pending), ${database.rows.wallet ?? 0} wallets.`,
        'Keep the master key elsewhere: without it the backup is useless, with it whoever has the backup has what the server has.',
      ],
      data: { folder: target, ...manifest },
    };
  },
};

async function pendingActions(file: string): Promise<number> {
  const store = await openSnapshot({ file, version }, { older: true });
  const [row] = await store.read
    .all<{ n: number }>("SELECT COUNT(*) AS n FROM action WHERE status = 'PENDING'")
    .finally(() => store.close());
  return row?.n ?? 0;
}

/** A backup under a key that does not open the database could be restored by nobody. @throws SealError, StoreError */
async function checkKey(place: Parameters<typeof openSnapshot>[0], key: Uint8Array): Promise<void> {
  const store = await openSnapshot(place, { older: true });
  try {
    const auth = await createAuth({
      store,
      masterKey: createMasterKey(key),
      config: { baseUrl: 'http://localhost' },
    });
    await auth.close();
  } finally {
    await store.close();
  }
}

/** @throws CommandError where something is in it */
export async function makeEmpty(folder: string): Promise<void> {
  const names = await mkdir(folder, { recursive: true, mode: 0o700 })
    .then(() => readdir(folder))
    .catch((error: unknown) => {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
      throw new CommandError(`${folder} cannot be made (${code}).`);
    });
  if (names.length === 0) return;
  throw new CommandError(`${folder} is not empty: name a folder that does not exist yet.`);
}

/** Has the disk keep the names in it. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}
