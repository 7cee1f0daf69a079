// Creates a plugin package that uses the unpublished packages of this clone: runs `create-plugin` with the
// same arguments, packs the required packages into its folder `tarballs`, makes them its dependencies, and
// names the commands of the clone in its README.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const scope = '@ledger-ops/';
const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));
const manifestOf = (name) => readJson(join(root, 'packages', name.slice(scope.length), 'package.json'));
const isOurs = (name) => name.startsWith(scope);

function run(args, stdio) {
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: root, stdio, encoding: 'utf8' });
  if (status !== 0) process.exit(status ?? 1);
  return stdout;
}

// The instructions of create-plugin name packages of the registry, so they are not printed.
const args = process.argv.slice(2);
const isHelp = args.some((argument) => argument === '--help' || argument === '-h');
const output = run(
  [join(root, 'packages/create-plugin/dist/main.js'), ...args],
  ['ignore', 'pipe', 'inherit'],
);
if (isHelp) {
  console.log(
    output.replace('npm create ledger-ops-plugin [folder] --', 'npm run create:plugin -- [folder]'),
  );
  process.exit();
}
const [, folder = ''] = /^Created (.+)\.$/m.exec(output) ?? [];
const target = resolve(root, folder);

const file = join(target, 'package.json');
const manifest = readJson(file);
const { dependencies, devDependencies } = manifest;
const needed = new Set(Object.keys({ ...dependencies, ...devDependencies }).filter(isOurs));
for (const name of needed) {
  for (const other of Object.keys(manifestOf(name).dependencies ?? {}).filter(isOurs)) needed.add(other);
}
const tarballs = join(target, 'tarballs');
const folders = [...needed].map((name) => name.slice(scope.length));
run([join(root, 'scripts/pack.mjs'), tarballs, ...folders], ['ignore', 'ignore', 'inherit']);

const tarballOf = (name) => `${name.slice(1).replace('/', '-')}-${manifestOf(name).version}.tgz`;
const missing = [...needed].filter((name) => !existsSync(join(tarballs, tarballOf(name))));
if (missing.length > 0) {
  console.error(
    `The tarballs of ${missing.join(', ')} are missing. Packed: ${readdirSync(tarballs).join(', ')}.`,
  );
  process.exit(1);
}
// Also overrides the dependencies between the packages, which npm would otherwise request from the registry.
for (const name of needed) {
  const section =
    devDependencies?.[name] === undefined && dependencies !== undefined ? dependencies : devDependencies;
  section[name] = `file:tarballs/${tarballOf(name)}`;
}
writeFileSync(file, `${JSON.stringify(manifest, undefined, 2)}\n`);

const quote = (text) => (/^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
const isServed = existsSync(join(target, 'plugin.py'));
const plugin = isServed ? 'http://127.0.0.1:8080' : quote(target);
const readme = join(target, 'README.md');
const text = readFileSync(readme, 'utf8')
  .replaceAll(/npx @ledger-ops\/cli dev --plugin .+/g, () => `npm start -- --plugin ${plugin}`)
  .replaceAll('npx @ledger-ops/cli dev', 'npm start --')
  .replace(/([Ii])n the folder above this one/, '$1n the clone of Ledger Operations');
writeFileSync(readme, text);
console.log(`Created ${folder}, with the packages of this clone in ${join(folder, 'tarballs')}.

  cd ${quote(target)}
  npm install      # with Node 24
  npm test         # runs the conformance kit of the adapter contract${isServed ? '\n  npm start        # serves the plugin on http://127.0.0.1:8080' : ''}

Then, in this clone, start a server with this plugin and send a first operation:

  npm start -- --plugin ${plugin}
`);
