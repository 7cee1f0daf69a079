import { statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { ServerConfig } from './settings/config.ts';

/** File systems whose content is lost when the machine or the container ends, by their magic numbers on Linux. */
const volatile = new Map([
  [0x0102_1994, 'tmpfs'],
  [0x8584_58f6, 'ramfs'],
  [0x794c_7630, 'overlay'],
]);

/**
 * Returns the name of the volatile file system that contains a folder, or the folder's parent if the folder
 * is missing. Undefined if the file system is persistent or unknown.
 */
async function volatileFileSystem(folder: string): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  const path = resolve(folder);
  const read = (where: string) => statfs(where).catch(() => undefined);
  const info = (await read(path)) ?? (await read(dirname(path)));
  return info && volatile.get(info.type >>> 0);
}

/** Returns a warning if a SQLite database in this folder will be lost, else undefined. */
export async function volatileDatabase({
  databaseUrl,
  dataDir,
}: Pick<ServerConfig, 'databaseUrl' | 'dataDir'>): Promise<string | undefined> {
  if (databaseUrl !== undefined) return undefined;
  const name = await volatileFileSystem(dataDir);
  if (name === undefined) return undefined;
  const end = name === 'overlay' ? 'container is removed' : 'machine or container stops';
  return `${resolve(dataDir)} is on ${name}: the database and its wallet keys are lost when the ${end}`;
}
