// A wallet with unknown transactions can be resumed only after a person has decided about each action that
// these transactions may have executed.
import { type Anvil, misbehaving, type RpcProxy, startAnvil, startProxy } from '@ledger-ops/devnet';
import { Wallet } from 'ethers';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { isFaultsRun } from '../../../../testing/faults.ts';
import { balanceOf, freshAddress, nonceOf } from './chain.ts';
import { jobProject } from './ground.ts';
import { createProduct, type Product, type TestWallet, transferTo } from './product.ts';
import { readSuspensions, readUnknown, type Suspension } from './set-back-run.ts';

let anvil: Anvil;
/** The node that the server uses. */
let node: RpcProxy;
let product: Product;

// One server for all tests, each with its own wallets.
beforeAll(async () => {
  anvil = await startAnvil();
  node = await startProxy(anvil.url);
  product = createProduct({ rpcUrl: () => node.url, timing: { lease: 2_000 } });
  await product.start();
});
afterAll(async () => {
  await product?.stop();
  await node?.close();
  await anvil?.stop();
});
afterEach(() => node.setFault(undefined));

interface Refusal {
  type: string;
  detail: string;
  matches?: { actionId: string; transaction: string; txId: string | null }[];
}

async function start(): Promise<TestWallet> {
  await anvil.rpc('evm_setIntervalMining', [1]);
  return product.wallet({ exclusive: true });
}

async function send({ walletId, password }: TestWallet, to: string, amount: number, more = {}) {
  const body = { ...transferTo({ walletId, password } as TestWallet, to, amount), ...more };
  const { status, body: action } = await product.call('POST', '/v1/ledger-ops/send', body);
  expect([status, action]).toEqual([201, expect.anything()]);
  return String(action.actionId);
}

/** Sends a payment with the wallet's key, without the service. */
async function payElsewhere(wallet: TestWallet, nonce: number, to: string, value: bigint): Promise<string> {
  const raw = await new Wallet(wallet.privateKey).signTransaction({
    ...{ chainId: 31_337, nonce, to, value, gasLimit: 21_000n },
    ...{ type: 2, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n },
  });
  return await anvil.rpc<string>('eth_sendRawTransaction', [raw]);
}

/** Creates another wallet with the same key. */
async function importAs(wallet: TestWallet, name: string): Promise<TestWallet> {
  const walletId = `${wallet.walletId}-${name}`;
  const body = {
    ...{ walletId, ledgerId: 'dev-ethereum', exclusive: true },
    pluginParameters: { walletPassword: wallet.password, privateKey: wallet.privateKey },
  };
  const { status, body: made } = await product.call('POST', '/v1/cloud-wallet/wallets', body);
  expect([status, made]).toEqual([201, expect.anything()]);
  return { ...wallet, walletId };
}

async function suspensionOf({ walletId }: TestWallet): Promise<Suspension> {
  const find = async () =>
    (await readSuspensions(product)).find(
      (one) => one.walletId === walletId && one.cause === 'unknown-transactions',
    );
  await expect.poll(find, { timeout: 60_000 }).toBeDefined();
  return (await find()) as Suspension;
}

const unknownOf = ({ walletId }: TestWallet) => readUnknown(product, walletId);
const resume = ({ suspensionId }: Suspension) =>
  product.call<Refusal>('DELETE', `/v1/ledger-ops/suspensions/${suspensionId}`);
const change = (actionId: string, what: string, body: object = {}) =>
  product.call<Refusal & { status: string }>('POST', `/v1/ledger-ops/actions/${actionId}/${what}`, body);

const possiblyExecuted = 'urn:ledger-ops:problem:possibly-executed';

test('a wallet cannot be resumed until each matching action is marked, canceled or released', async () => {
  const wallet = await start();
  const target = freshAddress();
  const txId = await payElsewhere(wallet, 0, target, 4n);
  const equalOfOther = await payElsewhere(await product.wallet(), 0, target, 4n);
  const equal = [await send(wallet, target, 4), await send(wallet, target, 4), await send(wallet, target, 4)];
  const other = await send(wallet, target, 9);
  const suspension = await suspensionOf(wallet);
  await expect.poll(async () => (await unknownOf(wallet))[0]?.txId).toBe(txId);

  const refused = await resume(suspension);
  expect(refused).toMatchObject({
    status: 409,
    body: { type: possiblyExecuted, matches: equal.map((actionId) => ({ actionId, txId })) },
  });
  expect(refused.body.detail).toContain(`${equal[0]} by the transaction ${txId}`);
  expect(await suspensionOf(wallet)).toEqual(suspension);

  const { id = '' } = (await unknownOf(wallet))[0] ?? {};
  const refusedAs = async (action: string, by: string) => {
    const { status, body } = await change(action, 'executed', { txId: by });
    return `${status} ${body.detail}`;
  };
  // The transaction is final only at the confirmation depth.
  await expect.poll(() => refusedAs(other, txId)).toMatch(/^400 .*recipient, amount or data differ/);
  await expect.poll(() => refusedAs(equal[0] ?? '', equalOfOther)).toMatch(/^400 .*was sent by/);
  // Only one of two concurrent requests succeeds.
  const marks = await Promise.all(equal.slice(0, 2).map((one) => change(one, 'executed', { txId })));
  expect(marks.map(({ status }) => status).sort()).toEqual([200, 400]);
  const [second = '', third = ''] = equal.filter((_, index) => marks[index]?.status !== 200);
  expect(await refusedAs(second, txId)).toMatch(/^400 .*belongs to an action in the database/);
  // The transaction belongs to one action now, so it did not execute the others.
  expect(await unknownOf(wallet)).toEqual([]);
  expect(await change(second, 'release', { transactions: [id] })).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/transactions/0' }] },
  });
  expect((await resume(suspension)).status).toBe(204);
  const ends = await product.ended([second, third, other]);
  expect(ends.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED']);
  expect(await balanceOf(anvil, target)).toBe(25n);
}, 120_000);

test('a released action is signed after the wallet is resumed, and the timeline shows who released it from which transaction', async () => {
  const wallet = await start();
  const target = freshAddress();
  const txId = await payElsewhere(wallet, 0, target, 4n);
  const [released, canceled] = [await send(wallet, target, 4), await send(wallet, target, 4)];
  const suspension = await suspensionOf(wallet);
  await expect.poll(async () => (await unknownOf(wallet))[0]?.txId).toBe(txId);
  const [{ id = '' } = {}] = await unknownOf(wallet);
  expect(await change(released, 'release', { transactions: [id] })).toMatchObject({
    status: 200,
    body: { status: 'PENDING' },
  });
  expect((await change(released, 'release', { transactions: [id] })).status).toBe(200);
  expect(await unknownOf(wallet)).toMatchObject([{ txId, matches: [canceled], released: [released] }]);
  expect(await resume(suspension)).toMatchObject({
    status: 409,
    body: { matches: [{ actionId: canceled, txId, transaction: id }] },
  });
  expect((await change(canceled, 'cancel')).status).toBe(200);
  expect((await resume(suspension)).status).toBe(204);
  expect(await product.ended([released])).toMatchObject([{ status: 'SUCCEEDED' }]);
  expect(await balanceOf(anvil, target)).toBe(8n);
  const path = `/v1/admin/timeline?resourceId=${wallet.walletId}&service=ledger-operations&action=release`;
  const { body } = await product.call('GET', path);
  // The address and the nonce identify the transaction, even if it is in no block yet.
  expect(body.items).toMatchObject([
    { target: released, changes: [{ name: 'notExecutedBy', to: 'nonce 0' }] },
  ]);
}, 120_000);

test('actions that wait for a dependency can be marked, canceled and released', async () => {
  const wallet = await start();
  const [target, later] = [freshAddress(), freshAddress()];
  const txIds = [
    await payElsewhere(wallet, 0, later, 5n),
    await payElsewhere(wallet, 1, later, 6n),
    await payElsewhere(wallet, 2, later, 7n),
  ];
  const first = await send(wallet, target, 3);
  const behind = { dependencies: [first] };
  const [marked, canceled, released] = [
    await send(wallet, later, 5, behind),
    await send(wallet, later, 6, behind),
    await send(wallet, later, 7, behind),
  ];
  const suspension = await suspensionOf(wallet);
  const poll = async () => (await unknownOf(wallet)).map(({ matches }) => matches);
  await expect.poll(poll, { timeout: 60_000 }).toEqual([[marked], [canceled], [released]]);
  expect((await resume(suspension)).body.matches).toHaveLength(3);
  await expect.poll(async () => (await change(marked, 'executed', { txId: txIds[0] })).status).toBe(200);
  expect((await change(canceled, 'cancel')).status).toBe(200);
  const transactions = (await unknownOf(wallet)).map(({ id }) => id);
  expect((await change(released, 'release', { transactions })).status).toBe(200);
  expect((await resume(suspension)).status).toBe(204);
  const ends = await product.ended([first, marked, canceled, released]);
  expect(ends.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED', 'FAILED', 'SUCCEEDED']);
  expect(await balanceOf(anvil, later)).toBe(25n);
}, 120_000);

test('signed or final actions can be neither marked nor released', async () => {
  const wallet = await start();
  await anvil.rpc('evm_setIntervalMining', [0]);
  const id = await send(wallet, freshAddress(), 4);
  await product.waitsFor(id, 'Signed');
  const refusals = async () => {
    const marked = await change(id, 'executed', { txId: `0x${'1'.repeat(64)}` });
    const released = await change(id, 'release', { transactions: ['any'] });
    return [marked, released].map(({ status, body }) => `${status} ${body.detail}`);
  };
  expect(await refusals()).toEqual([
    expect.stringMatching(/^409 .*cannot be marked as executed: it is signed/),
    expect.stringMatching(/^409 .*cannot be released: it is signed/),
  ]);
  await anvil.rpc('evm_setIntervalMining', [1]);
  expect(await product.ended([id])).toMatchObject([{ status: 'SUCCEEDED' }]);
  const final = expect.stringMatching(/^409 .*is already SUCCEEDED/);
  expect(await refusals()).toEqual([final, final]);
}, 120_000);

test('a transaction whose content no node returns matches every unsigned action, even one that is accepted later', async () => {
  const wallet = await start();
  const target = freshAddress();
  await product.ended([await send(wallet, target, 1)]);
  await anvil.rpc('evm_setIntervalMining', [0]);
  await product.terminate();
  const txId = await payElsewhere(wallet, 1, target, 2n);
  await product.start();
  const actions = [await send(wallet, target, 3), await send(wallet, target, 4)];
  const suspension = await suspensionOf(wallet);
  const [unknown] = await unknownOf(wallet);
  expect(unknown).toMatchObject({ txId: null, matches: actions, notCompared: expect.any(String) });
  expect(await resume(suspension)).toMatchObject({
    status: 409,
    body: { type: possiblyExecuted, matches: actions.map((actionId) => ({ actionId, txId: null })) },
  });
  const [first = '', second = ''] = actions;
  expect(await change(second, 'executed', { txId })).toMatchObject({
    ...{ status: 409, body: { detail: expect.stringContaining('is not final yet') } },
  });
  expect((await change(first, 'release', { transactions: [unknown?.id] })).status).toBe(200);
  // Once a node shows the transaction, only actions with the same effect match it.
  await anvil.rpc('evm_setIntervalMining', [1]);
  const shown = async () => (await unknownOf(wallet))[0];
  await expect.poll(shown, { timeout: 60_000 }).toMatchObject({ notCompared: null, matches: [] });
  expect((await resume(suspension)).status).toBe(204);
  expect(await product.ended([first, second])).toMatchObject([
    { status: 'SUCCEEDED' },
    { status: 'SUCCEEDED' },
  ]);
  expect(await balanceOf(anvil, target)).toBe(10n);
}, 120_000);

test('making a wallet not exclusive, or resuming its ledger or project, does not allow the wallet to be resumed', async () => {
  const wallet = await start();
  const target = freshAddress();
  await payElsewhere(wallet, 0, target, 4n);
  const id = await send(wallet, target, 4);
  const suspension = await suspensionOf(wallet);
  const setExclusive = (exclusive: boolean) =>
    product.call('PUT', `/v1/cloud-wallet/wallets/${wallet.walletId}/exclusive`, { exclusive });
  expect((await setExclusive(false)).status).toBe(200);
  expect((await resume(suspension)).status).toBe(409);
  // These transactions must stay unknown.
  expect((await setExclusive(true)).status).toBe(409);
  expect((await resume(suspension)).status).toBe(409);
  for (const named of [{ ledgerId: 'dev-ethereum' }, { projectId: jobProject }]) {
    const body = { ...named, reason: 'Maintenance.' };
    const { body: wider } = await product.call<Suspension>('POST', '/v1/ledger-ops/suspensions', body);
    expect((await resume(suspension)).status).toBe(409);
    expect((await resume(wider)).status).toBe(204);
  }
  await product.waitsFor(id, 'unknown transactions');
  expect((await change(id, 'cancel')).status).toBe(200);
  expect((await resume(suspension)).status).toBe(204);
  await expect.poll(() => balanceOf(anvil, target)).toBe(4n);
}, 120_000);

test('each wallet with the same key is suspended, even if imported later, until its own matching actions are decided', async () => {
  const wallet = await start();
  const target = freshAddress();
  const twin = await importAs(wallet, 'twin');
  await payElsewhere(wallet, 0, target, 4n);
  const [ours, theirs] = [await send(wallet, target, 4), await send(twin, target, 4)];
  const [first, second] = [await suspensionOf(wallet), await suspensionOf(twin)];
  const late = await importAs(wallet, 'late');
  const third = await suspensionOf(late);
  const [{ id = '' } = {}] = await unknownOf(wallet);
  expect((await change(ours, 'release', { transactions: [id] })).status).toBe(200);
  expect((await resume(first)).status).toBe(204);
  expect(await product.ended([ours])).toMatchObject([{ status: 'SUCCEEDED' }]);
  expect(await resume(second)).toMatchObject({ status: 409, body: { matches: [{ actionId: theirs }] } });
  expect((await change(theirs, 'cancel')).status).toBe(200);
  expect((await resume(second)).status).toBe(204);
  expect((await resume(third)).status).toBe(204);
  expect([await balanceOf(anvil, target), await nonceOf(anvil, wallet.address)]).toEqual([8n, 2]);
}, 120_000);

// Skipped by `npm test`, because unknown-transactions.test.ts of the runtime covers this case.
test.runIf(isFaultsRun)(
  'all unknown transactions of a wallet that is far behind its ledger are listed, a hundred per page',
  async () => {
    const wallet = await start();
    const [target, other] = [freshAddress(), freshAddress()];
    await anvil.rpc('evm_setIntervalMining', [0]);
    for (let nonce = 0; nonce < 104; nonce += 1)
      await payElsewhere(wallet, nonce, nonce === 0 || nonce === 102 ? target : other, BigInt(nonce + 1));
    await anvil.rpc('evm_setIntervalMining', [1]);
    await expect.poll(() => nonceOf(anvil, wallet.address), { timeout: 60_000 }).toBe(104);
    const [early, late] = [await send(wallet, target, 1), await send(wallet, target, 103)];
    const named: string[] = [];
    // The last four unknown transactions are found by a comparison before the wallet is resumed, or suspend the wallet
    // again.
    while (named.length < 2) {
      const suspension = await suspensionOf(wallet);
      // Every unsigned action matches a transaction until the transaction's block is found.
      const unread = async () => (await unknownOf(wallet)).filter(({ txId }) => txId === null);
      await expect.poll(unread, { timeout: 60_000 }).toEqual([]);
      const { status, body } = await resume(suspension);
      expect([204, 409]).toContain(status);
      for (const { actionId } of body.matches ?? []) {
        named.push(actionId);
        expect((await change(actionId, 'cancel')).status).toBe(200);
      }
    }
    expect(named).toEqual([early, late]);
    expect((await resume(await suspensionOf(wallet))).status).toBe(204);
    expect(await balanceOf(anvil, target)).toBe(104n);
  },
  120_000,
);

test('while the ledger cannot be read, an unknown transaction matches every unsigned action of its wallet', async () => {
  const wallet = await start();
  const target = freshAddress();
  const txId = await payElsewhere(wallet, 0, target, 4n);
  const [same, other] = [await send(wallet, target, 4), await send(wallet, target, 9)];
  const suspension = await suspensionOf(wallet);
  await expect.poll(async () => (await unknownOf(wallet))[0]?.txId).toBe(txId);
  await node.goDown();
  const refused = await resume(suspension);
  expect(refused).toMatchObject({
    status: 409,
    body: { type: possiblyExecuted, matches: [{ actionId: same }, { actionId: other }] },
  });
  expect(refused.body.detail).toContain(`${same} by the transaction with the nonce 0`);
  const [unknown] = await unknownOf(wallet);
  expect(unknown).toMatchObject({ txId: null, notCompared: expect.any(String), matches: [same, other] });
  // An action that is accepted during this time is compared as well.
  const third = await send(wallet, target, 1);
  expect((await resume(suspension)).body.matches).toHaveLength(3);
  expect((await change(third, 'release', { transactions: [unknown?.id] })).status).toBe(200);
  expect((await resume(suspension)).body.matches).toHaveLength(2);
  await node.comeUp();
  const matches = async () => (await resume(suspension)).body.matches?.map(({ actionId }) => actionId);
  await expect.poll(matches, { timeout: 60_000 }).toEqual([same]);
  expect((await change(same, 'cancel')).status).toBe(200);
  expect((await resume(suspension)).status).toBe(204);
  const ends = await product.ended([other, third]);
  expect(ends.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED']);
  expect(await balanceOf(anvil, target)).toBe(14n);
}, 120_000);

test('matching actions are listed a hundred at a time, and the wallet cannot be resumed until each is decided', async () => {
  const wallet = await start();
  const [target, elsewhere] = [freshAddress(), freshAddress()];
  const txId = await payElsewhere(wallet, 0, target, 4n);
  await send(wallet, elsewhere, 9);
  const suspension = await suspensionOf(wallet);
  await expect.poll(async () => (await unknownOf(wallet))[0]?.txId).toBe(txId);
  const sendHundred = async (to: string, amount: number) => {
    const operations = Array.from({ length: 100 }, () => transferTo(wallet, to, amount));
    const { body } = await product.call<{ results: { actionId: string }[] }>('POST', '/v1/ledger-ops/batch', {
      operations,
    });
    return body.results.map(({ actionId }) => actionId);
  };
  const others = [...(await sendHundred(elsewhere, 9)), ...(await sendHundred(elsewhere, 9))];
  const ids = [...(await sendHundred(target, 4)), await send(wallet, target, 4)].sort();
  for (const some of [ids.slice(0, 100), ids.slice(100)]) {
    const { status, body } = await resume(suspension);
    expect([status, body.type, body.matches?.map(({ actionId }) => actionId)]).toEqual([
      ...[409, possiblyExecuted, some],
    ]);
    expect(body.detail.includes('; at least 95 more.')).toBe(some.length === 100);
    for (const id of some) expect((await change(id, 'cancel')).status).toBe(200);
  }
  expect((await resume(suspension)).status).toBe(204);
  // An action that is accepted now may be signed before those that waited.
  const last = await send(wallet, target, 1);
  expect((await product.ended([...others, last])).map(({ status }) => status)).toEqual(
    [...others, last].map(() => 'SUCCEEDED'),
  );
  expect([await balanceOf(anvil, target), await balanceOf(anvil, elsewhere)]).toEqual([5n, 1_809n]);
}, 120_000);

test('a wallet is not resumed if comparing it with its ledger finds a further unknown transaction', async () => {
  const wallet = await start();
  const [target, elsewhere] = [freshAddress(), freshAddress()];
  const twin = await importAs(wallet, 'twin');
  const txId = await payElsewhere(wallet, 0, elsewhere, 4n);
  const theirs = await send(twin, target, 5);
  const [first, second] = [await suspensionOf(wallet), await suspensionOf(twin)];
  await expect.poll(async () => (await unknownOf(twin))[0]?.txId).toBe(txId);
  expect((await resume(first)).status).toBe(204);

  // The node withholds `txId` until an action of the first wallet, which is already resumed, has led to the
  // discovery of a second unknown transaction.
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  node.setFault(
    misbehaving({
      async eth_getTransactionByHash(call, ask) {
        if (call.params[0] !== txId) return await ask(call);
        asked.resolve();
        await answered.promise;
        return await ask(call);
      },
    }),
  );
  const resuming = resume(second);
  await asked.promise;
  await payElsewhere(wallet, 1, elsewhere, 6n);
  await expect.poll(() => nonceOf(anvil, wallet.address)).toBe(2);
  const ours = await send(wallet, target, 3);
  const again = await suspensionOf(wallet);
  answered.resolve();
  expect(await resuming).toMatchObject({
    status: 409,
    body: {
      type: 'urn:ledger-ops:problem:conflict',
      detail: expect.stringContaining('were found in the meantime'),
    },
  });
  expect([await suspensionOf(wallet), await suspensionOf(twin)]).toEqual([again, second]);
  for (const one of [second, again]) expect((await resume(one)).status).toBe(204);
  const ends = await product.ended([ours, theirs]);
  expect(ends.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED']);
  expect([await balanceOf(anvil, target), await balanceOf(anvil, elsewhere)]).toEqual([8n, 10n]);
}, 120_000);
