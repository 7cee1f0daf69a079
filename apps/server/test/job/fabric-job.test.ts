// Tests Fabric over HTTP: the ledger record, wallets, calls, transfers, reads, the deprecated gateway operations, and
// the registry.
import { type FabricNetwork, startFabricNetwork } from '@ledger-ops/devnet-fabric';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { isFaultsRun } from '../../../../testing/faults.ts';
import { startReceiver } from '../events/receiver.ts';
import { type FabricClient, openFabricClient, valid } from './fabric-client.ts';
import {
  addFabricLedger,
  addFabricWallet,
  bodyOf,
  chaincodeGlo,
  contractGlo,
  deploySamples,
  expectStatus,
  type FabricWallet,
  fabric,
  ledgerProperties,
  organizationAt,
  propertyList,
  sendGlo,
  tokenGlo,
} from './fabric-ledger.ts';
import { jobProject } from './ground.ts';
import { createProduct, type Product } from './product.ts';

const ledgerId = 'trade';
const assets = 'ledger/assets';
const token = 'ledger/token';
const product: Product = createProduct();
let network: FabricNetwork;
let client: FabricClient;
/** Five wallets: three enrolled by name, one enrolled by name and secret, one imported. */
let wallets: FabricWallet[];

beforeAll(async () => {
  [network] = await Promise.all([startFabricNetwork({ batch: { timeout: 20 } }), product.start()]);
  await deploySamples(network);
  client = await openFabricClient(network);
  const { ca, ...organization } = organizationAt(network);
  // The registrar cannot be a wallet. This wallet is enrolled before it registers others.
  const none = { ca_registrar_id: undefined, ca_registrar_secret: undefined };
  await addFabricLedger(product, network, { ledgerId, properties: none });
  const bySecret = await addFabricWallet(product, ledgerId, { ...ca.registrar });
  const properties = propertyList(await ledgerProperties(network, organizationAt(network)));
  const { status } = await product.call('PUT', `/v1/ledgers/${ledgerId}`, { properties });
  expect(status).toBe(200);
  const { certificate, privateKey } = await organization.issueUser('importer');
  wallets = await Promise.all([
    addFabricWallet(product, ledgerId),
    addFabricWallet(product, ledgerId),
    addFabricWallet(product, ledgerId),
    bySecret,
    addFabricWallet(product, ledgerId, { certificate, privateKey }),
  ]);
}, 300_000);
afterAll(async () => {
  await product.stop();
  client?.close();
  await network?.stop();
});

const walletAt = (index: number): FabricWallet => {
  const wallet = wallets[index % wallets.length];
  if (wallet === undefined) throw new RangeError('There are no wallets.');
  return wallet;
};
const succeeded = async (ids: readonly string[]) => {
  const ends = await product.ended(ids);
  expect(ends.filter(({ status }) => status !== 'SUCCEEDED')).toEqual([]);
  return ends;
};
const emulate = async (body: object) =>
  (await expectStatus(product, 200, '/v1/ledger-ops/emulate', body)) as {
    result: unknown;
    figures: { identity?: string };
    warnings: string[];
  };

test('wallets are enrolled by name, enrolled by name and secret, or imported', () => {
  const [first, , , fourth, fifth] = wallets;
  expect(first?.address).toBe(`Org1MSP/${first?.walletId}`);
  expect([fourth?.address, fifth?.address]).toEqual(['Org1MSP/registrar', 'Org1MSP/importer']);
});

const calls = isFaultsRun ? 200 : 50;
test(`${calls} concurrent calls from 5 wallets succeed with their results, and the chaincode's state agrees`, async () => {
  const ids = await Promise.all(
    Array.from({ length: calls }, (_, index) => {
      const args = [`job-${index}`, 'blue', String(index), walletAt(index).walletId, '7'];
      return sendGlo(product, walletAt(index), chaincodeGlo(assets, 'CreateAsset', args));
    }),
  );
  const ends = await succeeded(ids);
  const asset = (index: number) => ({
    ...{ ID: `job-${index}`, Color: 'blue', Size: index },
    ...{ Owner: walletAt(index).walletId, AppraisedValue: 7 },
  });
  const byId = new Map(ends.map((end) => [end.actionId, end]));
  for (const [index, id] of ids.entries()) {
    const result = byId.get(id)?.details?.result;
    expect(typeof result === 'string' ? JSON.parse(result) : result).toEqual(asset(index));
  }
  const state = JSON.parse(await client.evaluate('assets', 'GetAllAssets')) as { ID: string }[];
  const mine = state.filter(({ ID }) => ID.startsWith('job-'));
  const expected = Array.from({ length: calls }, (_, index) => asset(index));
  expect(mine.toSorted(byName)).toEqual(expected.toSorted(byName));
  const codes = await client.transactions();
  for (const { locator } of ends) expect(codes.get(String(locator))).toBe(valid);
  // Each action is one transaction; the ledger also contains transactions of the network's setup.
  const transactions = [...codes.values()].length;
  expect(transactions).toBeGreaterThanOrEqual(calls);
  expect(new Set(ends.map(({ locator }) => locator)).size).toBe(calls);
}, 300_000);

const byName = (a: { ID: string }, b: { ID: string }) => (a.ID < b.ID ? -1 : 1);

test('a transfer moves tokens of the ledger’s chaincode, and the receiver finds the action', async () => {
  const [minter, holder] = [walletAt(0), walletAt(4)];
  const initialized = await sendGlo(
    product,
    minter,
    chaincodeGlo(token, 'Initialize', ['Coin', 'COIN', '2']),
  );
  const minted = await sendGlo(product, minter, chaincodeGlo(token, 'Mint', ['1000']), {
    dependencies: [initialized],
  });
  const moved = await sendGlo(product, minter, tokenGlo(holder, '300'), { dependencies: [minted] });
  await succeeded([moved]);
  const onward = await sendGlo(product, holder, tokenGlo({ address: walletAt(1).address }, '0x64'));
  await succeeded([onward]);
  const balances = await Promise.all(
    [minter, holder, walletAt(1)].map(({ address }) => client.evaluate('token', 'BalanceOf', address)),
  );
  expect(balances.map((text) => text.replaceAll('"', ''))).toEqual(['700', '200', '100']);
  const found = await product.call(
    'GET',
    `/v1/ledger-ops/search/wallets/${walletAt(1).walletId}/actions?size=100`,
  );
  const page = found.body.pageContent as { actionId: string }[];
  expect(page.map(({ actionId }) => actionId)).toContain(onward);
}, 180_000);

test('chaincode events from the first block on arrive at a webhook, once each', async () => {
  const receiver = await startReceiver();
  const made = await product.call<{ secret: string }>('POST', '/v1/webhooks', {
    ...{ url: receiver.url, types: ['contract.event'] },
  });
  receiver.secret = made.body.secret;
  const group = await product.call<{ groupId: string }>('POST', '/v1/contract-groups', { name: 'tokens' });
  const contract = await product.call<{ contractId: string }>(
    ...(['POST', `/v1/contract-groups/${group.body.groupId}/instances`] as const),
    { ledgerReference: { ledgerId, nativeReference: token } },
  );
  const { contractId } = contract.body;
  const subscribed = await product.call('POST', '/v1/contract-subscriptions', { contractId, fromBlock: 0 });
  expect(subscribed).toMatchObject({ status: 201, body: { contractId, ledgerId, status: 'ACTIVE' } });
  await vi.waitFor(() => expect(receiver.received).toHaveLength(3), 30_000);
  const told = receiver.received.map(({ data }) => data);
  expect(told.map(({ args }) => args?.value)).toEqual(['1000', '300', '100']);
  expect(told[1]).toMatchObject({
    ...{ contractId, name: 'Transfer', contractAddress: token },
    args: { from: walletAt(0).address, to: walletAt(4).address },
  });
  await product.call('DELETE', `/v1/contract-subscriptions/${subscribed.body.id}`).catch(() => undefined);
  await receiver.close();
}, 180_000);

test('a transfer above the balance is FAILED with the chaincode’s message', async () => {
  const [end] = await product.ended([await sendGlo(product, walletAt(1), tokenGlo(walletAt(0), '100000'))]);
  expect(end).toMatchObject({
    status: 'FAILED',
    problem: { type: expect.stringContaining('reverted'), detail: expect.stringContaining('less than') },
  });
});

describe('a dry run', () => {
  const glo = chaincodeGlo(assets, 'WhoAmI', []);
  const idOf = (result: unknown) =>
    (typeof result === 'string' ? JSON.parse(result) : result) as { mspId: string; id: string };

  test('a dry run without a wallet is signed by the observer, and its figures name the observer’s identity', async () => {
    const { result, figures } = await emulate({ ledgerId, glo });
    expect(idOf(result).id).toContain('CN=observer');
    expect(figures.identity).toBe('Org1MSP/observer');
  });

  test('a dry run is signed by the wallet if the request has the wallet’s password, and otherwise returns a warning', async () => {
    const { walletId, password, address } = walletAt(0);
    const unsigned = await emulate({ walletId, glo });
    expect(idOf(unsigned.result).id).toContain('CN=observer');
    expect(unsigned.warnings).toEqual([
      expect.stringContaining(`The call ran as Org1MSP/observer, not as the wallet ${walletId}`),
    ]);
    const { result, figures, warnings } = await emulate({ walletId, walletPassword: password, glo });
    expect(warnings).toEqual([]);
    expect(idOf(result).id).toContain(`CN=${walletId}`);
    expect(figures.identity).toBe(address);
    const wrong = await product.call('POST', '/v1/ledger-ops/emulate', {
      ...{ walletId, walletPassword: 'a wrong password of it', glo },
    });
    expect([wrong.status, wrong.body.type]).toEqual([403, 'urn:ledger-ops:problem:wrong-wallet-password']);
  });

  test('a dry run changes nothing', async () => {
    const create = chaincodeGlo(assets, 'CreateAsset', ['emulated', 'red', '1', 'nobody', '1']);
    await emulate({ ledgerId, glo: create });
    expect(JSON.parse(await client.evaluate('assets', 'AssetExists', 'emulated'))).toBe(false);
  });
});

describe('a registered chaincode', () => {
  let path: string;
  let contract: { contractId: string; interface: string; name: string };
  beforeAll(async () => {
    const { groupId } = await expectStatus(product, 201, '/v1/contract-groups', { name: 'chaincodes' });
    const instances = `/v1/contract-groups/${groupId}/instances`;
    contract = (await expectStatus(product, 201, instances, {
      ...{ groupId, name: 'assets', ledgerReference: { ledgerId, nativeReference: assets } },
    })) as typeof contract;
    path = `${instances}/${contract.contractId}`;
  });

  test('a registered chaincode gets the interface that it publishes', () => {
    expect(JSON.parse(contract.interface)).toMatchObject({ contracts: { AssetTransfer: {}, Trials: {} } });
  });

  test('a registered chaincode has an OpenAPI document with an operation for each function', async () => {
    const { status, body } = await product.call('GET', `${path}/openapi.json`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ openapi: expect.stringMatching(/^3\.1/) });
    const paths = Object.keys(body.paths as object).map((one) => decodeURIComponent(one));
    expect(paths).toContain(`${path}/methods/CreateAsset`);
  });

  test('a call to a registered chaincode returns the value if the function only reads, and otherwise creates an action', async () => {
    const { walletId, password } = walletAt(2);
    const accepted = await expectStatus(product, 201, `${path}/methods/CreateAsset`, {
      ...{ walletId, walletPassword: password },
      arguments: { id: 'by-method', color: 'green', size: '3', owner: walletId, appraisedValue: '9' },
    });
    await succeeded([String(accepted.actionId)]);
    const read = `${path}/methods/ReadAsset`;
    const { result } = await expectStatus(product, 200, read, { arguments: { id: 'by-method' } });
    expect(result).toMatchObject({ ID: 'by-method', Color: 'green', Owner: walletId });
  });

  test('a registered chaincode is called by its id, with arguments checked at acceptance', async () => {
    const wallet = walletAt(3);
    const glo = contractGlo(contract.contractId, 'ReadAsset', ['by-method', 'one too many']);
    const { status, body } = await product.call('POST', '/v1/ledger-ops/send', bodyOf(wallet, glo));
    expect([status, body.type]).toEqual([400, 'urn:ledger-ops:problem:invalid-request']);
    const update = ['by-method', 'black', '4', wallet.walletId, '9'];
    await succeeded([
      await sendGlo(product, wallet, contractGlo(contract.contractId, 'UpdateAsset', update)),
    ]);
    expect(JSON.parse(await client.evaluate('assets', 'ReadAsset', 'by-method'))).toMatchObject({
      Color: 'black',
    });
  });

  test('the deprecated gateway operations emulate and send calls to a registered chaincode, and find their transactions', async () => {
    const wallet = walletAt(1);
    const accepted = await expectStatus(product, 201, '/v1/gateway/actions', {
      ...{ walletId: wallet.walletId, walletPassword: wallet.password },
      ...{ context: 'a context', dependencies: [], serviceSession: '', intent: null, tag: null },
      glo: {
        type: 'contract_call',
        params: {
          contractInstance: contract.contractId,
          methodName: 'CreateAsset',
          args: ['by-gateway', 'white', '1', wallet.walletId, '2'],
        },
      },
    });
    expect(accepted).toMatchObject({ state: 'PENDING' });
    const [end] = await succeeded([String(accepted.id)]);
    const emulation = { instanceId: contract.contractId, methodName: 'ReadAsset', args: ['by-gateway'] };
    const { result } = await expectStatus(product, 200, '/v1/gateway/emulations', emulation);
    expect(JSON.parse(String(result))).toMatchObject({ ID: 'by-gateway', Color: 'white' });
    const query = `ledgerId=${ledgerId}&locator=${end?.locator}`;
    const found = await product.call('GET', `/v1/gateway/transactions?${query}&withReceipt=true`);
    expect(found.body).toMatchObject({ locator: end?.locator, status: 'SUCCEEDED' });
    expect(found.body.receipt).toMatchObject({ validationCode: 'VALID' });
    const unknown = await product.call(
      'GET',
      `/v1/gateway/transactions?ledgerId=${ledgerId}&locator=${'0'.repeat(64)}&withReceipt=false`,
    );
    expect(unknown.status).toBe(404);
  });

  test('calls to a registered chaincode appear in the timeline', async () => {
    const wallet = walletAt(2);
    const id = await sendGlo(product, wallet, chaincodeGlo(assets, 'AssetExists', ['any']));
    await succeeded([id]);
    const { body: records } = await product.call<{ action: string; targetObject: string }[]>(
      'GET',
      `/v1/timeline/resources/${wallet.walletId}`,
    );
    const mine = records.filter(({ targetObject }) => targetObject === id);
    expect(mine.map(({ action }) => action)).toEqual(['accept', 'sign', 'succeed']);
    const ledgers = (await product.call('GET', `/v1/timeline/resources/${ledgerId}`)).body;
    expect(ledgers).toContainEqual(expect.objectContaining({ action: 'create', resourceType: 'ledger' }));
  });
});

test('POST /v1/gateway/plugin-actions sends a chaincode call through the requested plugin', async () => {
  const [wallet, name] = [walletAt(0), 'npm:@ledger-ops/plugin-fabric'];
  const plugin = { name, projectId: jobProject, url: name, tags: [fabric], implementationVersion: '0.1.0' };
  const { id: pluginId } = await expectStatus(product, 201, '/v1/plugins', plugin);
  const accepted = await expectStatus(product, 201, '/v1/gateway/plugin-actions', {
    ...{ pluginId, wallet: wallet.walletId, walletId: wallet.walletId, ledger: fabric, ledgerId },
    pluginSecrets: { walletPassword: wallet.password },
    ...{ dependencies: [], intent: null, tag: null },
    glo: {
      type: 'contract_call',
      params: {
        ...{ contractInstance: assets, methodName: 'CreateAsset' },
        args: ['by-plugin', 'white', '1', wallet.walletId, '2'],
      },
    },
  });
  await succeeded([String(accepted.id)]);
  expect(JSON.parse(await client.evaluate('assets', 'AssetExists', 'by-plugin'))).toBe(true);
});

test('secrets of the ledger are never in responses, files and logs', async () => {
  const { registrar } = organizationAt(network).ca;
  const { body } = await product.call('GET', `/v1/ledgers/${ledgerId}`);
  expect(JSON.stringify(body)).not.toContain(registrar.enrollmentSecret);
  expect(JSON.stringify(body)).not.toContain('PRIVATE KEY');
  expect(body).toMatchObject({ ledgerTechnology: { ledgerTechnologyID: fabric } });
  const bytes = product.databaseBytes();
  expect(bytes.length).toBeGreaterThan(0);
  for (const secret of [registrar.enrollmentSecret, ...wallets.map(({ password }) => password)]) {
    expect(bytes.includes(secret)).toBe(false);
    expect(product.output.join('')).not.toContain(secret);
  }
});
