import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from '@hono/zod-openapi';
import type { ServerConfig } from './settings/config.ts';

const names = z.array(z.string());

/**
 * Settings that determine which addresses the server reaches and which plugins it loads. `doctor` must use
 * the same values. None of them is a secret.
 */
const reachSchema = z.object({
  outboundOpen: names,
  pluginIsolation: z.enum(['best', 'required']),
  plugins: z.object({
    allowed: z.object({ modules: names, folders: names, hosts: names }),
    trusted: z.object({ packages: names, folders: names }),
    folder: z.string(),
    closed: z.array(z.object({ name: z.string(), path: z.string() })),
  }),
});
const runningSchema = reachSchema.extend({
  pid: z.int().positive(),
  url: z.url(),
  metricsPort: z.int().optional(),
});

/** A server that runs on a data folder, as described by its file in that folder. */
export type RunningServerRecord = z.infer<typeof runningSchema>;

const fileOf = (dataDir: string) => join(dataDir, 'running-server.json');

/** Writes the description of this server, for commands on the same data folder. `remove` deletes it. */
export async function describeRunningServer(
  config: ServerConfig,
  url: string,
): Promise<{ remove(): Promise<void> }> {
  const { outboundOpen, pluginIsolation, plugins, metrics } = config;
  const record = {
    pid: process.pid,
    url,
    metricsPort: metrics?.port,
    outboundOpen,
    pluginIsolation,
    plugins,
  };
  const file = fileOf(config.dataDir);
  const written = `${file}.${process.pid}`;
  await writeFile(written, `${JSON.stringify(record, undefined, 2)}\n`, { mode: 0o600 });
  await rename(written, file);
  return {
    async remove() {
      // Keeps the file if another server on this folder has written its description in the meantime.
      if ((await read(config.dataDir))?.pid === process.pid) await rm(file, { force: true });
    },
  };
}

/** Returns the server that runs on a data folder; undefined if none is known. */
export async function readRunningServer(dataDir: string): Promise<RunningServerRecord | undefined> {
  const record = await read(dataDir);
  return record !== undefined && isAlive(record.pid) ? record : undefined;
}

/** Returns the names of settings for which the running server uses other values. */
export function differingSettings(config: ServerConfig, running: RunningServerRecord): string[] {
  const isOther = (here: unknown, there: unknown) => JSON.stringify(here) !== JSON.stringify(there);
  const { allowed, trusted, folder } = config.plugins;
  return [
    ...(isOther(config.outboundOpen, running.outboundOpen) ? ['OUTBOUND_OPEN'] : []),
    ...(isOther(config.pluginIsolation, running.pluginIsolation) ? ['PLUGIN_ISOLATION'] : []),
    // The lists of allowed modules also contain the trusted modules.
    ...(isOther(trusted, running.plugins.trusted) ? ['PLUGINS_TRUSTED'] : []),
    ...(isOther(allowed, running.plugins.allowed) ? ['PLUGINS_ALLOWED'] : []),
    ...(folder === running.plugins.folder ? [] : ['PLUGINS_FOLDER']),
  ];
}

async function read(dataDir: string): Promise<RunningServerRecord | undefined> {
  try {
    return runningSchema.parse(JSON.parse(await readFile(fileOf(dataDir), 'utf8')));
  } catch {
    // No server, or only one of another version, has run on this folder.
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // With EPERM, the process exists but runs as another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
