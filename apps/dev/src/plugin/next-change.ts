import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';

/** Milliseconds without another change, after which files are as somebody wants them. */
const quiet = 200;

/** Waits for a change of files below the folder, but for `node_modules` and what is hidden. False: `stop` came first. */
export async function nextChange(folder: string, stop: Promise<unknown>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let timer: NodeJS.Timeout | undefined;
  const onChange = (_: string, name: string | null) => {
    if (name !== null && isLeftOut(name)) return;
    clearTimeout(timer);
    timer = setTimeout(() => resolve(true), quiet);
  };
  const watchers: FSWatcher[] = [watch(folder, onChange)];
  // The folder itself is not watched at any depth: a watch on all of node_modules is a watch on thousands of folders.
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory() || isLeftOut(entry.name)) continue;
    watchers.push(watch(join(folder, entry.name), { recursive: true }, onChange));
  }
  // A folder that goes away while it is watched is a change, too.
  for (const one of watchers) one.on('error', () => onChange('', null));
  stop.then(() => resolve(false));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    for (const one of watchers) one.close();
  }
}

const isLeftOut = (name: string) => name.startsWith('.') || name.split('/')[0] === 'node_modules';
