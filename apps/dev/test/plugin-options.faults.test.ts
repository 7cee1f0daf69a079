// Starts a development server with a plugin and all plugin options, until the first operation has succeeded.
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { asyncListener } from '../../../testing/async-listener.ts';
import { endAll, freePort, run } from '../../../testing/children.ts';
import { openFolder } from '../../../testing/folder.ts';

const main = new URL('../src/main.ts', import.meta.url);
const toyledger = new URL('../../server/test/records/toyledger/toyledger.mjs', import.meta.url);

let folder: Awaited<ReturnType<typeof openFolder>>;
beforeEach(async () => {
  folder = await openFolder();
});
afterEach(async () => {
  await endAll();
  await folder.remove();
});
const at = (name: string) => join(folder.path, name);
const write = (name: string, text: string) => {
  writeFileSync(at(name), text);
  return at(name);
};

/** Starts a ledger for the toyledger module: a server with the chain's state, an endpoint for transactions, and a faucet. */
async function startLedger() {
  const taken = new Map<string, { amount: string; colour: string }>();
  const shown = { keys: new Set<unknown>(), passes: new Set<unknown>() };
  const funded: string[] = [];
  const chain = createServer(
    asyncListener(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const [, place, address = ''] = (request.url ?? '').split('/');
      if (place === 'fund') funded.push(address);
      if (place === 'desk') {
        shown.keys.add(request.headers.key);
        const { txId, signed } = JSON.parse(Buffer.concat(chunks).toString());
        taken.set(txId, JSON.parse(JSON.parse(signed)[0]));
      }
      if (place === '') shown.passes.add(request.headers.pass);
      const executed = Object.fromEntries([...taken.keys()].map((txId, index) => [txId, index + 1]));
      const height = taken.size + 1;
      response.end(
        JSON.stringify(place === 'funded' ? funded : { height, hash: `block ${height}`, executed }),
      );
    }),
  );
  chain.listen(0, '127.0.0.1');
  await once(chain, 'listening');
  onTestFinished(async () => {
    chain.closeAllConnections();
    chain.close();
    await once(chain, 'close');
  });
  const address = chain.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return { taken, shown, funded, url: `http://127.0.0.1:${port}/` };
}

/** Writes a package with the toyledger module, whose wallets are empty until the faucet funds them. */
function writePlugin(): string {
  mkdirSync(at('toys'));
  write('toys/package.json', '{"name": "toys", "type": "module", "exports": "./toyledger.mjs"}');
  copyFileSync(toyledger, at('toys/toyledger.mjs'));
  const source = readFileSync(toyledger, 'utf8')
    .replace('check: async ({ operation:', 'check: async ({ wallet, operation:')
    .replace(
      'const plan = {',
      `const funded = await (await fetch(uri + 'funded')).json();
        if (!funded.includes(wallet.address)) throw refuse('insufficient-funds', 'check', 'The wallet holds 0 DROP.');
        const plan = {`,
    );
  return write('toys/toyledger.mjs', source);
}

test('the development server keeps running if funding or the first operation fails, and uses all options', async () => {
  const ledger = await startLedger();
  const module = writePlugin();
  const [key, pass] = ['the-key-of-the-desk', 'the-pass-of-the-node'];
  const script = write('fund.sh', 'exit 3\n');
  const dev = run(main, { DATA_DIR: at('data'), PORT: String(await freePort()) }, [
    ...['--plugin', at('toys'), '--node', ledger.url, '--amount', '2500', '--fund', `sh ${script}`],
    ...['--property', 'colour=blue', '--property', `desk_url=${ledger.url}desk`],
    ...['--property-file', `desk_key=${write('key', `${key}\n`)}`],
    ...['--node-property-file', `pass=${write('pass', pass)}`, '--node-property', 'shift=2'],
  ]);
  const said = (words: RegExp) => vi.waitFor(() => expect(dev.out()).toMatch(words), { timeout: 120_000 });
  await said(/The command of --fund ended with 3; the operation was not sent\.\n.*\nThe operation did not/);
  expect(dev.out()).toMatch(/keeps running\. Before it tries again, it waits for changes in .*toys\.\n/);

  write('fund.sh', 'true\n');
  const save = () => write('toys/toyledger.mjs', readFileSync(module, 'utf8'));
  save();
  await said(
    /the transfer of 2500 to plugin-toys-toyledger-frank by .* was refused\. .*holds 0 DROP.*\n.*\nThe op/,
  );

  write(
    'fund.sh',
    `exec node -e 'fetch("${ledger.url}fund/" + process.env.WALLET_ADDRESS).then(() => process.exit())'\n`,
  );
  save();
  await said(/SUCCEEDED {2}\S+\n.*\nWaiting for changes in .*toys\.\n/);
  expect([...ledger.taken.values()]).toMatchObject([{ amount: '2500', colour: 'blue' }]);
  expect([[...ledger.shown.keys], [...ledger.shown.passes]]).toEqual([[key], [pass]]);

  // A wallet is not funded again after a successful operation.
  save();
  await said(/SUCCEEDED[\s\S]*SUCCEEDED {2}\S+\n.*\nWaiting for changes/);
  expect(ledger.funded).toHaveLength(1);
  dev.child.kill('SIGINT');
  expect([await dev.code, dev.err()]).toEqual([0, '']);
  expect(dev.out() + readFileSync(at('data/dev.json'), 'utf8')).not.toMatch(new RegExp(`${key}|${pass}`));
});

test('the error for a missing or rejected property contains its command-line option', async () => {
  const ledger = await startLedger();
  writePlugin();
  const start = async (...args: string[]) => {
    const settings = { DATA_DIR: at('data'), PORT: String(await freePort()) };
    const dev = run(main, settings, ['--once', '--plugin', at('toys'), ...args]);
    return [await dev.code, dev.out()] as const;
  };
  const node = ['--node', ledger.url];
  const desk = ['--property', `desk_url=${ledger.url}desk`];
  expect(await start(...node)).toEqual([
    1,
    expect.stringContaining(
      'requires desk_url in its ledgerProperties: add an example there ("examples": [ … ]), or pass --property desk_url=<value>.',
    ),
  ]);
  expect(await start(...node, ...desk, '--property', 'colour=green', '--node-property', 'shift=4')).toEqual([
    1,
    expect.stringMatching(/^--(node-property shift|property colour): must be /m),
  ]);
  // The ledger's record is created, but the plugin cannot open the ledger without a node.
  expect(await start(...desk)).toEqual([1, expect.stringContaining('open()')]);
  const faucet = `node -e 'fetch("${ledger.url}fund/" + process.env.WALLET_ADDRESS).then(() => process.exit())'`;
  expect(await start(...desk, ...node, '--node-property', 'shift=4', '--fund', faucet)).toEqual([
    1,
    expect.stringMatching(/^--node-property shift: must be /m),
  ]);
  expect(await start(...desk, ...node, '--fund', faucet)).toEqual([0, expect.stringMatching(/SUCCEEDED/)]);
});
