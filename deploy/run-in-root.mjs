// Builds the image's root file system without a container engine, and runs the server in it as a container would: as user
// 1000, with write access only to /data and /tmp, until SIGTERM. Usage: npm run test:image
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('..', import.meta.url));
const dockerfile = readFileSync(new URL('Dockerfile', import.meta.url), 'utf8');
const [, ...entry] = JSON.parse(dockerfile.match(/^ENTRYPOINT (.*)$/m)[1]);
const [, ...health] = JSON.parse(dockerfile.match(/^HEALTHCHECK .*\n\s+CMD (.*)$/m)[1]);

const namespaces = ['--user', '--map-root-user', '--mount', '--pid', '--fork', '--kill-child'];
if (spawnSync('unshare', [...namespaces, 'true']).status !== 0) {
  console.log('Skipped: this machine does not support user and mount namespaces.');
  process.exit(0);
}

/** Script that runs in the namespaces. $1: root folder, $2: data folder. It mounts the machine's devices, because it cannot create any. */
const inside = `
set -e
mount --rbind "$1" "$1"
mount --bind "$2" "$1/data"
mount -t tmpfs tmpfs "$1/tmp"
mount -t proc proc "$1/proc"
for one in null urandom; do mount --bind "/dev/$one" "$1/dev/$one"; done
mount -o remount,bind,ro "$1"
root="$1"
shift 2
exec unshare --user --map-user=1000 --map-group=1000 --root="$root" --wd=/server /usr/local/bin/node "$@"
`;

const folder = mkdtempSync(join(tmpdir(), 'ledger-ops-root-'));
const [root, data] = [join(folder, 'root'), join(folder, 'data')];
let server;
try {
  for (const name of ['data', 'tmp', 'proc', 'dev', 'usr/local/bin'])
    mkdirSync(join(root, name), { recursive: true });
  mkdirSync(data);
  for (const name of ['null', 'urandom']) writeFileSync(join(root, 'dev', name), '');
  const deploy = dockerfile.match(/pnpm@\S+ (--filter \S+ deploy .*) \/server$/m)[1].split(' ');
  execFileSync(
    'npx',
    ['--yes', dockerfile.match(/pnpm@[\d.]+/)[0], ...deploy, '--prefer-offline', join(root, 'server')],
    {
      cwd: source,
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  copyFileSync(process.execPath, join(root, 'usr/local/bin/node'));
  const libraries = execFileSync('ldd', [process.execPath], { encoding: 'utf8' }).match(/\/\S+/g);
  for (const path of libraries) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    copyFileSync(path, join(root, path));
  }

  const port = await freePort();
  writeFileSync(join(data, 'master.key'), '07'.repeat(32));
  const environment = {
    ...Object.fromEntries(
      [...dockerfile.matchAll(/\b(NODE_ENV|HOST|DATA_DIR)=(\S+)/g)].map(([, name, value]) => [name, value]),
    ),
    PORT: String(port),
    MASTER_KEY_FILE: '/data/master.key',
  };
  server = spawn('unshare', [...namespaces, 'sh', '-c', inside, 'sh', root, data, ...entry, 'serve'], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(server, 'close');
  let output = '';
  await new Promise((resolve, reject) => {
    server.stdout.on('data', (chunk) => {
      output += chunk;
      if (output.includes('"listening"')) resolve();
    });
    ended.then(() => reject(new Error(`The server exited: ${output}`)));
  });
  execFileSync(process.execPath, health, { env: { PORT: String(port) } });
  // These responses need files of the package that the built server reads.
  for (const [path, words] of [
    ['/console', '<div id="root"'],
    ['/docs', '<html'],
    ['/openapi.json', '"openapi":"3.1'],
  ]) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    const text = await answer.text();
    if (answer.status !== 200 || !text.includes(words))
      throw new Error(`${path} returned ${answer.status}: ${text.slice(0, 200)}`);
  }
  const doctor = spawnSync(
    'unshare',
    [...namespaces, 'sh', '-c', inside, 'sh', root, data, ...entry, 'doctor', '--json'],
    { env: { PATH: process.env.PATH, ...environment }, encoding: 'utf8' },
  );
  // `doctor` also reports that the port is in use (by the running server), but not as `wrong`.
  const wrong = JSON.parse(doctor.stdout || '{}').findings?.filter(({ state }) => state === 'wrong');
  if (wrong === undefined || wrong.length > 0)
    throw new Error(`doctor exited with ${doctor.status}: ${doctor.stdout}${doctor.stderr}`);
  const pid = Number(execFileSync('pgrep', ['--parent', String(server.pid)], { encoding: 'utf8' }));
  const mounts = readFileSync(`/proc/${pid}/mounts`, 'utf8').split('\n');
  if (!mounts.some((line) => / \/ \S+ ro\b/.test(line)))
    throw new Error(`The root is not read-only:\n${mounts.join('\n')}`);
  const users = readFileSync(`/proc/${pid}/uid_map`, 'utf8').trim();
  if (!/^1000\s+\d+\s+1$/.test(users)) throw new Error(`The process does not run as user 1000: ${users}`);
  process.kill(pid, 'SIGTERM');
  const [code] = await ended;
  if (code !== 0) throw new Error(`The server exited with ${code}: ${output}`);
  console.log(
    `The server ran in the image's root, passed its health check and doctor, served its pages, and exited with 0. Data folder: ${readdirSync(data).join(', ')}.`,
  );
} finally {
  server?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

function freePort() {
  return new Promise((resolve) => {
    const taken = createServer().listen(0, '127.0.0.1', () => {
      const { port } = taken.address();
      taken.close(() => resolve(port));
    });
  });
}
