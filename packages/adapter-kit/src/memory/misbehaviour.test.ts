import type { AdapterProblem } from '@ledger-ops/adapter';
import { describe, expect, test } from 'vitest';
import { openSession, outcomesOf, recipient, setUp, sign, transfer } from '../../test/setting.ts';

const pendingOf = (txId: string, address: string) => ({ [txId]: { address, sequence: 0n } });

describe('scripted faults of a memory ledger', () => {
  test('acceptAndTimeout: submit() throws a timeout, but the transaction is mined', async () => {
    const { ledger, session, ...rest } = await setUp();
    const { main } = await sign({ ledger, session, ...rest }, transfer(1n), 0n);
    const script = ledger.script({ kind: 'acceptAndTimeout' });
    await expect(session.submit([main])).rejects.toMatchObject({ code: 'timeout', phase: 'submit' });
    ledger.mine();
    expect(ledger.executions({ txId: main.txId })).toBe(1);
    expect(script.fired).toBe(1);
    expect(await session.submit([main])).toMatchObject([{ status: 'known' }]);
  });

  test('answerTwice: responses and outcomes are returned twice, but the transaction is executed once', async () => {
    const setting = await setUp();
    const { main } = await sign(setting, transfer(1n), 0n);
    setting.ledger.script({ kind: 'answerTwice', times: 2 });
    expect(await setting.session.submit([main])).toHaveLength(2);
    setting.ledger.mine();
    const pending = pendingOf(main.txId, setting.address);
    expect(await outcomesOf(setting.session, pending)).toEqual(['succeeded', 'succeeded']);
    expect(await outcomesOf(setting.session, pending)).toEqual(['succeeded']);
    expect(setting.ledger.executions()).toBe(1);
  });

  test('rejectSubmits: refuses the given number of transactions, then accepts them', async () => {
    const setting = await setUp();
    const { main } = await sign(setting, transfer(1n), 0n);
    setting.ledger.script({ kind: 'rejectSubmits', times: 2 });
    for (const status of ['refused', 'refused', 'accepted']) {
      expect(await setting.session.submit([main])).toMatchObject([{ status }]);
    }
  });

  test('acceptButForget: the transaction is accepted, then dropped', async () => {
    const setting = await setUp();
    const { main } = await sign(setting, transfer(1n), 0n);
    setting.ledger.script({ kind: 'acceptButForget' });
    expect(await setting.session.submit([main])).toMatchObject([{ status: 'accepted' }]);
    setting.ledger.mine();
    expect(await setting.session.lookup(main.txId)).toBeNull();
    expect(await setting.session.submit([main])).toMatchObject([{ status: 'accepted' }]);
  });

  test('lieAboutFee: reports costs below the charged amount until cleared', async () => {
    const setting = await setUp();
    const script = setting.ledger.script({ kind: 'lieAboutFee', times: Number.POSITIVE_INFINITY });
    const { main } = await sign(setting, transfer(1n), 0n);
    expect(main.cost).toBe(1n + 105_000n);
    await setting.session.submit([main]);
    setting.ledger.mine();
    expect(setting.ledger.balanceOf(setting.address)).toBe(10n ** 18n - 1n - 210_000n);
    script.clear();
    expect((await sign(setting, transfer(1n), 1n)).main.cost).toBe(210_001n);
  });

  test('failEstimate: an estimate fails with the given problem, once', async () => {
    const { session, ledger, address } = await setUp();
    const problem: AdapterProblem = { code: 'reverted', phase: 'estimate', detail: 'Out of stock.' };
    ledger.script({ kind: 'failEstimate', problem });
    const wallet = { address };
    const { plan } = await session.check({ wallet, operation: transfer(1n) });
    const requests = [plan, plan].map((one) => ({ wallet, plan: one, minHeight: 0 }));
    expect(await session.estimate(requests)).toMatchObject([
      { status: 'failed', problem },
      { status: 'ready' },
    ]);
  });

  test('throwGarbage: only the named method throws a value that is not an AdapterError', async () => {
    const { session, ledger, address } = await setUp();
    ledger.script({ kind: 'throwGarbage', method: 'sequences' });
    await session.balances([address]);
    await expect(session.sequences([address])).rejects.toThrow(TypeError);
    expect(await session.sequences([address])).toEqual([0n]);
  });

  test('hang: a call to the named method returns only when the fault is cleared', async () => {
    const { session, ledger } = await setUp();
    const script = ledger.script({ kind: 'hang', method: 'chain' });
    const hanging = session.chain();
    await session.chain();
    script.clear();
    expect(await hanging).toEqual(ledger.identity);
  });

  test('lag: a lagging node returns an outdated nonce, but with `everyNode` the current one, or fails if a node is down', async () => {
    const setting = await setUp();
    const { session, ledger, address } = setting;
    await session.submit([(await sign(setting, transfer(1n), 0n)).main]);
    ledger.mine();
    ledger.script({ kind: 'lag', blocks: 1, method: 'sequences', times: Number.POSITIVE_INFINITY });
    expect(await session.sequences([address])).toEqual([0n]);
    expect(await session.sequences([address], { everyNode: true })).toEqual([1n]);
    ledger.unsure = 'node b is silent';
    await expect(session.sequences([address], { everyNode: true })).rejects.toMatchObject({
      ...{ code: 'unavailable', phase: 'check', message: 'node b is silent' },
    });
    expect(await session.sequences([address])).toEqual([0n]);
  });

  test('hang: close() ends a hanging call', async () => {
    const { session, ledger } = await setUp();
    ledger.script({ kind: 'hang', method: 'confirm' });
    const hanging = session.confirm({ cursor: null, pending: new Map() });
    await session.close();
    await expect(hanging).rejects.toMatchObject({ code: 'unavailable' });
    expect(ledger.sessions.size).toBe(0);
  });

  test('lag: an estimate that needs a newer block waits', async () => {
    const { session, ledger, address } = await setUp();
    ledger.mine(3);
    const wallet = { address };
    const { plan } = await session.check({ wallet, operation: transfer(1n) });
    const requests = [{ wallet, plan, minHeight: 3 }];
    ledger.script({ kind: 'lag', blocks: 1 });
    expect(await session.estimate(requests)).toMatchObject([{ status: 'wait' }]);
    expect(await session.estimate(requests)).toMatchObject([{ status: 'ready' }]);
  });

  test('while the ledger is down, calls that need it fail as unavailable, and other calls work', async () => {
    const setting = await setUp();
    const { session, ledger, address } = setting;
    const { plan } = await session.check({ wallet: { address }, operation: transfer(1n) });
    ledger.goDown();
    await expect(session.balances([address])).rejects.toMatchObject({ code: 'unavailable' });
    const request = { actionId: 'a', wallet: { address }, plan, sequence: 0n };
    expect(await session.prepare([request])).toMatchObject([{ status: 'prepared' }]);
    ledger.comeUp();
    expect(await session.balances([address])).toEqual([10n ** 18n]);
  });
});

describe('rules of a memory ledger', () => {
  test('rejects calls with wrong-chain if the ledger is on another chain than the configured chain', async () => {
    const { ledger } = await setUp();
    const session = await openSession(ledger, { chain_id: 5 });
    await expect(session.chain()).rejects.toMatchObject({ code: 'wrong-chain' });
  });

  test('opening a session with an invalid property fails with the pointer to the property', async () => {
    const { ledger } = await setUp();
    await expect(openSession(ledger, { confirmations: 'many' })).rejects.toMatchObject({
      code: 'invalid-argument',
      problem: { issues: [{ pointer: '/properties/confirmations' }] },
    });
  });

  test("an operation waits if the current fee exceeds the ledger's cap, but is refused if the user's fee exceeds it", async () => {
    const { ledger, address } = await setUp();
    const session = await openSession(ledger, { max_fee_cap: '1000' });
    const wallet = { address };
    const { plan, readiness } = await session.check({ wallet, operation: transfer(1n) });
    expect(readiness).toBe('estimate');
    expect(await session.estimate([{ wallet, plan, minHeight: 0 }])).toMatchObject([
      { status: 'wait', problem: { code: 'fee-above-cap' } },
    ]);
    ledger.gasPrice = 0n;
    expect(await session.estimate([{ wallet, plan, minHeight: 0 }])).toMatchObject([{ status: 'ready' }]);
    const operation = {
      ...transfer(1n),
      native: { technology: 'memory', content: { gasPrice: '7' } },
    };
    await expect(session.check({ wallet, operation })).rejects.toMatchObject({ code: 'fee-above-cap' });
  });

  test('refuses a transaction that the wallet cannot pay for, but keeps a pending one if the wallet later spends its funds', async () => {
    const setting = await setUp();
    const { session, ledger, signer, address } = setting;
    const all = 10n ** 18n - 210_000n;
    const tooMuch = await sign(setting, transfer(all + 1n), 0n);
    expect(await session.submit([tooMuch.main])).toMatchObject([
      { status: 'refused', problem: { code: 'insufficient-funds' } },
    ]);
    const { main } = await sign(setting, transfer(all), 1n);
    await session.submit([main]);
    ledger.outsideTransaction({ privateKey: signer.privateKey, recipient, amount: 5n });
    ledger.mine();
    expect(ledger.pool.map((waiting) => waiting.txId)).toEqual([main.txId]);
    ledger.fund(address, 210_005n);
    ledger.mine();
    expect(ledger.executions({ txId: main.txId })).toBe(1);
  });

  test('a transaction with too little gas is mined as failed and pays the fee', async () => {
    const setting = await setUp();
    const operation = { ...transfer(1n), native: { technology: 'memory', content: { gasLimit: '100' } } };
    const { main } = await sign(setting, operation, 0n);
    await setting.session.submit([main]);
    setting.ledger.mine();
    expect(await setting.session.lookup(main.txId)).toMatchObject({
      status: 'FAILED',
      problem: { code: 'out-of-gas' },
    });
    expect(setting.ledger.balanceOf(setting.address)).toBe(10n ** 18n - 1_000n);
  });

  test('transactions signed before a reset stay valid, as on a real chain with the same id', async () => {
    const setting = await setUp();
    const { main } = await sign(setting, transfer(1n), 0n);
    await setting.session.submit([main]);
    setting.ledger.mine();
    setting.ledger.reset();
    expect(setting.ledger.executions()).toBe(0);
    expect(await setting.session.submit([main])).toMatchObject([{ status: 'accepted' }]);
    expect(setting.ledger.submissions.map(({ status }) => status)).toEqual(['accepted', 'accepted']);
  });
});
