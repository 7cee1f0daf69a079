import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRoot, issueIdentity } from '../../src/ca/issue.ts';
import { connectChaincode } from '../../src/chaincode/connect.ts';
import { sampleChaincodes } from '../../src/chaincode/samples.ts';
import { type RunningChaincode, startChaincode } from '../../src/chaincode/start.ts';
import type { ChaincodeConnection, ChaincodeResponse } from '../../src/chaincode/types.ts';
import { type Caller, createTestLedger, type TestLedger } from './test-ledger.ts';

const root = await createRoot({ commonName: 'ca.org1', organization: 'org1' });
const person = async (commonName: string): Promise<Caller> => ({
  mspId: 'Org1MSP',
  certificate: (await issueIdentity(root, { commonName })).certificate,
});
const alice = await person('alice');
const bob = await person('bob');

const text = (response: ChaincodeResponse) => Buffer.from(response.payload).toString();
const json = (response: ChaincodeResponse): unknown => JSON.parse(text(response));

let started: RunningChaincode[];
let connections: ChaincodeConnection[];
let ledger: TestLedger;
/** A ledger whose executions time out after one second. */
let impatient: TestLedger;

beforeAll(async () => {
  started = await Promise.all([
    startChaincode({ packageId: 'asset_1:aa', contract: sampleChaincodes.assetTransfer, restart: true }),
    startChaincode({ packageId: 'token_1:bb', contract: sampleChaincodes.token }),
    startChaincode({ packageId: 'raw_1:cc', contract: sampleChaincodes.raw, restart: true }),
  ]);
  connections = [];
  const connect = (index: number, timeoutMs: number) => {
    const { address = '', packageId = '' } = started[index] ?? {};
    const connection = connectChaincode({ name: packageId, address, packageId, timeoutMs });
    connections.push(connection);
    return connection;
  };
  ledger = createTestLedger(
    { asset: connect(0, 30_000), token: connect(1, 30_000), raw: connect(2, 30_000) },
    alice,
  );
  impatient = createTestLedger({ asset: connect(0, 1_000), raw: connect(2, 1_000) }, alice);
});

afterAll(async () => {
  await Promise.all(connections.map((one) => one.close()));
  await Promise.all(started.map((one) => one.stop()));
});

/** Waits until the restarted chaincode responds. */
async function back(chaincode: string, input: string[]): Promise<ChaincodeResponse> {
  return await expect
    .poll(() => ledger.evaluate(chaincode, input).catch(() => undefined), { timeout: 30_000 })
    .toBeDefined()
    .then(() => ledger.evaluate(chaincode, input));
}

describe('a contract based on fabric-contract-api', () => {
  it('a contract creates, reads, updates and deletes assets', async () => {
    const created = await ledger.submit('asset', ['CreateAsset', 'a1', 'blue', '5', 'alice', '300']);
    expect(created).toMatchObject({ status: 200, message: '' });
    const asset = { ID: 'a1', Color: 'blue', Size: 5, Owner: 'alice', AppraisedValue: 300 };
    expect(json(created)).toEqual(asset);
    expect(json(await ledger.evaluate('asset', ['ReadAsset', 'a1']))).toEqual(asset);
    await ledger.submit('asset', ['UpdateAsset', 'a1', 'red', '6', 'alice', '400']);
    expect(json(await ledger.evaluate('asset', ['ReadAsset', 'a1']))).toMatchObject({
      Color: 'red',
      Size: 6,
    });
    await ledger.submit('asset', ['DeleteAsset', 'a1']);
    expect(text(await ledger.evaluate('asset', ['AssetExists', 'a1']))).toBe('false');
  });

  it('a failed call returns the error message unchanged and writes nothing', async () => {
    expect(await ledger.submit('asset', ['ReadAsset', 'none'])).toMatchObject({
      status: 500,
      message: 'The asset none does not exist',
    });
    expect(await ledger.submit('asset', ['Trials:Fail', 'no, ünd nö'])).toMatchObject({
      status: 500,
      message: 'no, ünd nö',
    });
    expect((await ledger.submit('asset', ['Nothing'])).message).toContain('Nothing');
    expect((await ledger.submit('asset', ['ReadAsset'])).message).toBe(
      'Expected 1 parameters, but 0 have been supplied',
    );
  });

  it('a contract returns an event with the result', async () => {
    await ledger.submit('asset', ['CreateAsset', 'e1', 'blue', '5', 'alice', '300']);
    const moved = await ledger.submit('asset', ['TransferAsset', 'e1', 'bob']);
    expect(text(moved)).toBe('alice');
    expect(moved.event?.name).toBe('AssetTransferred');
    expect(JSON.parse(Buffer.from(moved.event?.payload ?? []).toString())).toEqual({
      ...{ ID: 'e1', from: 'alice', to: 'bob' },
    });
  });

  it('a contract reads ranges that span several messages, with and without pages', async () => {
    const ids = Array.from({ length: 230 }, (_, index) => `r${String(index).padStart(3, '0')}`);
    await Promise.all(ids.map((id) => ledger.submit('asset', ['CreateAsset', id, 'x', '1', 'alice', '1'])));
    const all = json(await ledger.evaluate('asset', ['GetAllAssets']));
    const found = Array.isArray(all) ? all.map((one: { ID: string }) => one.ID) : [];
    expect(found.filter((id) => id.startsWith('r'))).toEqual(ids);

    const read: string[] = [];
    let bookmark = '';
    let pages = 0;
    do {
      const page = json(await ledger.evaluate('asset', ['GetAssetsPage', '100', bookmark])) as {
        assets: { ID: string }[];
        bookmark: string;
      };
      read.push(...page.assets.map((one) => one.ID));
      bookmark = page.bookmark;
      pages++;
    } while (bookmark !== '');
    expect(pages).toBe(3);
    expect(read).toEqual(found);
  });

  it('a contract reads the history of a key, with timestamps', async () => {
    await ledger.submit('asset', ['CreateAsset', 'h1', 'blue', '5', 'alice', '1'], { txId: 'first' });
    await ledger.submit('asset', ['TransferAsset', 'h1', 'bob'], { txId: 'second' });
    await ledger.submit('asset', ['DeleteAsset', 'h1'], { txId: 'third' });
    expect(json(await ledger.evaluate('asset', ['GetAssetHistory', 'h1']))).toMatchObject([
      { txId: 'third', deleted: true },
      { txId: 'second', deleted: false, asset: { Owner: 'bob' } },
      { txId: 'first', deleted: false, asset: { Owner: 'alice' }, time: expect.stringMatching(/^1970-/) },
    ]);
  });

  it('chaincode can read transient data and the identity of the caller', async () => {
    await ledger.submit('asset', ['CreateAsset', 't1', 'blue', '5', 'alice', '1']);
    const transient = { appraisal: '1000' };
    const hash = await ledger.submit('asset', ['AppraiseAsset', 't1'], { transient });
    expect(text(hash)).toBe('40510175845988f13f6162ed8526f0b09f73384467fa855e1e79b44a56562a58');
    expect(text(await ledger.evaluate('asset', ['VerifyAppraisal', 't1'], { transient }))).toBe('true');
    const sealed = await ledger.submit('asset', ['Trials:Seal', 'seal'], { transient });
    expect(text(sealed)).toBe('42794fa4825d4e80777f44da80814818e0effc4e5787f47e7aad91e34f0b63f2');
    expect(text(await ledger.evaluate('asset', ['Trials:Get', 'seal']))).toBe(text(sealed));
    expect((await ledger.submit('asset', ['Trials:Seal', 'seal'])).message).toContain('no transient entries');
    expect((await ledger.submit('asset', ['AppraiseAsset', 't1'])).message).toContain(
      '"appraisal" is missing',
    );
    expect(json(await ledger.evaluate('asset', ['WhoAmI'], { caller: bob }))).toEqual({
      ...{ mspId: 'Org1MSP', id: 'x509::/OU=client/CN=bob::/O=org1/CN=ca.org1' },
    });
  });

  it('the metadata of a contract describes its functions and types', async () => {
    const metadata = json(await ledger.evaluate('asset', ['org.hyperledger.fabric:GetMetadata']));
    expect(metadata).toMatchObject({
      info: { title: 'Asset transfer' },
      contracts: {
        AssetTransfer: {
          contractInstance: { default: true },
          transactions: expect.arrayContaining([
            expect.objectContaining({
              name: 'TransferAsset',
              parameters: [
                { name: 'id', schema: { type: 'string' } },
                { name: 'newOwner', schema: { type: 'string' } },
              ],
            }),
          ]),
        },
        Trials: {},
      },
      components: { schemas: { Asset: { required: expect.arrayContaining(['Owner']) } } },
    });
  });

  it('a contract calls another chaincode in the same transaction', async () => {
    await ledger.submit('raw', ['put', 'k', 'v']);
    const got = await ledger.submit('asset', ['Trials:Call', 'raw', '', '["get","k"]']);
    expect({ ...got, payload: text(got) }).toMatchObject({ status: 200, message: '', payload: 'v' });
    await ledger.submit('asset', ['Trials:Call', 'raw', 'channel1', '["put","k","w"]']);
    expect(text(await ledger.evaluate('raw', ['get', 'k']))).toBe('w');
    expect((await ledger.submit('asset', ['Trials:Call', 'raw', '', '["nothing"]'])).message).toBe(
      'raw answered 500: Unknown function nothing',
    );
    expect((await ledger.submit('asset', ['Trials:Call', 'nobody', '', '["x"]'])).message).toMatch(
      /^INVOKE_CHAINCODE failed: transaction ID: tx\d+: execute failed: chaincode nobody not found$/,
    );
    expect((await ledger.submit('asset', ['Trials:Call', 'raw', 'channel2', '["x"]'])).message).toMatch(
      /^INVOKE_CHAINCODE failed: transaction ID: tx\d+: Failed to get policy manager for channel \[channel2\]$/,
    );
    expect((await ledger.submit('asset', ['Trials:Call', 'asset', '', '["WhoAmI"]'])).message).toMatch(
      /^INVOKE_CHAINCODE failed: transaction ID: (tx\d+): execute failed: error sending: txid: \1\(channel1\) exists$/,
    );
  });

  it('a contract gets an explanatory error for unsupported features', async () => {
    expect((await ledger.evaluate('asset', ['Trials:RichQuery', '{}'])).message).toContain(
      'need a peer with CouchDB',
    );
    expect((await ledger.evaluate('asset', ['Trials:PrivateData', 'c', 'k'])).message).toContain(
      'collection channel1/asset/c could not be found: this development network has no private data collections',
    );
  });

  it('a contract executes many concurrent transactions', async () => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        ledger.submit('asset', ['Trials:Put', `n${index}`, `${index}`]),
      ),
    );
    expect(answers.every((one) => one.status === 200)).toBe(true);
    const read = Array.from({ length: 200 }, (_, index) =>
      ledger.evaluate('asset', ['Trials:Get', `n${index}`]),
    );
    expect((await Promise.all(read)).map(text)).toEqual(
      Array.from({ length: 200 }, (_, index) => `${index}`),
    );
  });

  it('a hanging transaction times out, and other transactions continue', async () => {
    const hung = impatient.submit('asset', ['Trials:Hang'], { txId: 'hung' });
    await expect(hung).rejects.toMatchObject({
      reason: 'timeout',
      message:
        'failed to execute transaction hung: error sending: timeout expired while executing transaction',
    });
    await ledger.submit('asset', ['Trials:Put', 'after', 'x']);
    expect(text(await ledger.evaluate('asset', ['Trials:Get', 'after']))).toBe('x');
  });

  it('calls fail when the chaincode process ends, and succeed after its restart', async () => {
    const both = await Promise.allSettled([
      ledger.submit('asset', ['Trials:Wait', '60000'], { txId: 'waiting' }),
      ledger.submit('asset', ['Trials:Panic'], { txId: 'panic' }),
    ]);
    expect(both).toMatchObject(
      ['waiting', 'panic'].map((id) => ({
        status: 'rejected',
        reason: {
          reason: 'ended',
          message: `failed to execute transaction ${id}: error sending: chaincode stream terminated`,
        },
      })),
    );
    expect((await back('asset', ['WhoAmI'])).status).toBe(200);
  });
});

describe('a chaincode based on fabric-shim only', () => {
  it('a chaincode stores and returns bytes that are not UTF-8', async () => {
    const bytes = Uint8Array.of(0xff, 0xfe, 0x00, 0xc3, 0x28);
    expect(Uint8Array.from((await ledger.evaluate('raw', ['bytes'])).payload)).toEqual(bytes);
    await ledger.submit('raw', ['put', 'bytes', bytes]);
    expect(Uint8Array.from((await ledger.evaluate('raw', ['get', 'bytes'])).payload)).toEqual(bytes);
  });

  it('a chaincode can return any status, such as 201 or 404', async () => {
    expect(await ledger.submit('raw', ['status', '201', 'made'])).toMatchObject({
      status: 201,
      message: 'made',
    });
    expect(await ledger.submit('raw', ['status', '404', 'none'])).toMatchObject({
      status: 404,
      message: 'none',
    });
  });

  it('a chaincode is initialized by a call with isInit', async () => {
    expect((await ledger.submit('raw', [], { isInit: true })).status).toBe(200);
  });

  it('an uncaught error, which fabric-shim only logs, causes a timeout', async () => {
    await expect(impatient.submit('raw', ['throw'])).rejects.toMatchObject({ reason: 'timeout' });
    await expect(ledger.submit('raw', ['panic'])).rejects.toMatchObject({ reason: 'ended' });
    expect((await back('raw', ['bytes'])).status).toBe(200);
  });
});

describe('the token', () => {
  it('the account that initialized the token can mint it, and accounts can transfer it', async () => {
    expect((await ledger.submit('token', ['TotalSupply'])).message).toContain('not initialized');
    await ledger.submit('token', ['Initialize', 'Gold', 'GLD', '2']);
    expect((await ledger.submit('token', ['Initialize', 'Gold', 'GLD', '2'])).message).toContain('already');
    expect(text(await ledger.submit('token', ['Mint', '1000']))).toBe('1000');
    expect((await ledger.submit('token', ['Mint', '1'], { caller: bob })).message).toContain(
      'Only Org1MSP/alice',
    );

    const sent = await ledger.submit('token', ['Transfer', 'Org1MSP/bob', '250']);
    expect(text(sent)).toBe('true');
    expect(sent.event?.name).toBe('Transfer');
    expect(Buffer.from(sent.event?.payload ?? []).toString()).toBe(
      '{"from":"Org1MSP/alice","to":"Org1MSP/bob","value":"250"}',
    );
    expect(text(await ledger.evaluate('token', ['BalanceOf', 'Org1MSP/bob']))).toBe('250');
    expect(text(await ledger.evaluate('token', ['ClientAccountBalance']))).toBe('750');
    expect(text(await ledger.evaluate('token', ['ClientAccountID'], { caller: bob }))).toBe('Org1MSP/bob');
    expect(text(await ledger.evaluate('token', ['TotalSupply']))).toBe('1000');
  });

  it('a transfer with an invalid amount, an invalid account or insufficient balance is rejected', async () => {
    for (const [recipient, amount, why] of [
      ['Org1MSP/bob', '0', 'not an amount'],
      ['Org1MSP/bob', '-1', 'not an amount'],
      ['Org1MSP/bob', '1.5', 'not an amount'],
      ['bob', '1', 'not an account'],
      ['Org1MSP/alice', '1', 'same account'],
      ['Org1MSP/bob', '9999999', 'less than'],
    ] as const)
      expect((await ledger.submit('token', ['Transfer', recipient, amount])).message).toContain(why);
  });
});
