// Compiles the Go example of the tutorial and checks it with the kit, including crashes.
import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { freePort, sourceArguments } from '../../../../testing/children.ts';
import { openFolder } from '../../../../testing/folder.ts';

const example = fileURLToPath(new URL('../../../../examples/go-plugin/', import.meta.url));
const command = fileURLToPath(new URL('../../../adapter-kit/src/command/main.ts', import.meta.url));
const isInstalled = spawnSync('go', ['version']).status === 0;
if (!isInstalled) console.warn('The Go example is not tested, because the command go is not installed.');

describe.skipIf(!isInstalled)('the Go example', () => {
  let program: string;
  beforeAll(async () => {
    const folder = await openFolder();
    program = join(folder.path, 'tally');
    // Only the standard library, so nothing is downloaded.
    const env = { ...process.env, GOFLAGS: '-mod=mod', GOPROXY: 'off', GOTOOLCHAIN: 'local' };
    await promisify(execFile)('go', ['build', '-o', program, '.'], { cwd: example, env });
    return () => folder.remove();
  }, 300_000);

  test('the Go example passes the kit, and keeps its wallets and actions across a crash', async () => {
    const folder = await openFolder();
    onTestFinished(() => folder.remove());
    const port = await freePort();
    const start = `exec ${program} 127.0.0.1:${port} ${folder.path}`;
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...[...sourceArguments, command, `http://127.0.0.1:${port}`],
      ...['--config', join(example, 'conformance.json'), '--start', start],
      ...['--state', `${program} balance ${folder.path} $ACCOUNT`],
    ]);
    expect(stdout).toMatch(/^pass {2}after a crash, the plugin still knows wallets, actions and results/m);
    expect(stdout).toMatch(/\n30 passed, 0 failed, 12 skipped\n$/);
  }, 120_000);
});
