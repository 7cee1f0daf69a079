// A chaincode from a package in a template to calls of it, by HTTP alone, agreed on by two organizations.
import {
  type FabricNetwork,
  packageChaincode,
  type RunningChaincode,
  sampleChaincodes,
  startChaincode,
  startFabricNetwork,
} from '@ledger-ops/devnet/fabric';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../harness.ts';
import { type FabricClient, openFabricClient } from './fabric-client.ts';
import {
  addFabricLedger,
  addFabricWallet,
  contractGlo,
  deployGlo,
  expectStatus,
  type FabricWallet,
  fabric,
  organizationAt,
  sendGlo,
} from './fabric-ledger.ts';
import { createProduct, type Product } from './product.ts';

const product: Product = createProduct();
const template = 'goods:1.0';
const native = { name: 'goods', version: '1.0' };
let network: FabricNetwork;
let client: FabricClient;
let chaincode: RunningChaincode;
let packageId: string;
/** An administrator of each organization, and a plain member of the first. */
let admins: FabricWallet[];
let member: FabricWallet;

beforeAll(async () => {
  [network] = await Promise.all([startFabricNetwork(), product.start()]);
  client = await openFabricClient(network);
  for (const index of [0, 1])
    await addFabricLedger(product, network, { ledgerId: `trade-${index}`, organization: index });
  const importAdmin = (index: number) => {
    const { certificate, privateKey } = organizationAt(network, index).admin;
    return addFabricWallet(product, `trade-${index}`, { certificate, privateKey });
  };
  [member, ...admins] = await Promise.all([
    addFabricWallet(product, 'trade-0'),
    importAdmin(0),
    importAdmin(1),
  ]);
  const address = `127.0.0.1:${await freePort()}`;
  const packed = await packageChaincode({ label: 'goods_1.0', address });
  packageId = packed.packageId;
  const templates = '/v1/smart-contracts/templates';
  await expectStatus(product, 201, templates, { contractTemplateID: 'goods', name: 'Goods' });
  const version = await expectStatus(product, 201, `${templates}/goods/specifications`, {
    ...{ tag: '1.0', ledgerTechnology: { ledgerTechnologyID: fabric } },
    compilationSpecification: Buffer.from(packed.bytes).toString('base64'),
  });
  expect(version).toMatchObject({ compilationStatus: 'COMPILED' });
  chaincode = await startChaincode({ packageId, address, contract: sampleChaincodes.assetTransfer });
}, 180_000);
afterAll(async () => {
  await product.stop();
  client?.close();
  await network?.stop();
  await chaincode?.stop();
});

const adminAt = (index: number): FabricWallet => {
  const wallet = admins[index];
  if (wallet === undefined) throw new RangeError(`There is no administrator ${index}.`);
  return wallet;
};
const deployed = async (wallet: FabricWallet) => {
  const id = await sendGlo(product, wallet, deployGlo(template, native));
  const [end] = await product.ended([id]);
  return { id, end };
};

test('a plain member may not deploy, and nothing of it stays', async () => {
  const { end } = await deployed(member);
  expect(end).toMatchObject({
    status: 'FAILED',
    problem: { type: 'urn:ledger-ops:problem:certificate-invalid' },
  });
}, 60_000);

test('a deployment ends as approvals-missing with the organizations, another one brings theirs, and a repeated one resumes', async () => {
  const first = await deployed(adminAt(0));
  expect(first.end).toMatchObject({
    status: 'FAILED',
    problem: {
      type: 'urn:ledger-ops:problem:approvals-missing',
      detail: expect.stringContaining('Org2MSP'),
    },
  });
  // The second organization by its own record: with its approval the definition can be committed.
  const second = await deployed(adminAt(1));
  expect(second.end).toMatchObject({
    status: 'SUCCEEDED',
    contractAddress: 'ledger/goods',
    details: { packageId, name: 'goods', version: '1.0', sequence: 1 },
  });
  const again = await sendGlo(product, adminAt(0), deployGlo(template, native));
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
}, 120_000);

test('its steps stand in the timeline, each as it was signed', async () => {
  const { body } = await product.call('GET', `/v1/timeline/resources/${adminAt(1).walletId}`);
  const records = body as unknown as { action: string }[];
  const actions = records.map(({ action }) => action);
  expect(actions.filter((action) => action === 'accept')).toHaveLength(1);
  expect(actions.at(-1)).toBe('succeed');
});
