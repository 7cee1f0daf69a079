// Failures on Fabric over HTTP. Each has its own problem, and happens at one step.
import { X509Certificate } from 'node:crypto';
import {
  createRoot,
  type FabricNetwork,
  issueIdentity,
  sampleChaincodes,
  startFabricNetwork,
} from '@ledger-ops/devnet-fabric';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type FabricClient, openFabricClient } from './fabric-client.ts';
import {
  addFabricLedger,
  addFabricWallet,
  bodyOf,
  chaincodeGlo,
  expectStatus,
  type FabricWallet,
  organizationAt,
  sendGlo,
} from './fabric-ledger.ts';
import { type Answer, createProduct, type Product } from './product.ts';

const ledgerId = 'trade';
const assets = 'ledger/assets';
const product: Product = createProduct();
let network: FabricNetwork;
let client: FabricClient;
let wallet: FabricWallet;

beforeAll(async () => {
  [network] = await Promise.all([startFabricNetwork({ chaincodeTimeout: 5_000 }), product.start()]);
  const { assetTransfer, raw } = sampleChaincodes;
  await network.deployChaincode({ name: 'assets', contract: assetTransfer, perOrganization: true });
  await network.deployChaincode({ name: 'raw', contract: raw });
  client = await openFabricClient(network);
  await addFabricLedger(product, network, { ledgerId });
  await addFabricLedger(product, network, {
    ledgerId: 'patient',
    properties: { retry_conflicts: 10, commit_timeout: 2_000 },
  });
  wallet = await addFabricWallet(product, ledgerId);
}, 300_000);
afterEach(() => network.faults.clear());
afterAll(async () => {
  await product.stop();
  client?.close();
  await network?.stop();
});

const problem = (name: string) => `urn:ledger-ops:problem:${name}`;
const send = (glo: object) => product.call('POST', '/v1/ledger-ops/send', bodyOf(wallet, glo));
const ended = async (glo: object) => (await product.ended([await sendGlo(product, wallet, glo)]))[0];
const pointers = ({ body }: Answer) =>
  ((body.errors ?? []) as { pointer: string }[]).map(({ pointer }) => pointer);
const callOf = (method: string, ...args: string[]) => chaincodeGlo(assets, method, args);

describe('importing a certificate', () => {
  const root = () => {
    const { rootCertificate: certificate, rootPrivateKey: privateKey } = organizationAt(network);
    return { certificate, privateKey };
  };
  const importing = async (
    pair: { certificate: string; privateKey: string },
    more: Record<string, string> = {},
  ) =>
    await product.call('POST', '/v1/cloud-wallet/wallets', {
      ...{ walletId: 'refused', ledgerId },
      pluginParameters: { walletPassword: 'correct horse battery', ...pair, ...more },
    });

  test('an imported certificate of another member, or of no member, is refused', async () => {
    const own = await organizationAt(network).issueUser('mine');
    for (const mspId of ['Org2MSP', 'NobodyMSP']) {
      const { certificate, privateKey } = own;
      const { status, body } = await importing({ certificate, privateKey }, { mspId });
      expect([status, body.type]).toEqual([422, problem('certificate-invalid')]);
    }
  });

  test('an imported certificate of a foreign root with the same names is refused', async () => {
    const foreign = await createRoot({ commonName: 'ca.org1', organization: 'Org1MSP' });
    const { status, body } = await importing(await issueIdentity(foreign, { commonName: 'mallory' }));
    expect([status, body.type]).toEqual([422, problem('certificate-invalid')]);
    expect(body.detail).toContain('not issued by a root of Org1MSP');
  });

  test('an expired imported certificate is refused', async () => {
    const pair = await issueIdentity(root(), {
      ...{ commonName: 'late', organization: 'Org1MSP' },
      notBefore: new X509Certificate(root().certificate).validFromDate,
      notAfter: new Date(Date.now() - 1_000),
    });
    const { status, body } = await importing(pair);
    expect([status, body.type]).toEqual([422, problem('certificate-invalid')]);
  });

  test('an imported certificate for another key is refused, and so is text that is not a certificate', async () => {
    const [one, other] = await Promise.all(
      ['one', 'other'].map((name) => organizationAt(network).issueUser(name)),
    );
    const mixed = { certificate: one?.certificate ?? '', privateKey: other?.privateKey ?? '' };
    const refused = await importing(mixed);
    expect([refused.status, pointers(refused)]).toEqual([400, ['/pluginParameters/privateKey']]);
    const nothing = await importing({ certificate: 'nothing', privateKey: mixed.privateKey });
    expect([nothing.status, pointers(nothing)]).toEqual([400, ['/pluginParameters/certificate']]);
  });
});

describe('acceptance', () => {
  test.each([
    ['a channel', 'nowhere/assets'],
    ['a chaincode', 'ledger/nothing'],
  ])('a call to %s that does not exist gets 422 unknown-contract', async (_, address) => {
    const { status, body } = await send(chaincodeGlo(address, 'AssetExists', ['a']));
    expect([status, body.type]).toEqual([422, problem('unknown-contract')]);
  });

  test('an invalid chaincode address is refused with a pointer to the fault', async () => {
    const refused = await send(chaincodeGlo('assets', 'AssetExists', ['a']));
    expect([refused.status, pointers(refused)]).toEqual([400, ['/glo/options/contract_instance/resource']]);
  });

  test('transient data that is too long or not base64 is refused with pointers', async () => {
    const place = '/glo/meta/ledger/hyperledger-fabric/native_transaction_content/transient';
    const large = Buffer.alloc(5 * 2 ** 20 + 1).toString('base64');
    const over = await send(chaincodeGlo(assets, 'AppraiseAsset', ['a'], { transient: { large } }));
    expect([over.status, pointers(over)]).toEqual([400, [`${place}/large`]]);
    const wrong = await send(
      chaincodeGlo(assets, 'AppraiseAsset', ['a'], { transient: { a: 'no base64!' } }),
    );
    expect([wrong.status, pointers(wrong)]).toEqual([400, [`${place}/a`]]);
  });
});

describe('a named endorsing organization', () => {
  const named = (...endorsing_organizations: string[]) =>
    chaincodeGlo(assets, 'Trials:Put', ['named', 'v'], { endorsing_organizations });

  test('an endorsing organization that is not a channel member is refused, and the error lists the members', async () => {
    const refused = await send(named('Org1MSP', 'NobodyMSP'));
    const place = '/glo/meta/ledger/hyperledger-fabric/native_transaction_content/endorsing_organizations/1';
    expect([refused.status, pointers(refused)]).toEqual([400, [place]]);
    expect(refused.body.detail).toContain('Org1MSP, Org2MSP');
  });

  test('an action waits for an endorsing organization whose peer is down', async () => {
    const other = organizationAt(network, 1);
    await other.stop();
    try {
      const waiting = [
        { glo: callOf('Trials:Put', 'waited', 'for'), words: 'no peer combination can satisfy' },
        { glo: named('Org1MSP', 'Org2MSP'), words: 'endorsing peers for org(s): Org2MSP' },
      ];
      const ids = await Promise.all(waiting.map(({ glo }) => sendGlo(product, wallet, glo)));
      await vi.waitFor(async () => {
        const actions = new Map((await product.actions(ids)).map((one) => [one.actionId, one]));
        for (const [at, { words }] of waiting.entries()) {
          expect(actions.get(ids[at] ?? '')).toMatchObject({
            ...{ status: 'PENDING', locator: null },
            pending: { stage: 'ready', detail: expect.stringContaining(words) },
          });
        }
      }, 30_000);
      await other.start();
      expect(await product.ended(ids)).toMatchObject([{ status: 'SUCCEEDED' }, { status: 'SUCCEEDED' }]);
      expect(await client.evaluate('assets', 'Trials:Get', 'waited')).toBe('for');
    } finally {
      if (!other.running()) await other.start();
    }
  }, 300_000);
});

describe('faults during endorsement, after which nothing is sent and the action is FAILED', () => {
  test('a function that the chaincode lacks fails the action', async () => {
    expect(await ended(callOf('NoSuchFunction'))).toMatchObject({
      ...{ status: 'FAILED', locator: null },
      problem: { type: problem('unknown-method') },
    });
  });

  test('the problem of an action refused by the chaincode contains its message and each endorser’s response', async () => {
    const end = await ended(callOf('Trials:Fail', 'the reason of it'));
    expect(end).toMatchObject({
      status: 'FAILED',
      problem: {
        type: problem('reverted'),
        detail: expect.stringContaining('the reason of it'),
        data: { endorsers: [expect.objectContaining({ mspId: expect.stringContaining('MSP') })] },
      },
    });
  });

  test('differing endorsements fail the action', async () => {
    expect(await ended(callOf('Trials:Mismatch', 'key'))).toMatchObject({
      status: 'FAILED',
      problem: { type: problem('endorsement-failed'), data: { failure: 'mismatch' } },
    });
  });

  test('a hanging chaincode fails the action', async () => {
    expect(await ended(callOf('Trials:Hang'))).toMatchObject({
      status: 'FAILED',
      problem: { type: problem('endorsement-failed'), data: { failure: 'chaincode-broke' } },
    });
  });

  test('a chaincode crash fails the action, and the next call succeeds after the chaincode has restarted', async () => {
    expect(await ended(callOf('Trials:Panic'))).toMatchObject({
      status: 'FAILED',
      problem: { type: problem('endorsement-failed') },
    });
    expect(await ended(callOf('Trials:Put', 'after', 'panic'))).toMatchObject({ status: 'SUCCEEDED' });
    expect(await client.evaluate('assets', 'Trials:Get', 'after')).toBe('panic');
  }, 300_000);
});

describe('in a block', () => {
  test('an action with too few endorsements fails when its invalid transaction is in a block', async () => {
    const glo = chaincodeGlo(assets, 'Trials:Put', ['few', 'v'], { endorsing_organizations: ['Org1MSP'] });
    expect(await ended(glo)).toMatchObject({
      ...{ status: 'FAILED', locator: expect.stringMatching(/^[0-9a-f]{64}$/) },
      problem: {
        type: problem('invalidated'),
        data: { validationCode: 'ENDORSEMENT_POLICY_FAILURE' },
      },
    });
    expect(await client.evaluate('assets', 'Trials:Get', 'few')).toBe('');
  });

  const countOften = (sender: FabricWallet, key: string) =>
    Promise.all(
      Array.from({ length: 6 }, () => sendGlo(product, sender, chaincodeGlo(assets, 'Trials:Count', [key]))),
    );

  test('by default, a read conflict fails the action, and the chaincode’s counter equals the number of succeeded actions', async () => {
    // All calls are endorsed before one is in a block, so endorsers do not read different heights.
    network.faults.blocksHeld = true;
    const ids = await countOften(wallet, 'contested');
    await vi.waitFor(async () => {
      for (const one of await product.actions(ids))
        expect(one).toMatchObject({ pending: { stage: 'signed' } });
    }, 30_000);
    network.faults.blocksHeld = false;
    const ends = await product.ended(ids);
    const failed = ends.filter(({ status }) => status === 'FAILED');
    for (const end of failed)
      expect(end).toMatchObject({
        problem: { type: problem('invalidated'), data: { validationCode: 'MVCC_READ_CONFLICT' } },
      });
    expect(failed.length).toBeGreaterThan(0);
    expect(await client.evaluate('assets', 'Trials:Get', 'contested')).toBe(String(6 - failed.length));
  }, 300_000);

  test('calls with read conflicts are proposed again if the ledger’s properties allow it, and each counts once', async () => {
    const ends = await product.ended(await countOften(await addFabricWallet(product, 'patient'), 'shared'));
    expect(ends.map(({ status }) => status)).toEqual(ends.map(() => 'SUCCEEDED'));
    expect(await client.evaluate('assets', 'Trials:Get', 'shared')).toBe('6');
  }, 300_000);

  test.each([
    ['a conflict that would be proposed again', 11, 'MVCC_READ_CONFLICT'],
    ['a failure', 10, 'ENDORSEMENT_POLICY_FAILURE'],
  ])(
    'an action whose valid transaction one peer reports as %s stays pending until the peers agree, and is executed once',
    async (_, code, name) => {
      const sender = await addFabricWallet(product, 'patient');
      network.faults.lies = { mspId: organizationAt(network).mspId, code };
      const id = await sendGlo(product, sender, chaincodeGlo(assets, 'Trials:Count', [name]));
      await vi.waitFor(async () => {
        const [action] = await product.actions([id]);
        const told = new RegExp(
          `peers disagree: .*Org1MSP.* shows it as ${name}.*Org2MSP.* shows it as VALID`,
        );
        expect(action).toMatchObject({ status: 'PENDING', pending: { detail: expect.stringMatching(told) } });
      }, 30_000);
      expect(await client.evaluate('assets', 'Trials:Get', name)).toBe('1');
      network.faults.clear();
      expect(await product.ended([id])).toMatchObject([{ status: 'SUCCEEDED' }]);
      expect(await client.evaluate('assets', 'Trials:Get', name)).toBe('1');
    },
    300_000,
  );

  test('a duplicate transaction does not determine the outcome', async () => {
    network.faults.repeatTransactions = true;
    expect(await ended(callOf('Trials:Count', 'repeated'))).toMatchObject({ status: 'SUCCEEDED' });
    expect(await client.evaluate('assets', 'Trials:Get', 'repeated')).toBe('1');
  });
});

test('results that are not text are returned as base64', async () => {
  const base64 = Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x28]).toString('base64');
  const glo = chaincodeGlo('ledger/raw', 'bytes', []);
  const emulated = await expectStatus(product, 200, '/v1/ledger-ops/emulate', { ledgerId, glo });
  expect(emulated.result).toEqual({ base64 });
  expect(await ended(glo)).toMatchObject({ status: 'SUCCEEDED', details: { result: { base64 } } });
});

test('transient data reaches the chaincode, and is never in files or logs, even temporarily', async () => {
  await ended(callOf('CreateAsset', 'sealed', 'blue', '1', 'me', '1'));
  const secret = 'a price that nobody else may learn';
  const transient = { appraisal: Buffer.from(secret).toString('base64') };
  network.faults.blocksHeld = true;
  const appraise = chaincodeGlo(assets, 'AppraiseAsset', ['sealed'], { transient });
  const id = await sendGlo(product, wallet, appraise);
  await vi.waitFor(async () => {
    const [action] = await product.actions([id]);
    expect(action).toMatchObject({ status: 'PENDING', pending: { stage: 'signed' } });
  }, 30_000);
  const nowhere = () => {
    const [files, logs] = [product.databaseBytes(), product.output.join('')];
    expect(files.length).toBeGreaterThan(0);
    for (const form of [secret, transient.appraisal, Buffer.from(secret).toString('hex')]) {
      expect(files.includes(form)).toBe(false);
      expect(logs).not.toContain(form);
    }
  };
  nowhere();
  network.faults.blocksHeld = false;
  const [end] = await product.ended([id]);
  expect(end).toMatchObject({ status: 'SUCCEEDED' });
  const verify = chaincodeGlo(assets, 'VerifyAppraisal', ['sealed'], { transient });
  const body = { ledgerId, glo: verify };
  const { result } = await expectStatus(product, 200, '/v1/ledger-ops/emulate', body);
  expect(String(result)).toBe('true');
  nowhere();
}, 300_000);
