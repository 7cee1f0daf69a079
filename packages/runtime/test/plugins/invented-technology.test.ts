// Tests of the whole runtime with a technology that only its plugin defines, which runs in a separate process.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Secret } from '@ledger-ops/base';
import { parseGlo } from '@ledger-ops/glo-core';
import { describeStores } from '@ledger-ops/store/testing';
import { base58 } from '@scure/base';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { asyncListener } from '../../../../testing/async-listener.ts';
import { createRuntime, type Runtime } from '../../src/runtime.ts';
import { createKeysWorld, failure, password, secrets } from '../keys-world.ts';
import { pluginFolder } from './plugin-folder.ts';

const walletPassword = new Secret(password);
const pointers = {
  ...{ glo: '/glo', walletId: '/walletId', walletPassword: '/walletPassword', ledgerId: '/ledgerId' },
  ...{ dependencies: '/dependencies', intent: '/intent', deadline: '/deadline' },
};
const patience = { timeout: 30_000 };
const seal = 'a message that must stay secret';
const place = '/glo/meta/ledger/inkwell';

interface ReceivedTransaction {
  from: string;
  to: string;
  amount: string;
  tier: string;
  version: string;
  /** SHA-256 hash of the secret. */
  seal: string;
  isSigned: boolean;
}

/**
 * Serves a ledger with one block per transaction. While `isShut` is true, the ledger accepts transactions but does not
 * execute them.
 */
async function serveInk() {
  const ledger = { received: new Map<string, ReceivedTransaction>(), isShut: false };
  const server = createServer(
    asyncListener(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      if (request.method === 'POST') {
        const { txId, signed } = JSON.parse(Buffer.concat(chunks).toString());
        const [text, signature] = JSON.parse(signed);
        const transaction = JSON.parse(text);
        const key = createPublicKey({
          format: 'jwk',
          key: { kty: 'OKP', crv: 'Ed25519', x: transaction.from },
        });
        const isSigned = verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'));
        ledger.received.set(txId, { ...transaction, isSigned });
      }
      const ids = ledger.isShut ? [] : [...ledger.received.keys()];
      const executed = Object.fromEntries(ids.map((txId, index) => [txId, index + 1]));
      response.end(JSON.stringify({ height: ids.length + 1, hash: `+/${ids.length}==`, executed }));
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { ledger, url: `http://127.0.0.1:${port}/` };
}

describeStores('an invented technology', (open) => {
  const running: Runtime[] = [];
  // This runs before the stores are closed.
  afterEach(async () => {
    for (const runtime of running.splice(0)) await runtime.stop();
  });

  async function start() {
    const store = await open();
    const { auth, registry, masterKey, caller, addLedger } = await createKeysWorld(store);
    const { ledger, url } = await serveInk();
    const folder = pluginFolder();
    const source = readFileSync(new URL('inkwell.mjs', import.meta.url), 'utf8');
    // These transaction ids are longer than the limit. Without the limit, only some databases would reject them.
    const endless = source.replace("'$1-$2-$3-$4-$5')", "'$1-$2-$3-$4-$5') + hex.repeat(60)");
    folder.put({ uid: 'endless', url: folder.write('endless', endless) });
    folder.put({ uid: 'ink', url: folder.write('inkwell', source) });
    await addLedger({ ledgerId: 'ink', technology: 'inkwell', nodes: [{ uri: url }] });
    const lines: string[] = [];
    const runtime = createRuntime({
      ...{ store, auth, registry, masterKey, adapters: [], plugins: folder.records },
      outbound: { open: ['127.0.0.1'] },
      log: (level, event, fields) => lines.push(`${level} ${event} ${JSON.stringify(fields ?? {})}`),
      timing: { tick: 50, idleConfirm: 100 },
    });
    await runtime.start();
    running.push(runtime);
    const { wallets, actions } = runtime;

    const wallet = async (walletId: string, parameters: Record<string, string> = {}) => {
      const pluginParameters = secrets({ walletPassword: password, ...parameters });
      return await wallets.create(caller, { walletId, ledgerId: 'ink', pluginParameters });
    };
    const send = async (to: string, content: object, more: object = {}, version = '2') => {
      const glo = parseGlo(
        {
          ...{ version: '0.1.0', type: 'transfer' },
          options: {
            recipient: { lookup_service: { type: 'ledger', value: 'inkwell' }, resource: to },
            amount: '5',
          },
          meta: { ledger: { inkwell: { version, native_transaction_content: content } } },
        },
        { pointer: '/glo' },
      );
      return await actions.send(caller, {
        ...{ glo, walletId: 'ann', walletPassword, dependencies: [], intent: null, tag: null, pointers },
        ...more,
      });
    };
    const ended = async (actionId: string) =>
      await vi.waitFor(async () => {
        const view = await actions.get(caller, actionId);
        expect(view.status, view.pending?.detail).not.toBe('PENDING');
        return view;
      }, patience);
    return { ...{ store, caller, ledger, lines, wallets, actions, wallet, send, ended } };
  }

  /** Returns the bytes of all values in the database. */
  async function stored({ store }: Pick<Awaited<ReturnType<typeof start>>, 'store'>): Promise<Buffer[]> {
    const tables = await store.read.all<{ name: string }>(
      store.dialect === 'sqlite'
        ? "SELECT name FROM sqlite_master WHERE type = 'table'"
        : "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
    );
    const rows = await Promise.all(tables.map(({ name }) => store.read.all(`SELECT * FROM "${name}"`)));
    return rows
      .flat(2)
      .flatMap((row) =>
        Object.values(row).map((value) => Buffer.from(value instanceof Uint8Array ? value : String(value))),
      );
  }

  test('a plugin with an invented technology imports a key and executes a transfer that the receiver finds by id and address', async () => {
    const { caller, ledger, wallets, actions, wallet, send, ended } = await start();
    const privateKey = base58.encode(createHash('sha256').update('ann').digest());
    const { walletAddress } = await wallet('ann', { privateKey, shelf: 'upper' });
    expect(await wallets.get(caller, 'ann')).toMatchObject({ keyType: 'ed25519', balance: 1_000_000n });
    const { format, document } = await wallets.export(caller, 'ann', walletPassword);
    expect(format).toBe('ed25519-pair');
    expect((await wallet('again', { privateKey: document })).walletAddress).toBe(walletAddress);
    const { walletAddress: bob } = await wallet('bob');

    const { actionId, overrides } = await send(walletAddress, {
      payee: bob,
      drops: '0x7',
      tier: 'fast',
      seal,
    });
    expect(overrides).toEqual([
      { field: 'recipient', from: walletAddress, to: bob },
      { field: 'amount', from: '5', to: '7' },
    ]);
    const { status, locator } = await ended(actionId);
    expect(status).toBe('SUCCEEDED');
    expect([...ledger.received]).toMatchObject([
      [
        locator,
        {
          ...{ from: walletAddress, to: bob, amount: '7', tier: 'fast', version: '2', isSigned: true },
          seal: createHash('sha256').update(seal).digest('base64url'),
        },
      ],
    ]);
    expect(await actions.byTransaction(caller, [locator ?? ''])).toMatchObject([{ actionId }]);

    // The same letters in another case are a different account.
    const namesake = [...bob].map((one) =>
      one === one.toLowerCase() ? one.toUpperCase() : one.toLowerCase(),
    );
    await ended((await send(namesake.join(''), {})).actionId);
    const received = await actions.byWallet(caller, 'bob', { page: 0, size: 20, sort: [] });
    expect(received.items).toMatchObject([{ actionId, locator }]);
  });

  test('rejects content and parameters that violate the schema of an invented technology, with JSON pointers', async () => {
    const { caller, ledger, wallets, wallet, send } = await start();
    const { walletAddress: to } = await wallet('ann');
    const content = `${place}/native_transaction_content`;
    const refused: [() => Promise<unknown>, string[]][] = [
      [() => send(to, { tier: 'soon', seal, 'a/b': seal }), [`${content}/tier`, `${content}/a~1b`]],
      [() => send(to, { seal: seal.repeat(3) }), [`${content}/seal`]],
      [() => send(to, { drops: '-1' }), [`${content}/drops`]],
      [() => send(to, { seal }, {}, '3'), [`${place}/version`]],
      [() => send('too short', { seal }), ['/glo/options/recipient/resource']],
      [() => wallet('shelved', { shelf: seal }), ['/pluginParameters/shelf']],
      [() => wallet('shelved', { keystore: '{}' }), ['/pluginParameters/keystore']],
      [() => wallet('shelved', { privateKey: seal }), ['/pluginParameters/privateKey']],
    ];
    for (const [ask, places] of refused) {
      const error = await failure(ask());
      expect(error).toMatchObject({ errors: places.map((pointer) => ({ pointer })) });
      expect(String(error) + JSON.stringify(error)).not.toContain('must stay secret');
    }
    expect(ledger.received.size).toBe(0);
    expect(await failure(wallets.get(caller, 'shelved'))).toMatchObject({ problem: 'not-found' });
  });

  test('content that the plugin declares secret is never stored in plain text, even if the action waits', async () => {
    const { store, caller, ledger, lines, actions, wallet, send, ended } = await start();
    const { walletAddress: to } = await wallet('ann');
    ledger.isShut = true;
    const first = await send(to, { seal });
    const second = await send(to, { seal: `${seal} twice` }, { dependencies: [first.actionId] });
    expect(await actions.get(caller, second.actionId)).toMatchObject({ pending: { stage: 'blocked' } });
    const before = await stored({ store });
    // The search works: it finds the address, which is not secret.
    expect(before.some((bytes) => bytes.includes(to))).toBe(true);
    ledger.isShut = false;
    const views = [await ended(first.actionId), await ended(second.actionId)];
    expect(views.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED']);
    expect([...ledger.received.values()].map((one) => one.seal)).toEqual(
      [seal, `${seal} twice`].map((text) => createHash('sha256').update(text).digest('base64url')),
    );
    const shown = Buffer.from([...lines, JSON.stringify([first, second, ...views])].join('\n'));
    for (const bytes of [...before, ...(await stored({ store })), shown]) {
      expect(bytes.includes(seal)).toBe(false);
    }
  });

  test('reports a transaction id that is too long to store as a fault of the plugin', async () => {
    const { caller, ledger, actions, wallet, send } = await start();
    const { walletAddress: to } = await wallet('ann');
    const { actionId } = await send(to, {}, { pluginId: 'endless' });
    await vi.waitFor(async () => {
      const { pending } = await actions.get(caller, actionId);
      expect(pending?.detail).toContain('endless');
    }, patience);
    expect(ledger.received.size).toBe(0);
  });
});
