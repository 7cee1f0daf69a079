import { createHash } from 'node:crypto';
import { startProxy } from '@ledger-ops/devnet';
import { type SolanaProcess, startSolanaProcess } from '@ledger-ops/devnet-solana';
import { getBase58Decoder } from '@solana/codecs';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { fund, furnish, memo, recipient, transferOf } from './conformance-harness.ts';
import { type Actor, ledgerOf, openActor, sign } from './stage.ts';

let ledger: SolanaProcess;
let actor: Actor;
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  ledger = await startSolanaProcess({ slotTime: 'on-demand', confirmed: 0, finalized: 2 });
  await furnish(ledger);
  actor = await openActor(ledgerOf([ledger.url]));
  await fund(ledger, actor.wallet.address, 10_000_000_000);
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
afterAll(async () => {
  await actor?.session.close();
  await ledger?.stop();
});

async function execute(operation: Parameters<typeof sign>[1], id: string, by: Actor = actor) {
  const { txId, ...main } = await sign(by, operation, id);
  await by.session.submit([{ txId, ...main }]);
  await ledger.rpc('devnet_mine', [1]);
  return txId;
}

async function listOf(since: number | null, by: Actor = actor, { address } = actor.wallet) {
  const found = await by.session.transactionsOf?.({ address, since });
  if (found === undefined) throw new Error('The session does not list transactions.');
  return found;
}

/** Returns a node for which the test answers some methods. */
async function nodeThat(answer: (method: string, params: unknown[]) => object | undefined): Promise<string> {
  const proxy = await startProxy(ledger.url);
  proxy.setFault(([call]) => {
    const own = call === undefined ? undefined : answer(call.method, call.params);
    return own === undefined ? undefined : JSON.stringify({ jsonrpc: '2.0', id: call?.id, ...own });
  });
  closing.push(() => proxy.close());
  return proxy.url;
}

async function actorAt(...urls: string[]): Promise<Actor> {
  const made = await openActor(ledgerOf(urls), undefined, actor.signer);
  closing.push(() => made.session.close());
  return made;
}

test('lists the transactions that the wallet signed above a height, newest first, including failed ones', async () => {
  const { head } = await listOf(null);
  expect((await listOf(head)).txIds).toEqual([]);
  const paid = await execute(transferOf(recipient, 5n), 'paid');
  const failing = memo(Uint8Array.of(0xff), { computeUnitLimit: 200_000, computeUnitPrice: '0' });
  const failed = await execute(failing, 'failed');
  expect(await listOf(head)).toEqual({
    ...{ txIds: [failed, paid], head: head + 2, completeTo: head },
    // 152 blocks in which a transaction can be included, and 32 by which an index may lag.
    expiresBy: head + 2 + 184,
  });
  expect((await listOf(head + 1)).txIds).toEqual([failed]);
  expect(await actor.session.signersOf?.([failed, paid])).toEqual([
    [actor.wallet.address],
    [actor.wallet.address],
  ]);
});

test('lists a deposit that the wallet did not sign', async () => {
  const { head } = await listOf(null);
  await fund(ledger, actor.wallet.address, 1_000_000);
  const { txIds } = await listOf(head);
  expect(txIds).toHaveLength(1);
  const [signers] = (await actor.session.signersOf?.(txIds)) ?? [];
  expect(signers).toHaveLength(1);
  expect(signers).not.toContain(actor.wallet.address);
});

test('lists more than one page of transactions, and stops at the height in a long list', async () => {
  await ledger.rpc('devnet_mine', [30]);
  const slot = await ledger.rpc<number>('getSlot', [{ commitment: 'confirmed' }]);
  const { head } = await listOf(null);
  const all = Array.from({ length: 1_500 }, (_, index) => ({
    signature: getBase58Decoder().decode(createHash('sha512').update(`${index}`).digest()),
    ...{ slot: slot - Math.floor(index / 50), err: null },
  }));
  const url = await nodeThat((method, [, config]) => {
    if (method !== 'getSignaturesForAddress') return undefined;
    const { before, limit } = config as { before?: string; limit: number };
    const begin = before === undefined ? 0 : all.findIndex(({ signature }) => signature === before) + 1;
    return { result: all.slice(begin, begin + limit) };
  });
  const by = await actorAt(url);
  for (const blocks of [0, 1, 2, 7, 20, 29]) {
    const { txIds, incomplete } = await listOf(head - blocks, by);
    expect(txIds).toEqual(all.slice(0, blocks * 50).map(({ signature }) => signature));
    expect(incomplete).toBeUndefined();
  }
  expect((await listOf(head - 30, by)).txIds).toHaveLength(1_500);
});

test('lists a transaction that only one of several nodes returns', async () => {
  const { head } = await listOf(null);
  const paid = [
    await execute(transferOf(recipient, 6n), 'shown by one'),
    await execute(transferOf(recipient, 6n), 'shown by the other'),
  ];
  const slot = await ledger.rpc<number>('getSlot', [{ commitment: 'confirmed' }]);
  const showing = (signature: string) =>
    nodeThat((method) =>
      method === 'getSignaturesForAddress' ? { result: [{ signature, slot, err: null }] } : undefined,
    );
  const by = await actorAt(...(await Promise.all(paid.map(showing))));
  expect((await listOf(head, by)).txIds.toSorted()).toEqual(paid.toSorted());
});

test.each([
  ['refuses the method', { error: { code: -32601, message: 'Method not found' } }],
  ['keeps no history', { error: { code: -32011, message: 'Transaction history is not available' } }],
  ['answers with a string', { result: 'nothing' }],
])('if a node %s, the list is incomplete unless another node is complete', async (_, answer) => {
  const { head } = await listOf(null);
  const paid = await execute(transferOf(recipient, 7n), `incomplete ${_}`);
  const url = await nodeThat((method) => (method === 'getSignaturesForAddress' ? answer : undefined));
  expect(await listOf(head, await actorAt(url))).toMatchObject({
    txIds: [],
    incomplete: expect.stringContaining('node-1'),
  });
  const both = await listOf(head, await actorAt(url, ledger.url));
  expect([both.txIds, both.incomplete]).toEqual([[paid], undefined]);
});

test('reports the list as incomplete if the node lacks blocks since the height', async () => {
  const { head } = await listOf(null);
  await ledger.rpc('devnet_mine', [20]);
  const paid = await execute(transferOf(recipient, 8n), 'pruned');
  const slot = await ledger.rpc<number>('getSlot', [{ commitment: 'confirmed' }]);
  const url = await nodeThat((method) => {
    if (method === 'getFirstAvailableBlock') return { result: slot - 5 };
    if (method !== 'getSignaturesForAddress') return undefined;
    return { result: [{ signature: paid, slot, err: null }] };
  });
  const by = await actorAt(url);
  expect(await listOf(head, by)).toMatchObject({
    txIds: [paid],
    incomplete: expect.stringContaining('history'),
  });
  expect((await listOf(head + 18, by)).incomplete).toBeUndefined();
});

test('if a node is behind or fails, its empty list is not trusted', async () => {
  const { head } = await listOf(null);
  await expect(listOf(head + 100)).rejects.toMatchObject({ problem: { code: 'unavailable' } });
  const url = await nodeThat((method) =>
    method === 'getSignaturesForAddress' ? { error: { code: -32005, message: 'Node is behind' } } : undefined,
  );
  await expect(listOf(head, await actorAt(url))).rejects.toMatchObject({ problem: { code: 'unavailable' } });
});

test('a transaction that a node made up is not reported as signed by the wallet', async () => {
  const other = await openActor(ledgerOf([ledger.url]));
  closing.push(() => other.session.close());
  await fund(ledger, other.wallet.address, 1_000_000_000);
  const foreign = await execute(transferOf(actor.wallet.address, 9n), 'foreign', other);
  const own = await execute(transferOf(recipient, 9n), 'own');
  const config = { commitment: 'confirmed', encoding: 'base64', maxSupportedTransactionVersion: 0 };
  const shown = await ledger.rpc<{ transaction: [string, string] }>('getTransaction', [own, config]);
  const url = await nodeThat((method, [id]) =>
    method === 'getTransaction' && id === foreign ? { result: shown } : undefined,
  );
  const by = await actorAt(url);
  await expect(by.session.signersOf?.([foreign])).rejects.toMatchObject({
    problem: { code: 'unavailable' },
  });
  expect(await (await actorAt(url, ledger.url)).session.signersOf?.([foreign])).toEqual([
    [other.wallet.address],
  ]);
});

test('reports the signers of a transaction as unknown if no node has the transaction', async () => {
  const gone = await execute(transferOf(recipient, 10n), 'gone');
  const url = await nodeThat((method) => (method === 'getTransaction' ? { result: null } : undefined));
  expect(await (await actorAt(url)).session.signersOf?.([gone, 'no signature'])).toEqual([null, null]);
  expect(await (await actorAt(url, ledger.url)).session.signersOf?.([gone])).toEqual([
    [actor.wallet.address],
  ]);
});

test('no wallet is reported as the signer of a transaction that only writes program code', async () => {
  const { address } = actor.wallet;
  const head = Buffer.alloc(16);
  head.writeUInt32LE(1, 0);
  const write = {
    program: 'BPFLoaderUpgradeab1e11111111111111111111111',
    accounts: [
      { address: recipient, writable: true },
      { address, signer: true },
    ],
    data: head.toString('base64'),
  };
  const close = { ...write, data: Buffer.from([5, 0, 0, 0]).toString('base64') };
  const note = { program: 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr', data: '' };
  const cheap = { computeUnitLimit: 100_000, computeUnitPrice: '0' };
  const sent: string[] = [];
  for (const [index, instructions] of [[write], [write, note], [close]].entries())
    sent.push(await execute(memo('', { instructions, ...cheap }), `write ${index}`));
  expect(await actor.session.signersOf?.(sent)).toEqual([[], [address], [address]]);
});

test('a lookup returns the instructions of the plan, for any roles and order of the accounts', async () => {
  const own = actor.wallet.address;
  const operations = [
    transferOf(recipient, 11n),
    transferOf(own, 12n),
    memo('one account in two roles', {
      instructions: [
        {
          program: '11111111111111111111111111111111',
          accounts: [
            { address: own, signer: true, writable: true },
            { address: recipient, writable: true },
          ],
          data: Buffer.from([2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]).toString('base64'),
        },
        {
          program: 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
          accounts: [{ address: own, signer: true }],
          data: Buffer.from('again').toString('base64'),
        },
      ],
    }),
  ];
  for (const [index, operation] of operations.entries()) {
    const { plan } = await actor.session.check({ wallet: actor.wallet, operation });
    const txId = await execute(operation, `effect ${index}`);
    await ledger.rpc('devnet_mine', [3]);
    const found = await actor.session.lookup(txId);
    expect(found).toMatchObject({ status: 'SUCCEEDED', sender: own, signers: [own] });
    expect(found?.effect).toEqual({ instructions: plan.instructions });
  }
});
