// Prints the slowest files of the last run. With `--keep`, writes the table that determines the order of
// later runs.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { slowFiles } from './slow-files.ts';
import { type FileDuration, printSlowest } from './slowest.ts';

/** Files that take at least this many seconds start early. */
const slow = 8;

const path = new URL('../test-durations.json', import.meta.url);
if (!existsSync(path)) throw new Error('There are no durations of an earlier run. Run `npm test` first.');
const files: FileDuration[] = JSON.parse(readFileSync(path, 'utf8'));
printSlowest(files);
if (process.argv.includes('--keep')) {
  const measured = new Set(files.map(({ file }) => file));
  // Files that this run did not include keep their durations.
  const others = [...slowFiles].filter(
    ([file]) => !measured.has(file) && existsSync(new URL(`../${file}`, import.meta.url)),
  );
  const kept = files
    .filter(({ seconds, importing }) => seconds - importing >= slow)
    .map(({ file, seconds }): [string, number] => [file, Math.round(seconds)]);
  const sorted = [...kept, ...others].toSorted(([, a], [, b]) => b - a);
  writeFileSync(
    new URL('./slow-files.json', import.meta.url),
    `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`,
  );
}
