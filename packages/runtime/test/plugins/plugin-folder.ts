import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { AdapterError, type LedgerSession } from '@ledger-ops/adapter';
import { type MemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import { createMasterKey, Problem } from '@ledger-ops/base';
import { onTestFinished } from 'vitest';
import { asyncListener } from '../../../../testing/async-listener.ts';
import type { PluginLoaderOptions } from '../../src/plugins/loader.ts';
import type { PluginRecord } from '../../src/plugins/types.ts';

/** How a plugin misbehaves when it is called. */
export type Misdeed = 'exit' | 'exit after' | 'loop' | 'leak' | 'silence' | 'nonsense' | 'too much' | 'throw';

/** A ledger outside of the plugins' processes. It can also make plugins misbehave. */
export interface LedgerServer {
  url: string;
  /** Number of calls by plugin and method, such as `a submit`. */
  calls: Map<string, number>;
  /** Makes the plugin misbehave in its next `times` calls to the method. */
  script(plugin: string, method: keyof LedgerSession, misdeed: Misdeed, times?: number): void;
}

/** Serves a memory ledger to plugins, whose source is that of `source`. */
export async function serveLedger(ledger: MemoryLedger): Promise<LedgerServer> {
  const signal = new AbortController().signal;
  const session = await memoryAdapter(ledger).open(
    { ledgerId: 'served', technology: 'ethereum', properties: {}, nodes: [] },
    { now: Date.now, log: () => undefined, signal },
  );
  const methods = new Map<string, unknown>(Object.entries(session));
  const scripts: { plugin: string; method: string; misdeed: Misdeed; times: number }[] = [];
  const calls = new Map<string, number>();

  async function answer(plugin: string, method: string, args: unknown[]): Promise<unknown> {
    calls.set(`${plugin} ${method}`, (calls.get(`${plugin} ${method}`) ?? 0) + 1);
    if (method === 'head') return { value: ledger.head };
    const script = scripts.find((one) => one.plugin === plugin && one.method === method && one.times > 0);
    if (script !== undefined) script.times -= 1;
    const misdeed = script?.misdeed;
    if (misdeed !== undefined && misdeed !== 'exit after') return { misdeed };
    const call = methods.get(method);
    try {
      return { misdeed, value: typeof call === 'function' ? await call(...args) : undefined };
    } catch (error) {
      return { problem: error instanceof AdapterError ? error.problem : { code: 'adapter-fault' } };
    }
  }

  const server = createServer(
    asyncListener(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const { plugin, method, args } = deserialize(Buffer.concat(chunks));
      response.end(serialize(await answer(plugin, method, args)));
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/`,
    calls,
    script(plugin, method, misdeed, times = 1) {
      scripts.push({ plugin, method, misdeed, times });
    },
  };
}

/** Source of a plugin that forwards its calls to the ledger at the first node's address. */
export function source(plugin: string): string {
  return `import { deserialize, serialize } from 'node:v8';
const names = ['chain', 'createWallet', 'advanceWallet', 'check', 'estimate', 'prepare', 'advance', 'submit',
  'confirm', 'sequences', 'balances', 'normaliseAddress', 'emulate', 'lookup'];
const misdeeds = {
  exit: () => process.exit(3),
  loop: () => { for (;;); },
  leak: async () => { const kept = []; for (;;) { kept.push(Buffer.alloc(8_388_608, 1)); await new Promise(setImmediate); } },
  silence: () => new Promise(() => undefined),
  nonsense: () => ({ nonsense: true }),
  'too much': () => 'x'.repeat(64 * 1024 * 1024),
  throw: () => { throw new TypeError('thrown by the plugin'); },
};
async function ask(url, method, args) {
  const response = await fetch(url, { method: 'POST', body: serialize({ plugin: ${JSON.stringify(plugin)}, method, args }) });
  const { misdeed, value, problem } = deserialize(Buffer.from(await response.arrayBuffer()));
  if (misdeed === 'exit after') process.exit(4);
  if (misdeed !== undefined) return misdeeds[misdeed]();
  if (problem !== undefined) throw Object.assign(new Error(problem.detail), { name: 'AdapterError', problem });
  return value;
}
export default {
  name: ${JSON.stringify(plugin)}, technology: 'ethereum', version: '1.0.0', interfaceVersion: '0.1.0', keyType: 'secp256k1',
  description: { title: 'Test', addresses: { account: { pattern: '^.+$', example: 'a' } } },
  capabilities: { operations: ['transfer'], sequence: 'account', replacement: false, emulation: false, lookup: true, balance: true },
  readInterface: async () => ({ interface: '', methods: [] }),
  open: async (ledger) => {
    const [{ uri }] = ledger.nodes;
    const listeners = new Set();
    let height = -1;
    const timer = setInterval(async () => {
      if (listeners.size === 0) return;
      const head = await ask(uri, 'head', []).catch(() => undefined);
      if (head === undefined || head.height === height) return;
      height = head.height;
      for (const listener of listeners) listener(head);
    }, 20);
    return {
      ...Object.fromEntries(names.map((name) => [name, (...args) => ask(uri, name, args)])),
      onHead: (listener) => { listeners.add(listener); return () => listeners.delete(listener); },
      close: async () => clearInterval(timer),
    };
  },
};
`;
}

/** Plugin records and modules of a test. Changes take effect immediately. */
export interface PluginFolder {
  records: NonNullable<PluginLoaderOptions['records']>;
  /** Writes a module with this source, by default that of a plugin `name`, and returns its URL. */
  write(name: string, text?: string): string;
  /** Adds or changes a record. Of several plugins, the one added last is preferred. */
  put(record: Partial<PluginRecord> & { uid: string }): void;
  remove(uid: string): void;
}

/**
 * Returns a folder of plugin modules, and their records. The newest active plugin serves all ledgers, whatever its tags
 * are.
 */
export function pluginFolder(trusted = false): PluginFolder {
  const folder = mkdtempSync(join(tmpdir(), 'plugins-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const rows = new Map<string, PluginRecord>();
  const kept = new Map<string, { url: string; description: string }>();
  let revision = 0;
  return {
    records: {
      outbound: { open: ['127.0.0.1'] },
      masterKey: createMasterKey(new Uint8Array(32).fill(4)),
      source: {
        all: async () => [...rows.values()],
        async choose(_ledger, _project, pluginId) {
          const active = [...rows.values()].filter((row) => row.active).toReversed();
          const found = active.find((row) => pluginId === undefined || row.pluginId === pluginId);
          if (found === undefined) throw new Problem('no-plugin', 'No active plugin has the tags.');
          return found;
        },
        weigh: async () => [],
        async keepDescription({ uid, url }, description) {
          if (rows.get(uid)?.url === url) kept.set(uid, { url, description });
        },
        descriptions: async (uids) =>
          new Map(
            [...kept]
              .filter(([uid, { url }]) => uids.includes(uid) && rows.get(uid)?.url === url)
              .map(([uid, { description }]) => [uid, description]),
          ),
      },
      policy: {
        folder,
        trusted: { packages: [], folders: trusted ? [folder] : [] },
        async locate(url) {
          if (url.startsWith('http')) return { kind: 'remote', url };
          if (!url.startsWith('npm:')) {
            const path = url.slice('file:'.length);
            return { kind: 'file', url, path, folder: dirname(path), allowed: dirname(path) };
          }
          const [name = '', range = null] = url.slice('npm:'.length).split('@');
          return { kind: 'npm', url, package: name, range };
        },
      },
    },
    write(name, text = source(name)) {
      const file = join(folder, `${name}.mjs`);
      writeFileSync(file, text);
      return `file:${file}`;
    },
    put(record) {
      const known = rows.get(record.uid);
      const fresh = {
        pluginId: record.uid,
        projectUid: null,
        organizationUid: null,
        name: record.uid,
        url: '',
        active: true,
        integrity: null,
        credentials: null,
        moduleRevision: 0,
        ledgers: null,
      };
      const next = { ...fresh, ...known, ...record };
      revision += 1;
      const isReload = next.url !== known?.url || (next.active && !known.active);
      rows.set(record.uid, { ...next, ...(isReload && { moduleRevision: revision }) });
    },
    remove: (uid) => void rows.delete(uid),
  };
}
