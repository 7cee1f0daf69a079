import { mkdir, open, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createAuth } from '@ledger-ops/auth';
import { createMasterKey } from '@ledger-ops/base';
import { copySqlite, openSnapshot, readSchema } from '@ledger-ops/store';
import { databaseFile, databasePlace } from '../database-place.ts';
import { version } from '../version.ts';
import { type Command, CommandError } from './command.ts';
import { counted } from './counted.ts';
import { writeManifest } from './manifest.ts';

/** Copies the database while the server may be running. */
export const backup: Command = {
  about: 'Copies the SQLite database into a new folder. The server may be running.',
  more: `The copy is a consistent, checked state of the database; the server does not wait. manifest.json describes the folder's
contents, authenticated with the master key. Wallet keys and all other secrets in the copy are encrypted as in the database.
The copy does not contain the master key: keep it elsewhere. It also omits administrator.json and unsent mails.
A database of an older version is copied unchanged: run this right before an upgrade. For PostgreSQL, use pg_dump, or a base backup with WAL archiving.`,
  arguments: { folder: 'Target folder; it is created, or must be empty.' },
  options: {},
  async run({ given: { folder = '' }, config }) {
    const settings = config();
    const place = databasePlace(settings);
    if (place.file === undefined) {
      throw new CommandError(
        'The database is PostgreSQL. Back it up with pg_dump --format=custom, or with a base backup and WAL archiving.',
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
        `${target}: ${database.bytes} bytes, ${counted(database.rows.action ?? 0, 'action')} (${manifest.pending} pending), ${counted(database.rows.wallet ?? 0, 'wallet')}.`,
        'Store the master key separately from the backup. The backup cannot be restored without the key, and anyone who has both can read all secrets.',
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

/** Checks that the master key opens the database. @throws SealError, StoreError */
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

/** Creates the folder. @throws CommandError if it is not empty */
export async function makeEmpty(
  folder: string,
  next = 'Name a folder that does not exist yet.',
): Promise<void> {
  const names = await mkdir(folder, { recursive: true, mode: 0o700 })
    .then(() => readdir(folder))
    .catch((error: unknown) => {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
      throw new CommandError(
        `${folder} cannot be created (${code}). Create its parent folder, or name another folder.`,
      );
    });
  if (names.length === 0) return;
  throw new CommandError(`${folder} is not empty. ${next}`);
}

/** Flushes the folder's entries to disk. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}
