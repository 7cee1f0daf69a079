// Prints where the time of the last run went; with `--keep`, writes the table that orders the next ones.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type FileDuration, printSlowest } from './slowest.ts';

/** Seconds from which on a file is worth an early start. */
const slow = 10;

const path = new URL('../test-durations.json', import.meta.url);
if (!existsSync(path))
  throw new Error('There was no run yet whose durations could be read: start `npm test`.');
const files: FileDuration[] = JSON.parse(readFileSync(path, 'utf8'));
printSlowest(files);
if (process.argv.includes('--keep')) {
  const kept = files
    .filter(({ seconds, importing }) => seconds - importing >= slow)
    .toSorted((a, b) => b.seconds - a.seconds)
    .map(({ file, seconds }) => [file, Math.round(seconds)]);
  writeFileSync(
    new URL('./slow-files.json', import.meta.url),
    `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`,
  );
}
