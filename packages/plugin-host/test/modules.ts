import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AdapterDefinition, AdapterHost, LedgerSession } from '@ledger-ops/adapter';
import {
  openProcessAdapter,
  type PluginHealth,
  type ProcessAdapter,
  type ProcessAdapterOptions,
} from '@ledger-ops/plugin-host';
import { onTestFinished } from 'vitest';

/** Source of the valid members of a definition. */
export const members = `
  name: 'bad', technology: 'ethereum', version: '1.0.0', interfaceVersion: '0.1.0', keyType: 'secp256k1',
  description: { title: 'Test', addresses: { account: { pattern: '^.+$', example: 'a' } } },
  capabilities: { operations: ['transfer'], sequence: 'account', replacement: false, emulation: false,
    lookup: true, balance: false },
  readInterface: async () => ({ interface: '', methods: [] }),`;

/** Source of a module whose sessions have these methods, in addition to a valid chain(). */
export function moduleOf(methods: string): string {
  return `import * as fs from 'node:fs';
    import { serialize } from 'node:v8';
    const frame = (message) => {
      const body = serialize(message);
      const header = Buffer.alloc(4);
      header.writeUInt32BE(body.length);
      return Buffer.concat([header, body]);
    };
    export default { ${members}
      open: async (ledger, host) => ({
        chain: async () => ({ id: 'test:1', genesis: 'genesis' }),
        onHead: () => () => undefined,
        close: async () => undefined,
        ${methods}
      }),
    };`;
}

/** Registers a cleanup. */
type AtEnd = (done: () => Promise<void>) => void;

/** Writes a module into its own folder, which is removed after the test. */
export function writeModule(source: string, atEnd: AtEnd = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'adapter-module-'));
  atEnd(async () => rmSync(folder, { recursive: true }));
  const file = join(folder, 'plugin.mjs');
  writeFileSync(file, source);
  return file;
}

export interface Opened {
  adapter: ProcessAdapter;
  log: string[];
  /** Waits until the process has this state. */
  until(wanted: (health: PluginHealth) => boolean): Promise<PluginHealth>;
}

/** Runs a module in a process that is ended after the test. */
export async function openModule(
  source: string,
  options: Partial<ProcessAdapterOptions> = {},
  atEnd: AtEnd = onTestFinished,
): Promise<Opened> {
  const log: string[] = [];
  const waiting = new Set<() => void>();
  const adapter = await openProcessAdapter({
    specifier: writeModule(source, atEnd),
    ...options,
    timing: { call: 10_000, restart: { first: 5, longest: 30_000 }, ...options.timing },
    log: (level, event, fields) => log.push(`${level} ${event} ${JSON.stringify(fields ?? {})}`),
    onHealth: () => {
      for (const look of waiting) look();
    },
  });
  atEnd(() => adapter.close());
  const until = (wanted: (health: PluginHealth) => boolean) =>
    new Promise<PluginHealth>((resolve) => {
      const look = () => {
        if (!wanted(adapter.health())) return;
        waiting.delete(look);
        resolve(adapter.health());
      };
      waiting.add(look);
      look();
    });
  return { adapter, log, until };
}

/** Creates a session with a signal that never aborts. */
export function openSession(
  definition: AdapterDefinition,
  uri = 'http://127.0.0.1:8545/',
  log: (line: string) => void = () => undefined,
  more: Pick<AdapterHost, 'requested' | 'traceparent'> = {},
): Promise<LedgerSession> {
  const ledger = { ledgerId: 'l', technology: 'ethereum', properties: {}, nodes: [{ nodeId: 'n', uri }] };
  return definition.open(ledger, {
    now: Date.now,
    log: (level, event, fields) => log(`${level} ${event} ${JSON.stringify(fields)}`),
    signal: new AbortController().signal,
    ...more,
  });
}

/** Returns the problem with which a call fails. */
export async function problemOf(call: Promise<unknown>) {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof Error && 'problem' in error) return error.problem;
  throw new Error(`The call did not fail with a problem: ${String(error)}`);
}
