import { stat, statfs } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { dirname, resolve } from 'node:path';
import { demandServerRights, openSnapshot, readSchema, type Store } from '@ledger-ops/store';
import { volatileDatabase } from '../data-folder.ts';
import { databasePlace } from '../database-place.ts';
import { adoptAdvice, examineInstallation } from '../installation/examine.ts';
import { readHeartbeat, type SeenHeartbeat } from '../installation/heartbeat-file.ts';
import { isNewInstallation, lostDatabase } from '../lost-database.ts';
import { messageOf } from '../message-of.ts';
import { differingSettings, type RunningServerRecord, readRunningServer } from '../running-server.ts';
import type { ServerConfig } from '../settings/config.ts';
import { ConfigError } from '../settings/config-error.ts';
import { misspelledText } from '../settings/misspelled.ts';
import { type Command, found, type Report } from './command.ts';
import { openCore } from './open-core.ts';

/** Result of one check. */
interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'wrong';
  readonly detail: string;
  /** The next step; absent if the check passed. */
  readonly next?: string;
}

/** Time limits in milliseconds, and minimum free disk space in bytes. */
const bounds = { ledger: 15_000, connect: 2_000, clock: 5_000, disk: 1_000_000_000, noDisk: 100_000_000 };

const beforeStart = 'Do this before the next start.';

export const doctor: Command = {
  about: 'Checks everything that a server needs, and reports how to fix each problem.',
  more: `Checks settings, files, disk, ports, database and schema, master key, clock, exclusive wallets, plugins and ledgers. Changes
nothing. It can run next to a server on the same DATA_DIR, and then uses that server’s settings for plugins and nodes. Ledgers are
queried from this machine, with plugins loaded as in the server.`,
  arguments: {},
  options: {},
  async run({ config }) {
    const findings: Finding[] = [];
    try {
      const settings = config();
      const running = await readRunningServer(settings.dataDir);
      findings.push(settingsOf(settings, running));
      findings.push(...(await runChecks(settings, running)));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const next = 'Correct this setting, then run doctor again to run the other checks.';
      findings.push({ check: 'settings', state: 'wrong', detail: error.message, next });
    }
    return reportOf(findings);
  },
};

function reportOf(findings: readonly Finding[]): Report {
  const isWell = findings.every(({ state }) => state !== 'wrong');
  return {
    code: isWell ? 0 : found,
    lines: findings.flatMap(({ check, state, detail, next }) => [
      `${state.padEnd(7)}  ${check}: ${detail}`,
      ...(next === undefined ? [] : [`         → ${next}`]),
    ]),
    data: { well: isWell, findings },
  };
}

/** Compares this command's settings with those of a server that runs on the same data folder. */
function settingsOf(config: ServerConfig, running: RunningServerRecord | undefined): Finding {
  const check = 'settings';
  if (config.misspelled.length > 0) {
    const next = 'Correct the names, or remove these variables from the environment of the server.';
    return { check, state: 'warning', detail: misspelledText(config.misspelled), next };
  }
  const others = running === undefined ? [] : differingSettings(config, running);
  if (running === undefined || others.length === 0)
    return { check, state: 'ok', detail: 'complete and valid' };
  return {
    check,
    state: 'warning',
    detail: `the running server (process ${running.pid}) was started with a different ${others.join(', ')}; plugins and ledgers are checked with its values`,
    next: `Put ${others.join(', ')} into the settings file (ledger-ops.json, or the file that CONFIG_FILE names), which every command reads, or restart the server with these settings.`,
  };
}

async function runChecks(given: ServerConfig, running: RunningServerRecord | undefined): Promise<Finding[]> {
  const { outboundOpen, plugins, pluginIsolation } = running ?? given;
  const config = { ...given, outboundOpen, plugins, pluginIsolation };
  const findings = [
    ...secrets(config),
    await disk(config),
    ...(await fileSystem(config)),
    await port('port', config, running),
    ...(config.metrics === undefined ? [] : [await port('metrics port', config.metrics, running)]),
  ];
  const schema = await guarded('database', 'Start the database, or correct DATABASE_URL or DATA_DIR.', () =>
    database(config),
  );
  findings.push(schema);
  if (schema.state !== 'ok') return findings;
  const seen = await readHeartbeat(config.dataDir);
  const store = await openSnapshot(databasePlace(config));
  try {
    findings.push(await installation(store, config, seen));
    findings.push(await clock(store, config));
    if (config.databaseUrl !== undefined) findings.push(await commits(store));
    findings.push(await exclusiveWallets(store));
    findings.push(...(await checkCore(store, config)));
  } finally {
    await store.close();
  }
  return findings;
}

function secrets({ secretsInEnvironment }: ServerConfig): Finding[] {
  if (secretsInEnvironment.length === 0) return [];
  const names = secretsInEnvironment.join(', ');
  return [
    {
      check: 'secrets',
      state: 'warning',
      detail: `the environment contains ${names}; the server’s user and root can read it in /proc`,
      next: `Use ${secretsInEnvironment.map((name) => `${name}_FILE`).join(', ')} instead.`,
    },
  ];
}

async function disk({ dataDir }: ServerConfig): Promise<Finding> {
  const check = 'data folder';
  const path = resolve(dataDir);
  const info = await stat(path).catch(() => undefined);
  const space = await statfs(info === undefined ? dirname(path) : path).catch(() => undefined);
  if (space === undefined) {
    const next = 'Create its parent folder, or correct DATA_DIR.';
    return { check, state: 'wrong', detail: `${path} cannot be created`, next };
  }
  const free = space.bavail * space.bsize;
  const detail = `${path}, ${Math.floor(free / 1_000_000)} MB free`;
  if (free < bounds.disk) {
    const state = free < bounds.noDisk ? 'wrong' : 'warning';
    return {
      check,
      state,
      detail,
      next: 'Free disk space, or move DATA_DIR: with a full disk, the server accepts no operations.',
    };
  }
  if (info !== undefined && (info.mode & 0o077) !== 0) {
    return {
      check,
      state: 'warning',
      detail: `${detail}, readable by other users`,
      next: `chmod 700 ${path}`,
    };
  }
  return { check, state: 'ok', detail };
}

async function fileSystem(config: ServerConfig): Promise<Finding[]> {
  const detail = await volatileDatabase(config);
  if (detail === undefined) return [];
  return [
    {
      check: 'file system',
      state: 'warning',
      detail,
      next: 'Set DATA_DIR to a folder on a disk or volume, or use PostgreSQL (DATABASE_URL).',
    },
  ];
}

async function port(
  check: string,
  { host, port: number }: Pick<ServerConfig, 'host' | 'port'>,
  running: RunningServerRecord | undefined,
): Promise<Finding> {
  if (number === 0) return { check, state: 'ok', detail: 'the server chooses a free port' };
  const address = `${host}:${number}`;
  const isTaken = await new Promise<boolean>((decide) => {
    const target = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
    const socket = createConnection({ host: target, port: number, timeout: bounds.connect });
    const end = (answer: boolean) => {
      socket.destroy();
      decide(answer);
    };
    socket
      .once('connect', () => end(true))
      .once('error', () => end(false))
      .once('timeout', () => end(false));
  });
  if (!isTaken) return { check, state: 'ok', detail: `${address} is free` };
  if (running !== undefined && [Number(new URL(running.url).port), running.metricsPort].includes(number))
    return {
      check,
      state: 'ok',
      detail: `the running server (process ${running.pid}) listens on ${address}`,
    };
  return {
    check,
    state: 'warning',
    detail: `another program listens on ${address}`,
    next: 'Nothing to do if it is this server; otherwise, set another port.',
  };
}

async function database(config: ServerConfig): Promise<Finding> {
  const check = 'database';
  const { applied, pending, where } = await readSchema(databasePlace(config));
  const kind = `${config.databaseUrl === undefined ? 'SQLite' : 'PostgreSQL'}, ${where}`;
  const lost = applied.length === 0 ? await lostDatabase(config) : undefined;
  if (lost !== undefined) return { check, state: 'wrong', detail: lost, next: beforeStart };
  await demandServerRights(databasePlace(config));
  if (pending.length === 0) return { check, state: 'ok', detail: `${kind}, schema ${applied.at(-1)}` };
  return {
    check,
    state: 'warning',
    detail:
      applied.length === 0
        ? `${kind}: empty, so the next start begins a new installation`
        : `${kind}, with migrations to apply: ${pending.join(', ')}`,
    next: 'The next start applies them; `migrate` applies them now. Then run doctor again for the other checks.',
  };
}

/**
 * Checks that the database is the recorded one, was not restored to an earlier state, and is not empty by mistake.
 */
async function installation(
  store: Store,
  config: ServerConfig,
  seen: SeenHeartbeat | undefined,
): Promise<Finding> {
  const check = 'installation';
  if (await isNewInstallation(store.read)) {
    const lost = await lostDatabase(config);
    if (lost !== undefined) return { check, state: 'wrong', detail: lost, next: beforeStart };
    const detail = `${store.where} is empty, so the next start begins a new installation`;
    return {
      check,
      state: 'warning',
      detail,
      next: 'If an installation already exists, correct DATABASE_URL or DATA_DIR.',
    };
  }
  const { installation: known, doubt } = await examineInstallation(store, config, seen);
  if (doubt !== undefined) return { check, state: 'wrong', detail: doubt.detail, next: adoptAdvice };
  if (known === undefined) return { check, state: 'ok', detail: 'the next start records the database' };
  return { check, state: 'ok', detail: `${known.installationId}, on the database that it used before` };
}

async function clock(store: Store, { databaseUrl }: ServerConfig): Promise<Finding> {
  const check = 'clock';
  const [row] = await store.read.all<{ at: number | null }>('SELECT max(updated_at) AS at FROM action');
  const [there] =
    databaseUrl === undefined
      ? []
      : await store.read.all<{ now: number }>(
          'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now',
        );
  const here = Date.now();
  const off = there === undefined ? Math.max((row?.at ?? 0) - here, 0) : Math.abs(there.now - here);
  if (off <= bounds.clock) return { check, state: 'ok', detail: 'matches the database' };
  const detail = `differs from the database’s clock by ${Math.round(off / 1_000)} s`;
  return {
    check,
    state: 'wrong',
    detail,
    next: 'Synchronize both clocks with NTP: deadlines and leases depend on them.',
  };
}

/** Checks that PostgreSQL keeps committed changes, even if a standby takes over. */
async function commits(store: Store): Promise<Finding> {
  const check = 'commits';
  const [row] = await store.read.all<{
    fsync: string;
    pages: string;
    mode: string;
    names: string;
    standbys: number;
  }>(
    `SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS pages,
      current_setting('synchronous_commit') AS mode, current_setting('synchronous_standby_names') AS names,
      (SELECT count(*) FROM pg_stat_replication) AS standbys`,
  );
  const { fsync = 'on', pages = 'on', mode = 'on', names = '', standbys = 0 } = row ?? {};
  if (fsync === 'off') {
    return {
      check,
      state: 'wrong',
      detail: 'fsync is off: a crash of the PostgreSQL host can lose accepted operations',
      next: 'Set fsync to on.',
    };
  }
  if (pages === 'off') {
    return {
      check,
      state: 'warning',
      detail: 'full_page_writes is off: a crash of the PostgreSQL host can corrupt the database',
      next: 'Set full_page_writes to on, unless the file system never writes a page partially (such as ZFS).',
    };
  }
  if (standbys > 0 && (names === '' || mode === 'local')) {
    return {
      check,
      state: 'warning',
      detail: 'commits do not wait for the standby, so its promotion can lose operations that were executed',
      next: 'Set synchronous_standby_names, and synchronous_commit to on. Otherwise a promotion suspends all ledgers.',
    };
  }
  const detail = `operations are durable when they are accepted${names === '' ? '' : ', also on the standby'}`;
  const raised = mode === 'off' ? ' (synchronous_commit is off, and servers turn it on)' : '';
  return { check, state: 'ok', detail: `${detail}${raised}` };
}

/** Checks that exclusive wallets could be compared with their ledgers. */
async function exclusiveWallets(store: Store): Promise<Finding> {
  const check = 'exclusive wallets';
  const [row] = await store.read.all<{ count: number; detail: string | null }>(
    'SELECT COUNT(*) AS count, MIN(incomplete) AS detail FROM compared_account WHERE incomplete IS NOT NULL',
  );
  const { count = 0, detail } = row ?? {};
  if (count === 0 || detail === null || detail === undefined)
    return { check, state: 'ok', detail: 'no incomplete comparison of a wallet with its ledger is known' };
  const accounts = count === 1 ? 'the account of one wallet was' : `the accounts of ${count} wallets were`;
  return {
    check,
    state: 'warning',
    detail: `${accounts} not compared completely with the ledger, so unknown transactions (on the ledger, but not in the database) may go unnoticed. ${detail}`,
    next: 'Add a node that has the history of the ledger. To compare only new transactions, set the wallets to not exclusive and then to exclusive again.',
  };
}

/** Checks the master key, then the plugins and ledgers, which need it. */
async function checkCore(store: Store, config: ServerConfig): Promise<Finding[]> {
  const core = await openCore(config, store).catch((error: unknown) => messageOf(error));
  if (typeof core === 'string') {
    const next = 'Provide the master key that this database was created with; it is not part of a backup.';
    return [{ check: 'master key', state: 'wrong', detail: core, next }];
  }
  const { runtime, registry, plugins } = core;
  try {
    const records = (await plugins.all()).filter(({ active }) => active);
    const ledgers = await store.read.all<{ uid: string; ledger_id: string }>(
      'SELECT uid, ledger_id FROM ledger ORDER BY ledger_id',
    );
    return [
      { check: 'master key', state: 'ok', detail: 'opens the database' },
      signer(runtime.secp256k1Signer()),
      ...(await Promise.all(
        records.map((record) =>
          guarded(
            `plugin ${record.pluginId}`,
            'Install or start the plugin, or deactivate its record.',
            async () => {
              const { found: answer, release } = await runtime.plugins.inspect(record);
              await release();
              if (typeof answer === 'string') throw new Error(answer);
              return { check: `plugin ${record.pluginId}`, state: 'ok', detail: answer.technology };
            },
          ),
        ),
      )),
      ...(await Promise.all(
        ledgers.map(({ uid, ledger_id: ledgerId }) =>
          guarded(
            `ledger ${ledgerId}`,
            'Check the ledger’s nodes; private addresses must be in OUTBOUND_OPEN.',
            async () => {
              if ((await registry.ledgerByUid(uid))?.active === false) {
                return { check: `ledger ${ledgerId}`, state: 'ok', detail: 'not active' };
              }
              const { id } = await withTimeout((await runtime.ledgers.open(uid)).chain());
              return { check: `ledger ${ledgerId}`, state: 'ok', detail: `chain ${id}` };
            },
          ),
        ),
      )),
    ];
  } finally {
    await core.close();
  }
}

/** Signatures of the WebAssembly library are the same, but take about three times as long. */
function signer(name: 'native' | 'wasm'): Finding {
  const check = 'secp256k1 signer';
  if (name === 'native') return { check, state: 'ok', detail: 'libsecp256k1, compiled for this platform' };
  return { check, state: 'ok', detail: 'libsecp256k1 as WebAssembly: no binary for this platform' };
}

async function guarded(check: string, next: string, run: () => Promise<Finding>): Promise<Finding> {
  try {
    return await run();
  } catch (error) {
    return { check, state: 'wrong', detail: messageOf(error), next };
  }
}

async function withTimeout<T>(work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('No node responded in time.')), bounds.ledger);
  return await Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
}
