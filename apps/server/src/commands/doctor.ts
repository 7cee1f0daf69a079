import { stat, statfs } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { dirname, resolve } from 'node:path';
import { createAuth } from '@ledger-ops/auth';
import { createMasterKey } from '@ledger-ops/base';
import { openSnapshot, readSchema, type Store } from '@ledger-ops/store';
import { databasePlace } from '../database-place.ts';
import { createLog } from '../logging/logger.ts';
import type { ServerConfig } from '../settings/config.ts';
import { ConfigError } from '../settings/config-error.ts';
import { type Command, found, type Report } from './command.ts';

/** One thing that was looked at. */
interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'wrong';
  readonly detail: string;
  /** The next thing to do; absent where all is well. */
  readonly next?: string;
}

/** Bounds: milliseconds, bytes. */
const bounds = { ledger: 15_000, connect: 2_000, clock: 5_000, disk: 1_000_000_000, noDisk: 100_000_000 };

/** Looks at all that a server needs. */
export const doctor: Command = {
  about: 'Looks at all that a server needs, and says what to do where something is missing.',
  more: `Settings, files, disk, ports, database and schema, master key, clock, plugins, ledgers. Changes nothing, and may run beside
a server. Ledgers are asked from here: plugins are loaded as the server loads them.`,
  arguments: {},
  options: {},
  async run({ config }) {
    const findings: Finding[] = [];
    try {
      const settings = config();
      findings.push({ check: 'settings', state: 'ok', detail: 'complete and valid' });
      findings.push(...(await lookAt(settings)));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const next = 'Correct this setting; everything else is looked at after that.';
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

async function lookAt(config: ServerConfig): Promise<Finding[]> {
  const findings = [
    ...secrets(config),
    await disk(config),
    await port('port', config.host, config.port),
    ...(config.metrics === undefined
      ? []
      : [await port('metrics port', config.metrics.host, config.metrics.port)]),
  ];
  const schema = await guarded('database', 'Start the database, or correct DATABASE_URL or DATA_DIR.', () =>
    database(config),
  );
  findings.push(schema);
  if (schema.state !== 'ok') return findings;
  const store = await openSnapshot(databasePlace(config));
  try {
    findings.push(await clock(store, config));
    findings.push(...(await core(store, config)));
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
      detail: `${names} in the environment, which the kernel goes on showing`,
      next: `Give ${secretsInEnvironment.map((name) => `${name}_FILE`).join(', ')} instead.`,
    },
  ];
}

async function disk({ dataDir }: ServerConfig): Promise<Finding> {
  const check = 'data folder';
  const path = resolve(dataDir);
  const info = await stat(path).catch(() => undefined);
  const space = await statfs(info === undefined ? dirname(path) : path).catch(() => undefined);
  if (space === undefined) {
    const next = 'Make the folder that it stands in, or correct DATA_DIR.';
    return { check, state: 'wrong', detail: `${path} cannot be made`, next };
  }
  const free = space.bavail * space.bsize;
  const detail = `${path}, ${Math.floor(free / 1_000_000)} MB free`;
  if (free < bounds.disk) {
    const state = free < bounds.noDisk ? 'wrong' : 'warning';
    return { check, state, detail, next: 'Make room, or move DATA_DIR: a full disk stops all acceptance.' };
  }
  if (info !== undefined && (info.mode & 0o077) !== 0) {
    return { check, state: 'warning', detail: `${detail}, open to other users`, next: `chmod 700 ${path}` };
  }
  return { check, state: 'ok', detail };
}

async function port(check: string, host: string, number: number): Promise<Finding> {
  if (number === 0) return { check, state: 'ok', detail: 'a free one is taken' };
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
  return isTaken
    ? {
        ...{ check, state: 'warning', detail: `somebody answers on ${address}` },
        next: 'Well where it is this server, which runs; else set another port.',
      }
    : { check, state: 'ok', detail: `${address} is free` };
}

async function database(config: ServerConfig): Promise<Finding> {
  const check = 'database';
  const { applied, pending } = await readSchema(databasePlace(config));
  const kind = config.databaseUrl === undefined ? 'SQLite' : 'PostgreSQL';
  if (pending.length === 0) return { check, state: 'ok', detail: `${kind}, schema ${applied.at(-1)}` };
  return {
    ...{ check, state: 'warning', detail: `${kind}, without ${pending.join(', ')}` },
    next: 'The next start applies them; `migrate` does it now. The rest is looked at after that.',
  };
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
  if (off <= bounds.clock) return { check, state: 'ok', detail: 'agrees with the database' };
  const detail = `${Math.round(off / 1_000)} s apart from the database's`;
  return { check, state: 'wrong', detail, next: 'Set both by NTP: deadlines and leases go by them.' };
}

/** The master key, then plugins and ledgers, which it opens. */
async function core(store: Store, config: ServerConfig): Promise<Finding[]> {
  const masterKey = createMasterKey(config.masterKey);
  const auth = await createAuth({ store, masterKey, config: { baseUrl: 'http://localhost' } }).catch(
    (error: unknown) => said(error),
  );
  if (typeof auth === 'string') {
    const next = 'Give the master key that this database was made with; it is in no backup.';
    return [{ check: 'master key', state: 'wrong', detail: auth, next }];
  }
  // Most of a server, which other commands do not load.
  const [{ createCore }, { builtInAdapters }] = await Promise.all([
    import('../core.ts'),
    import('../adapters.ts'),
  ]);
  const { runtime, registry, plugins } = createCore({
    ...{ config, log: createLog('silent'), adapters: builtInAdapters, store, auth, masterKey, now: Date.now },
  });
  try {
    const records = (await plugins.all()).filter(({ active }) => active);
    const ledgers = await store.read.all<{ uid: string; ledger_id: string }>(
      'SELECT uid, ledger_id FROM ledger ORDER BY ledger_id',
    );
    return [
      { check: 'master key', state: 'ok', detail: 'opens the database' },
      ...(await Promise.all(
        records.map((record) =>
          guarded(`plugin ${record.pluginId}`, 'Install or start it, or deactivate its record.', async () => {
            const { found: answer, release } = await runtime.plugins.inspect(record);
            await release();
            if (typeof answer === 'string') throw new Error(answer);
            return { check: `plugin ${record.pluginId}`, state: 'ok', detail: answer.technology };
          }),
        ),
      )),
      ...(await Promise.all(
        ledgers.map(({ uid, ledger_id: ledgerId }) =>
          guarded(
            `ledger ${ledgerId}`,
            'Look at its nodes, and at OUTBOUND_OPEN where they are private.',
            async () => {
              if ((await registry.ledgerByUid(uid))?.active === false) {
                return { check: `ledger ${ledgerId}`, state: 'ok', detail: 'not active' };
              }
              const { id } = await soon((await runtime.ledgers.open(uid)).chain());
              return { check: `ledger ${ledgerId}`, state: 'ok', detail: `chain ${id}` };
            },
          ),
        ),
      )),
    ];
  } finally {
    await runtime.stop();
    await auth.close();
  }
}

async function guarded(check: string, next: string, look: () => Promise<Finding>): Promise<Finding> {
  try {
    return await look();
  } catch (error) {
    return { check, state: 'wrong', detail: said(error), next };
  }
}

function said(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown';
}

async function soon<T>(work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('No node answered in time.')), bounds.ledger);
  return await Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
}
