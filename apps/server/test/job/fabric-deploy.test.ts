// Deploys a chaincode package from a template over HTTP: two organizations approve it, then it is called.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Consortium, openConsortium, type PackedChaincode } from './fabric-consortium.ts';
import { contractGlo, type FabricWallet, sendGlo } from './fabric-ledger.ts';
import { createProduct, type Product } from './product.ts';

const product: Product = createProduct();
let consortium: Consortium;
let goods: PackedChaincode;

beforeAll(async () => {
  consortium = await openConsortium(product);
  goods = await consortium.pack('goods');
  await goods.run();
}, 300_000);
afterAll(async () => {
  await product.stop();
  await consortium?.close();
});

const deployed = async (wallet: FabricWallet) => {
  const id = await sendGlo(product, wallet, goods.glo);
  const [end] = await product.ended([id]);
  return { id, end };
};

test('a plain member cannot deploy, and the attempt has no effect on the ledger', async () => {
  const { end } = await deployed(consortium.member);
  expect(end).toMatchObject({
    status: 'FAILED',
    problem: { type: 'urn:ledger-ops:problem:certificate-invalid' },
  });
}, 180_000);

test('a deployment that waits for approvals is canceled immediately, and its problem says that earlier transactions remain', async () => {
  const id = await sendGlo(product, consortium.adminAt(0), goods.glo);
  await product.waitsFor(id, 'Waiting for approvals of Org2MSP');
  const cancelled = await product.call('POST', `/v1/ledger-ops/actions/${id}/cancel`);
  expect(cancelled).toMatchObject({
    status: 200,
    body: { status: 'FAILED', problem: { type: 'urn:ledger-ops:problem:cancelled' } },
  });
  expect(JSON.stringify(cancelled.body)).toContain("The action's earlier transactions remain on the ledger");
  const hurried = await product.call('POST', `/v1/ledger-ops/actions/${id}/hurry`);
  expect(hurried).toMatchObject({ status: 409, body: { type: 'urn:ledger-ops:problem:conflict' } });
}, 180_000);

test('a deployment completes after all approvals, and deploying the same package again reports that it is complete', async () => {
  const { adminAt, client, member } = consortium;
  const { packageId } = goods;
  const first = await sendGlo(product, adminAt(0), goods.glo);
  await product.waitsFor(first, 'Waiting for approvals of Org2MSP');
  // The second organization deploys with its own ledger record. Once it has approved, the definition can be
  // committed.
  const second = await deployed(adminAt(1));
  expect(second.end).toMatchObject({
    status: 'SUCCEEDED',
    contractAddress: 'ledger/goods',
    details: { packageId, name: 'goods', version: '1.0', sequence: 1 },
  });
  expect(await product.ended([first])).toMatchObject([
    { status: 'SUCCEEDED', contractAddress: 'ledger/goods', details: { packageId, sequence: 1 } },
  ]);
  const again = await sendGlo(product, adminAt(0), goods.glo);
  const create = contractGlo(`action:${again}`, 'CreateAsset', ['apple', 'red', '1', 'me', '2']);
  const called = await sendGlo(product, member, create, { dependencies: [again] });
  const read = contractGlo(`action:${again}`, 'ReadAsset', ['apple']);
  const readAgain = await sendGlo(product, member, read, { dependencies: [called] });
  const ends = await product.ended([again, called, readAgain]);
  expect(ends.map(({ status, problem }) => ({ status, problem }))).toEqual(
    ends.map(() => ({ status: 'SUCCEEDED', problem: undefined })),
  );
  const one = ends.find(({ actionId }) => actionId === again);
  expect(one).toMatchObject({ contractAddress: 'ledger/goods', details: { packageId, sequence: 1 } });
  expect(JSON.parse(await client.evaluate('goods', 'ReadAsset', 'apple'))).toMatchObject({ Color: 'red' });
}, 300_000);

test('the timeline contains each signed step of a deployment in order', async () => {
  const { walletId } = consortium.adminAt(1);
  const { body: records } = await product.call<{ action: string }[]>(
    'GET',
    `/v1/timeline/resources/${walletId}`,
  );
  const actions = records.map(({ action }) => action);
  expect(actions.filter((action) => action === 'accept')).toHaveLength(1);
  expect(actions.at(-1)).toBe('succeed');
});
