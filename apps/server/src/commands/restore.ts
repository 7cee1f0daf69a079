import { chmod, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { readSchema, restoreSqlite } from '@ledger-ops/store';
import { databaseFile } from '../database-place.ts';
import { version } from '../version.ts';
import { makeEmpty, syncFolder } from './backup.ts';
import { type Command, CommandError } from './command.ts';
import { counted } from './counted.ts';
import { endPendingOf, endsPending } from './end-pending.ts';
import { readManifest } from './manifest.ts';

/** Restores a backup into an empty data folder. */
export const restore: Command = {
  about: 'Restores a backup into DATA_DIR, which must be empty.',
  more: `Before the restore, the backup’s files and rows are checked against the manifest, and the manifest against the master key.

Ledgers are not restored. If the server kept running after the backup, an action that is pending in the backup
may have been executed later, and would be executed again. Therefore --pending is required if actions are pending.
After the restore, run verify: it reports transactions that belong to no action. Wallets created after the backup are lost.`,
  arguments: { folder: 'The backup.' },
  options: {
    pending: {
      type: 'string',
      values: ['keep', 'end'],
      about:
        'keep: pending actions continue. Choose it only if no operation was executed since the backup. end: unsigned pending actions fail.',
    },
  },
  async run({ given: { folder = '' }, options: { pending }, config }) {
    const settings = config();
    if (settings.databaseUrl !== undefined) {
      throw new CommandError('DATABASE_URL is set, but a backup is restored into DATA_DIR. Unset it.');
    }
    const source = resolve(folder);
    const target = resolve(settings.dataDir);
    const manifest = await readManifest(source, settings.masterKey);
    if (manifest.pending > 0 && pending === undefined) {
      throw new CommandError(
        `${manifest.pending} actions are pending in this backup. If an operation was executed after ${manifest.createdAt}, use --pending=end: unsigned actions then fail, so no operation is executed twice. Otherwise, use --pending=keep.`,
      );
    }
    await makeEmpty(target, 'Set DATA_DIR to a folder that does not exist yet.');
    await chmod(target, 0o700);
    // The copy has a temporary name until it is complete, so that no server opens a partial database.
    const unfinished = join(target, `${databaseFile}.restoring`);
    await restoreSqlite(join(source, manifest.database.file), unfinished, manifest.database);
    const file = { file: unfinished, version };
    const before = await readSchema(file);
    if (pending === 'end' && manifest.pending > 0)
      await endPendingOf(file, `a backup of ${manifest.createdAt}`);
    await rename(unfinished, join(target, databaseFile));
    await rm(`${unfinished}.lock`, { force: true });
    await syncFolder(target);
    return {
      code: 0,
      lines: [
        `${target}: the database as of ${manifest.createdAt}, ${counted(manifest.database.rows.action ?? 0, 'action')}, ${counted(manifest.database.rows.wallet ?? 0, 'wallet')}.`,
        ...(before.pending.length === 0
          ? []
          : [`The next start updates its schema: ${before.pending.join(', ')}.`]),
        ...(manifest.pending === 0 ? [] : [said[pending === 'end' ? 'end' : 'keep'](manifest.pending)]),
        `Next, run verify, then serve, both with DATA_DIR=${settings.dataDir}`,
      ],
      data: { folder: target, manifest, pending: pending ?? null },
    };
  },
};

const said = {
  keep: (n: number) => `${n} pending actions continue at the next start.`,
  end: endsPending,
};
