// Checks the changes since main: lints the changed files, checks types, then runs the tests that import a changed file,
// directly or through other files. `--base <commit>` compares with another commit than main.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { base: { type: 'string', default: 'main' } } });
const git = (...args) => spawnSync('git', args, { encoding: 'utf8' });
const { stdout, status } = git('merge-base', 'HEAD', values.base);
if (status !== 0) {
  console.error(`There is no commit ${values.base}. Use --base <commit> to name the commit to compare with.`);
  process.exit(2);
}
const base = stdout.trim();
const changed =
  `${git('diff', '--name-only', '--diff-filter=d', base).stdout}${git('ls-files', '--others', '--exclude-standard').stdout}`
    .split('\n')
    .filter((file) => file !== '');
if (changed.length === 0) {
  console.log(`Nothing changed since ${base.slice(0, 9)}.`);
  process.exit(0);
}
console.log(`${changed.length} files changed since ${base.slice(0, 9)}.`);
// Keeps compiled modules between runs, so that unchanged modules are not compiled again.
process.env.NODE_COMPILE_CACHE ??= 'node_modules/.cache/compiled';
run('biome', ['check', '--error-on-warnings', '--no-errors-on-unmatched', ...changed]);
const incremental = ['--incremental', '--tsBuildInfoFile', 'node_modules/.cache/types.tsbuildinfo'];
run('tsc', ['-p', 'tsconfig.json', ...incremental]);
run('vitest', ['run', '--passWithNoTests', `--changed=${base}`]);

function run(program, args) {
  const { status: code, error } = spawnSync(program, args, { stdio: 'inherit' });
  if (error !== undefined) console.error(`${program} cannot be started: ${error.message}`);
  if (code !== 0) process.exit(code ?? 1);
}
