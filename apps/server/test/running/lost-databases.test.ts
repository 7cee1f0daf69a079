// A database that is empty by mistake, or will be lost, is noticed at startup and by the commands.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFile, mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openFolder } from '../../../../testing/folder.ts';
import { runCommand } from '../../src/commands/run-command.ts';
import { databaseFile } from '../../src/database-place.ts';
import { createLog } from '../../src/logging/logger.ts';
import { type RunningServer, startServer } from '../../src/server.ts';
import { readConfig } from '../../src/settings/config.ts';

type Environment = Readonly<Record<string, string>>;
interface Line {
  readonly level: string;
  readonly msg: string;
  readonly detail?: string;
}

const MASTER_KEY = '07'.repeat(32);
let folder: Awaited<ReturnType<typeof openFolder>>;
let environment: Environment;

beforeEach(async () => {
  folder = await openFolder();
  environment = { DATA_DIR: join(folder.path, 'data'), MASTER_KEY, PORT: '0' };
});
afterEach(() => folder.remove());

async function start(settings: Environment): Promise<RunningServer & { readonly lines: Line[] }> {
  const lines: Line[] = [];
  const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line)) });
  const server = await startServer({ config: readConfig({ ...settings }), log, adapters: [] });
  return { ...server, lines };
}

const notKept = 'the database is not kept';
const warningsOf = async (settings: Environment) => {
  const server = await start(settings);
  await server.close();
  const warnings = server.lines
    .filter(({ level }) => level === 'warn')
    .map(({ msg, detail }) => [msg, detail]);
  // The folder of tests may be on tmpfs itself.
  return warnings.filter(([msg, detail]) => msg !== notKept || !String(detail).startsWith(folder.path));
};

async function run(settings: Environment, ...args: string[]) {
  let text = '';
  let err = '';
  const code = await runCommand([...args, '--json'], {
    environment: { ...settings },
    out: (chunk) => {
      text += chunk;
    },
    err: (chunk) => {
      err += chunk;
    },
  });
  return { code, err, data: text === '' ? undefined : JSON.parse(text) };
}

describe('a database file that was copied without its write-ahead log', () => {
  test('soon after the last change, the database file contains everything, even without its write-ahead log', async () => {
    const server = await start(environment);
    const copied = { ...environment, DATA_DIR: join(folder.path, 'copied') };
    await mkdir(copied.DATA_DIR);
    const [from, to] = [environment, copied].map(({ DATA_DIR = '' }) => join(DATA_DIR, databaseFile));
    const organizations = async () => {
      for (const end of ['', '-wal', '-shm']) await rm(`${to}${end}`, { force: true });
      await copyFile(from ?? '', to ?? '');
      const copy = new DatabaseSync(to ?? '');
      const rows = copy.prepare('SELECT uid FROM organization').all();
      copy.close();
      return rows.length;
    };
    // A file that is copied while pages are written to it contains old and new ones, so the copy is verified before it is used.
    await vi.waitFor(async () => {
      expect(await organizations()).toBe(1);
      expect(await run(copied, 'verify')).toMatchObject({ code: 0 });
    }, 30_000);
    await server.close();
    expect(await run(copied, 'adopt', '--moved')).toMatchObject({ code: 0 });
    const continued = await start(copied);
    expect(continued.lines.map(({ msg }) => msg)).not.toContain('a new installation begins');
    await continued.close();
  });

  test('the server and its commands refuse a copied database file whose data was all in the missing write-ahead log', async () => {
    const { DATA_DIR = '' } = environment;
    const source = new DatabaseSync(join(folder.path, 'source.sqlite'));
    source.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0');
    source.exec('CREATE TABLE action (id TEXT)');
    await mkdir(DATA_DIR);
    await copyFile(join(folder.path, 'source.sqlite'), join(DATA_DIR, databaseFile));
    source.close();
    await expect(start(environment)).rejects.toThrow(/its write-ahead log with the data, is missing\./);
    for (const command of ['end-pending', 'verify', 'migrate']) {
      const { code, err } = await run(environment, command);
      expect([command, code, err]).toEqual([
        ...[command, 1],
        expect.stringMatching(/There is no installation in|its write-ahead log with the data, is missing\./),
      ]);
    }
  });
});

test('verify and doctor report the credentials of an older installation in the data folder of an empty database', async () => {
  const { DATA_DIR = '' } = environment;
  await mkdir(DATA_DIR);
  await run(environment, 'migrate');
  await writeFile(join(DATA_DIR, 'administrator.json'), '{}');
  const reason = /^The database is empty, but .*administrator\.json of .* belongs to an older installation\./;
  expect(await run(environment, 'verify')).toMatchObject({
    ...{ code: 1, err: expect.stringMatching(/administrator\.json of .* belongs to an older installation/) },
  });
  const { data } = await run(environment, 'doctor');
  expect(data.findings).toContainEqual(
    expect.objectContaining({
      ...{ check: 'installation', state: 'wrong', detail: expect.stringMatching(reason) },
    }),
  );
});

test('a server that starts on an empty database warns if its master key file is older than a day', async () => {
  const path = join(folder.path, 'master.key');
  const settings = (name: string) => ({
    MASTER_KEY_FILE: path,
    PORT: '0',
    DATA_DIR: join(folder.path, name),
  });
  await writeFile(path, MASTER_KEY);
  expect(await warningsOf(settings('new'))).toEqual([]);
  const before = new Date(Date.now() - 2 * 86_400_000);
  await utimes(path, before, before);
  expect(await warningsOf(settings('old'))).toEqual([
    ['the master key is older than the database', expect.stringContaining(before.toISOString().slice(0, 10))],
  ]);
  // The installation exists now.
  expect(await warningsOf(settings('old'))).toEqual([]);
});

const shared = '/dev/shm';
const isMemory =
  spawnSync('stat', ['-f', '-c', '%T', shared], { encoding: 'utf8' }).stdout?.trim() === 'tmpfs';
if (!isMemory) console.warn(`Skipped: a data folder on tmpfs, because ${shared} is not on tmpfs here.`);

test.skipIf(!isMemory)('the server and doctor warn about a data folder that is only in memory', async () => {
  const DATA_DIR = execFileSync('mktemp', ['-d', `${shared}/ledger-ops-test-XXXXXX`], {
    encoding: 'utf8',
  }).trim();
  try {
    const detail = `${DATA_DIR} is on tmpfs: the database and its wallet keys are lost when the machine or container stops`;
    expect(await warningsOf({ ...environment, DATA_DIR })).toContainEqual([notKept, detail]);
    const { data } = await run({ ...environment, DATA_DIR }, 'doctor');
    expect(data.findings).toContainEqual(
      expect.objectContaining({ check: 'file system', state: 'warning', detail }),
    );
  } finally {
    await rm(DATA_DIR, { recursive: true });
  }
});
