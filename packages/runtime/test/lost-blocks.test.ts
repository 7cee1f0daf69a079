import { describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { type EngineHarness, reasonOf, startEngine, stopEngines, transfer } from './engine-harness.ts';
import { loseNonce } from './lost-nonce.ts';

/** Deletes the bytes of actions' transactions, as the engine does an hour after the actions completed. */
async function forgetBytes({ store }: EngineHarness, ids: readonly string[]): Promise<void> {
  for (const id of ids)
    await store.transaction((tx) => tx.run('UPDATE attempt SET bytes = NULL WHERE action_id = $1', [id]));
}

describeStores('reorgs after actions completed', (open) => {
  afterEach(stopEngines);

  test('an action that failed because another transaction used its nonce is not executed after a reorg', async () => {
    const harness = await startEngine({ store: await open() });
    const { ledger } = harness;
    const [from, to] = [await harness.wallet(), await harness.wallet(0n)];
    await loseNonce(harness, from, to);
    const other = await harness.wallet();
    ledger.reorganise(3, 'vanish');
    ledger.autoMine = true;
    ledger.mine(4);
    const [next] = await harness.ended([await harness.send(other, transfer(to.address, 1n))]);
    expect(next?.status).toBe('SUCCEEDED');
    expect(ledger.balanceOf(to.address)).toBe(1n);
  });

  test('an action that waits for a lost transaction reports the nonce that the ledger expects next', async () => {
    const harness = await startEngine({ store: await open(), timing: { lookForGaps: 500 } });
    const { ledger } = harness;
    const from = await harness.wallet();
    await loseNonce(harness, from, from);
    const id = await harness.send(from);
    await vi.waitFor(() => expect(ledger.pool.length).toBe(1), 30_000);
    ledger.reorganise(3, 'vanish');
    ledger.mine(4);
    await vi.waitFor(
      () => expect(harness.engine.signed(id).reasons.join()).toMatch(/first expects nonce 0 of the wallet/),
      30_000,
    );
  });

  test('resends transactions that a reorg removed even if the node rejects them at first', async () => {
    const harness = await startEngine({ store: await open() });
    const { ledger } = harness;
    const from = await harness.wallet();
    await harness.ended([await harness.send(from), await harness.send(from)]);
    const refused = ledger.script({ kind: 'rejectSubmits', times: 2 });
    ledger.reorganise(ledger.head.height, 'vanish');
    ledger.mine(1);
    await vi.waitFor(() => expect(refused.fired).toBe(2), 30_000);
    const [next] = await harness.ended([await harness.send(from)]);
    expect(next?.status).toBe('SUCCEEDED');
    expect(ledger.nonceOf(from.address)).toBe(3n);
  });

  test('does not fail actions while a node is behind, even if the signed bytes of old transactions were deleted', async () => {
    const harness = await startEngine({ store: await open() });
    const { ledger } = harness;
    const from = await harness.wallet();
    const old = await harness.send(from);
    await harness.ended([old]);
    await harness.ended([await harness.send(from)]);
    ledger.autoMine = false;
    const id = await harness.send(from);
    await vi.waitFor(() => expect(ledger.pool.length).toBe(1), 30_000);
    await forgetBytes(harness, [old]);
    const { height } = ledger.head;
    ledger.reorganise(height, 'vanish');
    await vi.waitFor(() => expect(harness.engine.health()).toHaveLength(1), 30_000);
    expect(await harness.status(id)).toMatchObject({ status: 'PENDING', stage: 'signed' });
    expect(reasonOf(harness)).toMatch(/behind/);
    // If the block at a height that was read before is different, the chain has changed.
    ledger.mine(height);
    const [end] = await harness.ended([id]);
    expect(end?.problem).toContain('chain-reset');
  });
});
