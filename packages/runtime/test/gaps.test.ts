import { describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { type EngineHarness, startEngine, stopEngines, transfer } from './engine-harness.ts';
import {
  clock,
  emptyTransactions,
  fillersOf,
  loseNonce,
  passUntil,
  waitAboveReleasedNonce,
} from './lost-nonce.ts';

const patience = { timeout: 30_000 };

/** Waits until the engine has detected the reorg. */
async function noticed({ log }: EngineHarness): Promise<void> {
  await vi.waitFor(
    () => expect(log.filter((line) => line.includes('chain.reorganised'))).toHaveLength(1),
    patience,
  );
}

describeStores('a nonce that a reorg releases', (open) => {
  afterEach(stopEngines);

  test('if a later action waits for an unused nonce and no new action arrives, an empty transaction uses the nonce', async () => {
    const time = clock();
    const harness = await startEngine({ store: await open(), now: time.now });
    const { ledger, store } = harness;
    const [from, to] = [await harness.wallet(), await harness.wallet(0n)];
    const waiting = await waitAboveReleasedNonce(harness, from, to);
    await passUntil(time, () => emptyTransactions(ledger).length > 0);
    const why = () => harness.engine.signed(waiting).reasons.join();
    await passUntil(time, () =>
      /expects nonce 0 .* an empty transaction with that nonce is being sent/.test(why()),
    );
    ledger.mine(4);
    const [end] = await harness.ended([waiting]);
    expect(end).toMatchObject({ status: 'SUCCEEDED', problem: null });
    expect(ledger.balanceOf(to.address)).toBe(1n);
    expect(ledger.nonceOf(from.address)).toBe(2n);
    for (const filler of await fillersOf(store)) {
      expect(filler).toMatchObject({ action_id: waiting, sequence: 0, settled_at: expect.any(Number) });
    }
    ledger.autoMine = true;
    const [next] = await harness.ended([await harness.send(from, transfer(to.address, 1n))]);
    expect(next?.status).toBe('SUCCEEDED');
  });

  test('an unused nonce stays free if nothing can be signed, and the action waiting behind it states the reason', async () => {
    const time = clock();
    const properties = { presigned_replacements: true, replace_after: 3_600 };
    const harness = await startEngine({ store: await open(), now: time.now, properties });
    const [from, to] = [await harness.wallet(), await harness.wallet(0n)];
    const waiting = await waitAboveReleasedNonce(harness, from, to);
    const whyNot = () => harness.engine.signed(waiting).reasons.join();
    await passUntil(time, () => whyNot().includes('first expects nonce 0 of the wallet'));
    await passUntil(time, () => time.passed() > 60_000);
    expect(whyNot()).toContain('first expects nonce 0 of the wallet');
    expect(await fillersOf(harness.store)).toEqual([]);
    expect((await harness.status(waiting)).status).toBe('PENDING');
  });

  test('an empty transaction uses an unused nonce even if the action waiting behind it is canceled', async () => {
    const time = clock();
    const harness = await startEngine({ store: await open(), now: time.now });
    const { engine, ledger } = harness;
    const [from, to] = [await harness.wallet(), await harness.wallet(0n)];
    const waiting = await waitAboveReleasedNonce(harness, from, to);
    await engine.change(
      {
        ...{
          actionId: waiting,
          change: { kind: 'cancel', cap: null },
          isSigned: true,
          isCompared: true,
          compared: new Set(),
          grant: null,
        },
        ...{ by: { serviceId: 'someone', appId: 'app' }, at: time.now() },
      },
      async () => {},
    );
    // One of the transactions replaces the canceled action, and the other one uses the nonce below it.
    await passUntil(
      time,
      () => new Set(emptyTransactions(ledger).map(({ sequence }) => sequence)).size === 2,
    );
    ledger.mine(4);
    const [end] = await harness.ended([waiting]);
    expect(end?.problem).toContain('cancelled');
    expect(ledger.nonceOf(from.address)).toBe(2n);
    expect(ledger.balanceOf(to.address)).toBe(0n);
  });

  test('bumps the empty transaction at an unused nonce until it is mined', async () => {
    const time = clock();
    const harness = await startEngine({ store: await open(), now: time.now });
    const { ledger, store } = harness;
    const [from, to] = [await harness.wallet(), await harness.wallet(0n)];
    const waiting = await waitAboveReleasedNonce(harness, from, to);
    await passUntil(time, () => emptyTransactions(ledger).length > 0);
    ledger.gasPrice = 50n;
    await passUntil(time, () => emptyTransactions(ledger).some(({ gasPrice }) => gasPrice >= 50n));
    ledger.gasPrice = 1n;
    ledger.mine(4);
    const [end] = await harness.ended([waiting]);
    expect(end?.status).toBe('SUCCEEDED');
    expect(ledger.nonceOf(from.address)).toBe(2n);
    expect((await fillersOf(store)).length).toBeGreaterThan(1);
  });

  test('an unused nonce is not filled for an action whose row was changed externally', async () => {
    const time = clock();
    const harness = await startEngine({ store: await open(), now: time.now });
    const { store } = harness;
    const [from, to] = [await harness.wallet(), await harness.wallet(0n)];
    const waiting = await waitAboveReleasedNonce(harness, from, to);
    await store.transaction((tx) => tx.run(`UPDATE action SET operation = '{"amount":"9"}'`));
    const whyNot = () => harness.engine.signed(waiting).reasons.join();
    await passUntil(time, () => whyNot().includes('cannot be decrypted with the data stored next to it'));
    expect(await fillersOf(store)).toEqual([]);
  });

  test('the next action uses the nonce of an external transaction that a reorg removed', async () => {
    const time = clock();
    const harness = await startEngine({ store: await open(), now: time.now });
    const { ledger } = harness;
    const [from, to] = [await harness.wallet(), await harness.wallet(0n)];
    const failed = await loseNonce(harness, from, to);
    ledger.reorganise(3, 'vanish');
    ledger.mine(4);
    ledger.autoMine = true;
    await noticed(harness);
    const id = await harness.send(from, transfer(to.address, 1n));
    await vi.waitFor(
      async () => expect((await harness.status(id)).waiting).toMatch(/expects nonce 0 of the wallet/),
      patience,
    );
    time.forward(11_000);
    const [end] = await harness.ended([id]);
    expect(end?.status).toBe('SUCCEEDED');
    expect((await harness.status(failed)).status).toBe('FAILED');
    expect(ledger.balanceOf(to.address)).toBe(1n);
    expect(ledger.nonceOf(from.address)).toBe(1n);
    const [next] = await harness.ended([await harness.send(from, transfer(to.address, 1n))]);
    expect(next?.status).toBe('SUCCEEDED');
    expect(ledger.nonceOf(from.address)).toBe(2n);
  });

  test('the next action uses an unused nonce while later actions wait, and these then continue', async () => {
    const time = clock();
    const harness = await startEngine({ store: await open(), now: time.now });
    const { ledger } = harness;
    const [from, to] = [await harness.wallet(), await harness.wallet(0n)];
    await loseNonce(harness, from, to);
    const waiting = await harness.send(from, transfer(to.address, 1n));
    await vi.waitFor(() => expect(ledger.pool.length).toBe(1), patience);
    ledger.reorganise(3, 'vanish');
    ledger.mine(4);
    ledger.autoMine = true;
    time.forward(11_000);
    await vi.waitFor(
      () =>
        expect(harness.engine.signed(waiting).reasons.join()).toMatch(/first expects nonce 0 of the wallet/),
      patience,
    );
    time.forward(11_000);
    const ends = await harness.ended([waiting, await harness.send(from, transfer(to.address, 1n))]);
    expect(ends.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED']);
    expect(ledger.balanceOf(to.address)).toBe(2n);
  });

  test('losing an external transaction is not treated as a chain reset, and its nonce is used again', async () => {
    const time = clock();
    const harness = await startEngine({ store: await open(), now: time.now });
    const { ledger } = harness;
    const [from, to] = [await harness.wallet(), await harness.wallet(0n)];
    await harness.share(from);
    ledger.outsideTransaction({ privateKey: from.privateKey, sequence: 0n });
    ledger.mine(1);
    const first = await harness.send(from, transfer(to.address, 1n));
    await harness.ended([first]);
    ledger.reorganise(ledger.head.height, 'vanish');
    ledger.mine(9);
    await noticed(harness);
    const id = await harness.send(from, transfer(to.address, 1n));
    await vi.waitFor(
      async () => expect((await harness.status(id)).waiting).toMatch(/expects nonce 0 of the wallet/),
      patience,
    );
    time.forward(11_000);
    const [end] = await harness.ended([id]);
    expect(end?.status).toBe('SUCCEEDED');
    await vi.waitFor(() => expect(ledger.balanceOf(to.address)).toBe(2n), patience);
    expect(await harness.status(first)).toMatchObject({ status: 'SUCCEEDED', problem: null });
  });

  test('if a reorg frees the nonce of an action without stored bytes, the next action uses it, and the first is retracted', async () => {
    const time = clock();
    const harness = await startEngine({ store: await open(), now: time.now });
    const { ledger, store } = harness;
    const [from, to] = [await harness.wallet(), await harness.wallet(0n)];
    const old = await harness.send(from, transfer(to.address, 7n));
    await harness.ended([old]);
    await store.transaction((tx) => tx.run('UPDATE attempt SET bytes = NULL'));
    ledger.reorganise(ledger.head.height, 'vanish');
    ledger.mine(9);
    await noticed(harness);
    const id = await harness.send(from, transfer(to.address, 1n));
    await vi.waitFor(
      async () => expect((await harness.status(id)).waiting).toMatch(/expects nonce 0 of the wallet/),
      patience,
    );
    time.forward(11_000);
    const [end] = await harness.ended([id]);
    expect(end?.status).toBe('SUCCEEDED');
    expect(ledger.balanceOf(to.address)).toBe(1n);
    const [row] = await store.read.all('SELECT status, retracted FROM action WHERE id = $1', [old]);
    expect(row).toMatchObject({ status: 'SUCCEEDED', retracted: expect.stringContaining('nonce 0') });
  });
});
