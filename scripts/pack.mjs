// Packs packages as they are published. Without arguments: builds every public package from scratch and packs
// all of them into `dist-packages`. `pack.mjs <folder> <package> …` packs built packages into the folder.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));

function run(command, args) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) process.exit(status ?? 1);
}

const [folder, ...named] = process.argv.slice(2);
const published = new Map(
  ['packages', 'apps']
    .flatMap((parent) => readdirSync(join(root, parent)).map((name) => [name, `${parent}/${name}`]))
    // The folder of a removed package stays if it has files that git ignores.
    .filter(([, place]) => existsSync(join(root, place, 'package.json')))
    .filter(([, place]) => read(`${place}/package.json`).private !== true),
);
const placeOf = (name) => published.get(name) ?? `packages/${name}`;
const target = folder ?? join(root, 'dist-packages');
const packed = folder === undefined ? [...published.keys()] : named;
if (folder === undefined) {
  rmSync(target, { recursive: true, force: true });
  // Removes old output, because files whose source was deleted would stay in `dist` and in turbo's cache.
  for (const place of published.values()) rmSync(join(root, place, 'dist'), { recursive: true, force: true });
  run('turbo', [
    ...['run', 'build', '--force', '--output-logs=errors-only'],
    ...[...published.values()].map((place) => `--filter=./${place}`),
  ]);
}
const unbuilt = packed.filter((name) => !existsSync(join(root, placeOf(name), 'dist')));
if (unbuilt.length > 0) {
  console.error(`Not built: ${unbuilt.join(', ')}. Run \`pnpm build\` first.`);
  process.exit(1);
}

mkdirSync(target, { recursive: true });
// pnpm replaces `workspace:*` with versions, which npm does not do, and adds the LICENSE.
const npx = process.platform === 'win32' ? 'npx.cmd' : 'npx';
const filters = packed.flatMap((name) => ['--filter', `./${placeOf(name)}`]);
run(npx, [
  '--yes',
  read('package.json').packageManager,
  '--silent',
  ...filters,
  'pack',
  '--pack-destination',
  target,
]);
const tarballs = readdirSync(target).filter((name) => name.endsWith('.tgz'));
if (tarballs.length < packed.length) {
  console.error(`${packed.length} packages were packed, but there are ${tarballs.length} tarballs.`);
  process.exit(1);
}
console.log(tarballs.map((name) => join(target, name)).join('\n'));
