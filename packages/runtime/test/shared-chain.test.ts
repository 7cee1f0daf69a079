import { createMemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import { describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { type EngineHarness, startEngine, stopEngines } from './engine-harness.ts';

/** Returns a ledger without sequences. Its chain id is that of the default ledger, which has sequences. */
const unsequenced = () => createMemoryLedger({ sequence: 'none' });

async function forgetBytes({ store }: EngineHarness, id: string): Promise<void> {
  await store.transaction((tx) => tx.run('UPDATE attempt SET bytes = NULL WHERE action_id = $1', [id]));
}

describeStores('several ledgers on one chain', (open) => {
  afterEach(stopEngines);

  test("after a reorg on a ledger without nonces, only the ledger's own transactions are resent", async () => {
    const side = unsequenced();
    const others = new Map([['side', memoryAdapter(side, { name: 'side', technology: 'ethereum' })]]);
    const harness = await startEngine({ store: await open(), others });
    const from = await harness.wallet();
    side.fund(from.address, 10n ** 18n);
    await harness.ended([await harness.send(from)]);
    side.autoMine = false;
    const id = await harness.send(from, undefined, { ledgerUid: 'side' });
    await vi.waitFor(() => expect(side.pool.length).toBe(1), 30_000);
    side.mine(3);
    await harness.ended([id]);
    side.reorganise(3, 'vanish');
    side.mine(4);
    await vi.waitFor(() => expect(harness.log.join()).toContain('chain.reorganised'), 30_000);
    side.autoMine = true;
    const [next] = await harness.ended([await harness.send(from, undefined, { ledgerUid: 'side' })]);
    expect(next?.status).toBe('SUCCEEDED');
    expect(harness.log.join()).not.toContain('ledger.trouble');
    expect(new Set(side.submissions.map(({ transaction }) => transaction?.sequence))).toEqual(
      new Set([null]),
    );
  });

  test('after a reorg on a ledger with nonces, it receives no transactions of a ledger without nonces', async () => {
    const side = unsequenced();
    const others = new Map([['side', memoryAdapter(side, { name: 'side', technology: 'ethereum' })]]);
    const harness = await startEngine({ store: await open(), others });
    const { ledger } = harness;
    const from = await harness.wallet();
    side.fund(from.address, 10n ** 18n);
    side.autoMine = false;
    const id = await harness.send(from, undefined, { ledgerUid: 'side' });
    await vi.waitFor(() => expect(side.pool.length).toBe(1), 30_000);
    await harness.ended([await harness.send(from)]);
    const sent = ledger.submissions.length;
    ledger.reorganise(ledger.head.height, 'vanish');
    ledger.mine(1);
    await vi.waitFor(() => expect(ledger.nonceOf(from.address)).toBe(1n), 30_000);
    const again = ledger.submissions.slice(sent).map(({ transaction }) => transaction?.sequence);
    expect(new Set(again)).toEqual(new Set([0n]));
    side.autoMine = true;
    side.mine(1);
    expect((await harness.ended([id]))[0]?.status).toBe('SUCCEEDED');
  });

  test('transactions that a reorg removed are resent for both ledger records of their chain', async () => {
    const ledger = createMemoryLedger();
    const others = new Map([['twin', memoryAdapter(ledger, { name: 'twin', technology: 'ethereum' })]]);
    const harness = await startEngine({ store: await open(), ledger, others });
    const [one, two] = [await harness.wallet(), await harness.wallet()];
    const ids = [await harness.send(one), await harness.send(two, undefined, { ledgerUid: 'twin' })];
    await harness.ended(ids);
    ledger.reorganise(ledger.head.height, 'vanish');
    ledger.mine(1);
    await vi.waitFor(() => {
      expect(ledger.nonceOf(one.address)).toBe(1n);
      expect(ledger.nonceOf(two.address)).toBe(1n);
    }, 30_000);
    const next = [await harness.send(one, undefined, { ledgerUid: 'twin' }), await harness.send(two)];
    const ends = await harness.ended(next);
    expect(ends.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED']);
  });

  test('if a chain permanently lost earlier transactions, the actions of both its ledger records fail', async () => {
    const ledger = createMemoryLedger();
    const others = new Map([['twin', memoryAdapter(ledger, { name: 'twin', technology: 'ethereum' })]]);
    const harness = await startEngine({ store: await open(), ledger, others });
    const ids = await signAfterLostTransaction(harness, 'twin');
    const ends = await harness.ended(ids);
    for (const { problem } of ends) expect(problem).toContain('chain-reset');
    const fresh = await harness.wallet();
    ledger.autoMine = true;
    const [next] = await harness.ended([await harness.send(fresh, undefined, { ledgerUid: 'twin' })]);
    expect(next?.status).toBe('SUCCEEDED');
  });

  test('a deleted ledger with signed actions does not prevent the engine from giving up a chain', async () => {
    const ledger = createMemoryLedger();
    const others = new Map([['twin', memoryAdapter(ledger, { name: 'twin', technology: 'ethereum' })]]);
    const deleted = new Set<string>();
    const store = await open();
    const first = await startEngine({ store, ledger, others, deleted });
    ledger.autoMine = false;
    const from = await first.wallet();
    await first.send(from, undefined, { ledgerUid: 'twin' });
    await vi.waitFor(() => expect(ledger.pool.length).toBe(1), 30_000);
    await stopEngines();
    deleted.add('twin');
    ledger.autoMine = true;
    const harness = await startEngine({ store, ledger, others, deleted });
    const [id] = await signAfterLostTransaction(harness);
    const [end] = await harness.ended([id ?? '']);
    expect(end?.problem).toContain('chain-reset');
  });
});

/**
 * Signs one action per ledger for a wallet. A reorg then removes the wallet's first transaction, which cannot be
 * resent.
 */
async function signAfterLostTransaction(harness: EngineHarness, ...more: string[]): Promise<string[]> {
  const { ledger } = harness;
  const from = await harness.wallet();
  const old = await harness.send(from);
  await harness.ended([old]);
  await harness.ended([await harness.send(from)]);
  ledger.autoMine = false;
  const pooled = ledger.pool.length;
  const ids = [await harness.send(from)];
  for (const ledgerUid of more) ids.push(await harness.send(from, undefined, { ledgerUid }));
  await vi.waitFor(() => expect(ledger.pool.length).toBe(pooled + ids.length), 30_000);
  await forgetBytes(harness, old);
  const { height } = ledger.head;
  ledger.reorganise(height, 'vanish');
  // If blocks at heights that were read before are different, the node is not just behind.
  ledger.mine(height + 1);
  return ids;
}
