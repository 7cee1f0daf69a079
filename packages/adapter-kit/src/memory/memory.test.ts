import type { ResolvedOperation } from '@ledger-ops/adapter';
import { describe, expect, test } from 'vitest';
import { native, outcomesOf, recipient, setUp, sign, transfer } from '../../test/setting.ts';
import { createTestSigner } from '../conformance/test-signer.ts';
import { keyValueContract } from './index.ts';

describe('sequences', () => {
  test('the ledger keeps a transaction after a sequence gap in its mempool until the gap is filled, then mines both', async () => {
    const setting = await setUp();
    const first = await sign(setting, transfer(1n), 0n);
    const second = await sign(setting, transfer(2n), 1n);
    await setting.session.submit([second.main]);
    setting.ledger.mine();
    expect(setting.ledger.executions()).toBe(0);
    await setting.session.submit([first.main]);
    setting.ledger.mine();
    expect(setting.ledger.transactions.map((one) => one.transaction.value)).toEqual([1n, 2n]);
    expect(setting.ledger.balanceOf(recipient)).toBe(3n);
  });

  test('refuses a used sequence, and requires a replacement to pay 10% more', async () => {
    const setting = await setUp({}, { presigned_replacements: true });
    const { main, attempts } = await sign(setting, transfer(1n), 0n);
    const other = await sign(setting, transfer(2n), 0n);
    await setting.session.submit([main]);
    expect(await setting.session.submit([other.main])).toMatchObject([{ status: 'refused' }]);
    expect(attempts.map((attempt) => attempt.kind)).toEqual(['main', 'bump', 'bump', 'noop']);
    for (const attempt of attempts.slice(1)) {
      expect(await setting.session.submit([attempt])).toMatchObject([{ status: 'accepted' }]);
    }
    setting.ledger.mine();
    expect(setting.ledger.transactions).toHaveLength(1);
    expect(setting.ledger.transactions[0]?.transaction.txId).toBe(attempts.at(-1)?.txId);
    expect(await setting.session.submit([other.main])).toMatchObject([{ status: 'refused' }]);
    expect(setting.ledger.balanceOf(recipient)).toBe(0n);
  });

  test('after a price rise, keeps a transaction in the pool and mines its fee bump', async () => {
    const setting = await setUp({}, { presigned_replacements: true });
    const { main, attempts } = await sign(setting, transfer(1n), 0n);
    await setting.session.submit([main]);
    setting.ledger.gasPrice = 12n;
    setting.ledger.mine();
    expect(setting.ledger.executions()).toBe(0);
    await setting.session.submit(attempts.slice(1, 2));
    setting.ledger.mine();
    expect(setting.ledger.executions({ value: 1n, to: recipient })).toBe(1);
  });
});

describe('signatures', () => {
  test('refuses a wrong key, a changed amount and a changed signature', async () => {
    const setting = await setUp();
    const stranger = { ...setting, signer: createTestSigner('secp256k1') };
    const { main: foreign } = await sign(stranger, transfer(5n), 0n);
    const { main } = await sign(setting, transfer(5n), 0n);
    const text = new TextDecoder().decode(main.bytes);
    const changed = new TextEncoder().encode(text.replace('"value":"5"', '"value":"6"'));
    const flipped = new TextEncoder().encode(
      text.replace(/0x([0-9a-f])(?=[0-9a-f]{129}"\])/, (_, digit: string) => `0x${digit === '1' ? 2 : 1}`),
    );
    for (const bytes of [foreign.bytes, changed, flipped, main.bytes.subarray(1), new Uint8Array()]) {
      expect(await setting.session.submit([{ txId: main.txId, bytes }])).toMatchObject([
        { status: 'refused', problem: { code: 'refused' } },
      ]);
    }
    setting.ledger.mine();
    expect(setting.ledger.executions()).toBe(0);
    expect(setting.ledger.submissions.filter(({ status }) => status === 'refused')).toHaveLength(5);
  });

  test('requests and verifies two signatures on a ledger with two signing rounds', async () => {
    const setting = await setUp({ signingRounds: 2 });
    const { main } = await sign(setting, transfer(5n), 0n);
    expect(await setting.session.submit([main])).toMatchObject([{ status: 'accepted' }]);
    setting.ledger.mine();
    expect(setting.ledger.balanceOf(recipient)).toBe(5n);
  });
});

describe('finality', () => {
  test('returns an outcome at the configured depth, but not earlier', async () => {
    const setting = await setUp({}, { confirmations: 3 });
    const { main } = await sign(setting, transfer(5n), 0n);
    await setting.session.submit([main]);
    const pending = { [main.txId]: { address: setting.address, sequence: 0n } };
    for (const expected of [[], [], ['succeeded'], ['succeeded']]) {
      setting.ledger.mine();
      expect(await outcomesOf(setting.session, pending)).toEqual(expected);
    }
  });

  test('a reorg drops blocks that were not final, and their transactions return to the pool or vanish', async () => {
    const setting = await setUp({}, { confirmations: 2 });
    const { main } = await sign(setting, transfer(5n), 0n);
    await setting.session.submit([main]);
    const before = setting.ledger.mine();
    setting.ledger.reorganise(1);
    expect(setting.ledger.balanceOf(recipient)).toBe(0n);
    expect(setting.ledger.nonceOf(setting.address)).toBe(0n);
    expect(setting.ledger.mine().hash).not.toBe(before.hash);
    expect(setting.ledger.executions()).toBe(1);
    setting.ledger.reorganise(1, 'vanish');
    setting.ledger.mine();
    expect(setting.ledger.executions()).toBe(0);
    expect(setting.ledger.balanceOf(setting.address)).toBe(10n ** 18n);
  });

  test("reports that a cursor's block was removed, but not if a lagging node does not have the block yet", async () => {
    const setting = await setUp();
    setting.ledger.mine(3);
    const pending = new Map();
    const { cursor } = await setting.session.confirm({ cursor: null, pending });
    setting.ledger.script({ kind: 'lag', blocks: 2 });
    expect(await setting.session.confirm({ cursor, pending })).toMatchObject({ cursor, reorganised: false });
    setting.ledger.reorganise(2);
    expect(await setting.session.confirm({ cursor, pending })).toMatchObject({
      reorganised: true,
      cursor: { height: 1 },
    });
  });

  test('at confirmation depth, an external transaction supersedes the pending transaction with the same sequence', async () => {
    const setting = await setUp({}, { confirmations: 2 });
    const { main } = await sign(setting, transfer(5n), 0n);
    setting.ledger.outsideTransaction({ privateKey: setting.signer.privateKey });
    setting.ledger.mine();
    const pending = { [main.txId]: { address: setting.address, sequence: 0n } };
    expect(await outcomesOf(setting.session, pending)).toEqual([]);
    setting.ledger.mine();
    expect(await outcomesOf(setting.session, pending)).toEqual(['superseded']);
  });

  test('a reset changes the genesis, keeps funded balances and invalidates old cursors', async () => {
    const setting = await setUp();
    const old = await setting.session.chain();
    setting.ledger.mine(2);
    const { cursor } = await setting.session.confirm({ cursor: null, pending: new Map() });
    setting.ledger.reset();
    const chain = await setting.session.chain();
    expect(chain.id).toBe(old.id);
    expect(chain.genesis).not.toBe(old.genesis);
    expect(setting.ledger.balanceOf(setting.address)).toBe(10n ** 18n);
    expect(await setting.session.confirm({ cursor, pending: new Map() })).toMatchObject({
      reorganised: true,
    });
  });
});

describe('contracts', () => {
  test('deploys, calls and reads a contract, and reports the reason of a revert', async () => {
    const setting = await setUp();
    const { session, ledger, address } = setting;
    const deploy: ResolvedOperation = {
      type: 'contract_deploy',
      source: keyValueContract,
      args: [],
      value: 0n,
      native,
    };
    const { main } = await sign(setting, deploy, 0n);
    await session.submit([main]);
    ledger.mine();
    const contract = (await session.lookup(main.txId))?.contractAddress ?? '';
    const call = (name: string, args: string[]): ResolvedOperation => ({
      type: 'contract_call',
      contract: { address: contract, interface: keyValueContract.interface },
      method: { name, args },
      value: 0n,
      native,
    });
    const set = await sign(setting, call('set', ['a', 'b']), 1n);
    await session.submit([set.main]);
    ledger.mine();
    expect(await session.emulate({ operation: call('get', ['a']) })).toMatchObject({ result: 'b' });
    expect(ledger.executions({ data: 'set(string,string)' })).toBe(1);
    await expect(sign(setting, call('fail', ['no more']), 2n)).rejects.toThrow('no more');
    await expect(session.check({ wallet: { address }, operation: call('put', ['a', '1']) })).rejects.toThrow(
      'put(string,uint)',
    );
    await expect(
      session.check({ wallet: { address }, operation: call('put(string,uint)', ['a', 'one']) }),
    ).rejects.toMatchObject({ problem: { issues: [{ pointer: '/args/1' }] } });
  });
});

describe('automatic mining', () => {
  test('mines transactions submitted together into the same block, without timers', async () => {
    const setting = await setUp({ autoMine: true });
    const first = await sign(setting, transfer(1n), 0n);
    const second = await sign(setting, transfer(2n), 1n);
    const { promise, resolve } = Promise.withResolvers<void>();
    setting.session.onHead(() => resolve());
    await setting.session.submit([first.main, second.main]);
    await promise;
    expect(setting.ledger.head.height).toBe(1);
    expect(setting.ledger.transactions).toHaveLength(2);
  });
});
