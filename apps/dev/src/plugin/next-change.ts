import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';

/** Debounce: milliseconds without a further change before files are read. */
const quietMs = 200;

/**
 * Waits for a change of files below the folder, except in `node_modules` and hidden folders. Returns false if `stop`
 * came first.
 */
export async function nextChange(folder: string, stop: Promise<unknown>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let timer: NodeJS.Timeout | undefined;
  const onChange = (_: string, name: string | null) => {
    if (name !== null && isIgnored(name)) return;
    clearTimeout(timer);
    timer = setTimeout(() => resolve(true), quietMs);
  };
  const watchers: FSWatcher[] = [watch(folder, onChange)];
  // Not recursive, because watching node_modules would watch thousands of folders.
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory() || isIgnored(entry.name)) continue;
    watchers.push(watch(join(folder, entry.name), { recursive: true }, onChange));
  }
  // If a folder is deleted while it is watched, this is treated as a change.
  for (const one of watchers) one.on('error', () => onChange('', null));
  stop.then(() => resolve(false));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    for (const one of watchers) one.close();
  }
}

const isIgnored = (name: string) => name.startsWith('.') || name.split('/')[0] === 'node_modules';
