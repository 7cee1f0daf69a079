// Runs `npm test` repeatedly, each time in a clean clone of the current commit. The conditions take turns: a quiet
// machine, two busy loops, a random order of the test files. Prints a table of the runs, and each test that failed in
// any of them. `--runs 6`: the number of runs (default 3). `--seed 1`: the seed of the first random order.
import { spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { testPriority } from './run-tests.mjs';

const { values } = parseArgs({ options: { runs: { type: 'string' }, seed: { type: 'string' } } });
const runs = Number(values.runs ?? 3);
const firstSeed = Number(values.seed ?? randomInt(2 ** 31));
if (!Number.isInteger(runs) || runs < 1 || !Number.isInteger(firstSeed)) {
  console.error('--runs and --seed must be whole numbers, and --runs at least 1.');
  process.exit(2);
}
// Busy loops have the priority of the tests. With a higher one they would leave the tests hardly any processor time.
const busyLoop = 'for (;;);';
const conditions = [
  () => ({ name: 'quiet' }),
  () => ({ name: 'two busy loops', busy: 2 }),
  (round) => ({ name: `random order, seed ${firstSeed + round}`, seed: firstSeed + round }),
];
const commit = spawnSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).stdout.trim();
const logs = mkdtempSync(join(tmpdir(), 'ledger-ops-stability-'));
console.log(`${runs} runs of ${commit.slice(0, 9)}, each about 15 minutes. Output: ${logs}`);

const rows = [];
for (let run = 0; run < runs; run += 1) {
  const condition = conditions[run % conditions.length](Math.floor(run / conditions.length));
  const log = join(logs, `run-${run + 1}.log`);
  const begun = performance.now();
  const output = await runInClone(condition, log);
  rows.push({
    run: run + 1,
    condition: condition.name,
    seconds: Math.round((performance.now() - begun) / 1000),
    ...totalsOf(output),
    failures: failuresOf(output),
  });
  const { failures, ...row } = rows.at(-1);
  console.log(JSON.stringify(row));
}

console.table(rows.map(({ failures, ...row }) => row));
for (const { run, condition, failures } of rows)
  for (const failure of failures) console.log(`Run ${run} (${condition}): ${failure}`);
process.exit(rows.every(({ failed, unstable }) => failed === 0 && unstable === 0) ? 0 : 1);

/** Clones the commit, and runs `npm test` in the clone. Returns its output. */
async function runInClone({ busy = 0, seed }, log) {
  const folder = mkdtempSync(join(tmpdir(), 'ledger-ops-clone-'));
  // PostgreSQL runs as another user when the tests run as root.
  chmodSync(folder, 0o755);
  const loops = Array.from({ length: busy }, () =>
    spawn(process.execPath, ['-e', busyLoop], { stdio: 'ignore' }),
  );
  for (const { pid } of loops) setPriority(pid, testPriority);
  try {
    spawnSync('git', ['clone', '--quiet', '.', folder], { stdio: 'inherit' });
    spawnSync('git', ['checkout', '--quiet', '--detach', commit], { cwd: folder, stdio: 'inherit' });
    const environment = { CI: 'true', ...(seed === undefined ? {} : { TEST_ORDER_SEED: String(seed) }) };
    const child = spawn('npm', ['test'], {
      cwd: folder,
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const stream = createWriteStream(log);
    child.stdout.pipe(stream, { end: false });
    child.stderr.pipe(stream, { end: false });
    await once(child, 'close');
    await new Promise((resolve) => stream.end(resolve));
    return readFileSync(log, 'utf8');
  } finally {
    for (const loop of loops) loop.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Totals from the last two lines of a run. A run without these lines counts as one failure. */
function totalsOf(output) {
  const [, unstable, passed, failed, skipped] =
    /^(\d+) unstable\n(\d+) passed, (\d+) failed, (\d+) skipped$/m.exec(output) ?? [];
  if (passed === undefined) return { passed: 0, unstable: 0, failed: 1, skipped: 0 };
  return { passed: +passed, unstable: +unstable, failed: +failed, skipped: +skipped };
}

/** Failed and unstable tests, failed steps, and processes that were left running: one line each. */
function failuresOf(output) {
  const tests = [...output.matchAll(/^(FAILED|UNSTABLE) (.+)\n(.+)$/gm)].map(
    ([, kind, file, test]) => `${kind.toLowerCase()}: ${file}: ${test}`,
  );
  const others = [...output.matchAll(/^(?:.+: [\d.]+ s, failed|Left running .+)$/gm)].map(([line]) => line);
  return [...tests, ...others];
}
