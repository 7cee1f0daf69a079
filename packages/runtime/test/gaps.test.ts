import { describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { type EngineHarness, startEngine, stopEngines, type TestWallet, transfer } from './engine-harness.ts';

const patience = { timeout: 30_000 };

/** The server's clock, which a test may set forward. */
function clock() {
  let ahead = 0;
  return {
    now: () => Date.now() + ahead,
    forward: (milliseconds: number) => {
      ahead += milliseconds;
    },
  };
}

/** An action of the wallet fails, since another transaction takes its nonce 0, in the last three blocks. */
async function loseNonce(harness: EngineHarness, from: TestWallet, to: TestWallet): Promise<string> {
  const { ledger } = harness;
  ledger.autoMine = false;
  const forgotten = ledger.script({ kind: 'acceptButForget' });
  const id = await harness.send(from, transfer(to.address, 5n));
  await vi.waitFor(() => expect(forgotten.fired).toBe(1), patience);
  ledger.outsideTransaction({ privateKey: from.privateKey, sequence: 0n });
  ledger.mine(3);
  const [end] = await harness.ended([id]);
  expect(end?.problem).toContain('nonce-taken');
  return id;
}

/** The server has noticed that blocks were taken back. */
async function seen({ log }: EngineHarness): Promise<void> {
  await vi.waitFor(
    () => expect(log.filter((line) => line.includes('chain.reorganised'))).toHaveLength(1),
    patience,
  );
}

describeStores('a nonce that a ledger gives back', (open) => {
  afterEach(stopEngines);

  test("after another transaction had taken it is the next action's", async () => {
    const time = clock();
    const harness = await startEngine({ store: await open(), now: time.now });
    const { ledger } = harness;
    const [from, to] = [await harness.wallet(), await harness.wallet(0n)];
    const failed = await loseNonce(harness, from, to);
    ledger.reorganise(3, 'vanish');
    ledger.mine(4);
    ledger.autoMine = true;
    await seen(harness);
    const id = await harness.send(from, transfer(to.address, 1n));
    await vi.waitFor(
      async () => expect((await harness.status(id)).waiting).toMatch(/wants nonce 0 of the wallet/),
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

  test("is the next action's too while others of the wallet wait above it, which go on then", async () => {
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
      () => expect(harness.engine.whyUnmined(waiting).join()).toMatch(/wants nonce 0 of the wallet first/),
      patience,
    );
    time.forward(11_000);
    const ends = await harness.ended([waiting, await harness.send(from, transfer(to.address, 1n))]);
    expect(ends.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED']);
    expect(ledger.balanceOf(to.address)).toBe(2n);
  });

  test('and that nothing here was ever signed for gives no chain up: what stood above it stands there again', async () => {
    const time = clock();
    const harness = await startEngine({ store: await open(), now: time.now });
    const { ledger } = harness;
    const [from, to] = [await harness.wallet(), await harness.wallet(0n)];
    ledger.outsideTransaction({ privateKey: from.privateKey, sequence: 0n });
    ledger.mine(1);
    const first = await harness.send(from, transfer(to.address, 1n));
    await harness.ended([first]);
    ledger.reorganise(ledger.head.height, 'vanish');
    ledger.mine(9);
    await seen(harness);
    const id = await harness.send(from, transfer(to.address, 1n));
    await vi.waitFor(
      async () => expect((await harness.status(id)).waiting).toMatch(/wants nonce 0 of the wallet/),
      patience,
    );
    time.forward(11_000);
    const [end] = await harness.ended([id]);
    expect(end?.status).toBe('SUCCEEDED');
    await vi.waitFor(() => expect(ledger.balanceOf(to.address)).toBe(2n), patience);
    expect(await harness.status(first)).toMatchObject({ status: 'SUCCEEDED', problem: null });
  });

  test("of an action whose bytes are kept no more is the next action's, and the former one is told", async () => {
    const time = clock();
    const harness = await startEngine({ store: await open(), now: time.now });
    const { ledger, store } = harness;
    const [from, to] = [await harness.wallet(), await harness.wallet(0n)];
    const old = await harness.send(from, transfer(to.address, 7n));
    await harness.ended([old]);
    await store.transaction((tx) => tx.run('UPDATE attempt SET bytes = NULL'));
    ledger.reorganise(ledger.head.height, 'vanish');
    ledger.mine(9);
    await seen(harness);
    const id = await harness.send(from, transfer(to.address, 1n));
    await vi.waitFor(
      async () => expect((await harness.status(id)).waiting).toMatch(/wants nonce 0 of the wallet/),
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
