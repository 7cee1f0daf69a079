import { chmod, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { readSchema, restoreSqlite } from '@ledger-ops/store';
import { databaseFile } from '../database-place.ts';
import { version } from '../version.ts';
import { makeEmpty, syncFolder } from './backup.ts';
import { type Command, CommandError } from './command.ts';
import { endPendingOf, endsPending } from './end-pending.ts';
import { readManifest } from './manifest.ts';

/** Puts a backup into an empty data folder. */
export const restore: Command = {
  about: 'Puts a backup into DATA_DIR, which must be empty.',
  more: `Hashes, counts and SQLite’s own check are held against the manifest first, and the manifest against the master key.

A ledger is not restored with it. If the server went on after the backup was made, an action that is pending in the backup
may have been executed since, and would be executed once more. So where there are pending actions, --pending says which
it is. Before the first start, verify tells of transactions that no action knows. Wallets made since the backup are lost.`,
  arguments: { folder: 'The backup.' },
  options: {
    pending: {
      type: 'string',
      values: ['keep', 'end'],
      about:
        'keep: nothing was done since the backup, pending actions go on. end: those that would have to be signed FAIL.',
    },
  },
  async run({ given: { folder = '' }, options: { pending }, config }) {
    const settings = config();
    if (settings.databaseUrl !== undefined) {
      throw new CommandError('DATABASE_URL is set: a backup is restored into DATA_DIR, without it.');
    }
    const source = resolve(folder);
    const target = resolve(settings.dataDir);
    const manifest = await readManifest(source, settings.masterKey);
    if (manifest.pending > 0 && pending === undefined) {
      throw new CommandError(
        `${manifest.pending} actions are pending in this backup. If anything was executed after ${manifest.createdAt}, give --pending=end: those that would have to be signed FAIL, and happen only once. If nothing was, give --pending=keep.`,
      );
    }
    await makeEmpty(target);
    await chmod(target, 0o700);
    // Under another name until it is whole: a server would start with it.
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
        `${target}: the database as of ${manifest.createdAt}, ${manifest.database.rows.action ?? 0} actions, ${manifest.database.rows.wallet ?? 0} wallets.`,
        ...(before.pending.length === 0
          ? []
          : [`The next start brings its schema up to date: ${before.pending.join(', ')}.`]),
        ...(manifest.pending === 0 ? [] : [said[pending === 'end' ? 'end' : 'keep'](manifest.pending)]),
      ],
      data: { folder: target, manifest, pending: pending ?? null },
    };
  },
};

const said = {
  keep: (n: number) => `${n} pending actions go on with the next start.`,
  end: endsPending,
};
