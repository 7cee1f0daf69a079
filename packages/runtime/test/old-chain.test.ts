import { createMemoryLedger, type MemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import { describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { type EngineHarness, reasonOf, startEngine, stopEngines } from './engine-harness.ts';
import { switchingLedger } from './switching-ledger.ts';

/** Returns two nodes with the same chain id. The second one was reset. The node `state.first` answers all calls. */
function twoNodes() {
  const right = createMemoryLedger();
  const rebuilt = createMemoryLedger();
  rebuilt.reset();
  const state = { first: right };
  const ledger = switchingLedger(state);
  return { right, rebuilt, state, ledger };
}

const down = 'node p1 did not answer in time';

/** Sends an action whose transaction stays pending on the node of the right chain. */
async function signedOn(harness: EngineHarness, right: MemoryLedger) {
  const from = await harness.wallet();
  right.autoMine = false;
  const id = await harness.send(from);
  await vi.waitFor(() => expect(right.pool.length).toBe(1), { timeout: 30_000 });
  return { from, id };
}

describeStores('a node that shows another chain', (open) => {
  afterEach(stopEngines);

  test('while one node serves another chain and a second node is silent, no action fails and none is signed', async () => {
    const { right, rebuilt, state, ledger } = twoNodes();
    const store = await open();
    const { from, id } = await signedOn(await startEngine({ store, ledger }), right);
    await stopEngines();
    state.first = rebuilt;
    rebuilt.unsure = down;
    const harness = await startEngine({ store, ledger, timing: { lease: 600 } });
    await vi.waitFor(
      () =>
        expect(harness.engine.health()).toMatchObject([
          { uid: 'ledger', ledgerId: 'ledger', reasons: [expect.stringContaining(down)], warnings: [] },
        ]),
      { timeout: 30_000 },
    );
    expect(reasonOf(harness)).toContain(down);
    await expect(harness.send(from)).rejects.toMatchObject({ problem: 'ledger-unavailable' });
    expect(await harness.status(id)).toMatchObject({ status: 'PENDING', stage: 'signed' });
    expect(rebuilt.submissions).toEqual([]);

    state.first = right;
    right.autoMine = true;
    const [end] = await harness.ended([id]);
    expect(end).toMatchObject({ status: 'SUCCEEDED', problem: null });
    expect(harness.engine.health()).toEqual([]);
    const [next] = await harness.ended([await harness.send(from)]);
    expect(next?.status).toBe('SUCCEEDED');
    expect(right.nonceOf(from.address)).toBe(2n);
  });

  test('accepts another chain as a reset once every node reports it', async () => {
    const { right, rebuilt, state, ledger } = twoNodes();
    const store = await open();
    const { id } = await signedOn(await startEngine({ store, ledger }), right);
    await stopEngines();
    state.first = rebuilt;
    rebuilt.unsure = down;
    const harness = await startEngine({ store, ledger, timing: { lease: 600 } });
    await vi.waitFor(() => expect(harness.engine.health()).toHaveLength(1), { timeout: 30_000 });
    rebuilt.unsure = undefined;
    const [end] = await harness.ended([id]);
    expect(end?.problem).toContain('chain-reset');
  });

  test('an action that fails because a reset failed its dependency reports that it may have been executed', async () => {
    const { right, rebuilt, state, ledger } = twoNodes();
    const store = await open();
    const first = await startEngine({ store, ledger });
    const { id } = await signedOn(first, right);
    const dependent = await first.send(await first.wallet(), undefined, { dependencies: [id] });
    await stopEngines();
    state.first = rebuilt;
    const harness = await startEngine({ store, ledger });
    const [end] = await harness.ended([dependent]);
    expect(end?.problem).toContain('could not be compared with the ledger');
  });

  test('compares wallets on other ledgers before their actions fail with a dependency that a reset failed', async () => {
    const { right, rebuilt, state, ledger } = twoNodes();
    const side = createMemoryLedger({ chainId: 2n });
    const others = new Map([['side', memoryAdapter(side, { name: 'side', technology: 'ethereum' })]]);
    const store = await open();
    const first = await startEngine({ store, ledger, others });
    const { id } = await signedOn(first, right);
    const from = await (await startEngine({ store, ledger: side, ledgerUid: 'side' })).wallet();
    const dependent = await first.send(from, undefined, { dependencies: [id], ledgerUid: 'side' });
    await stopEngines();
    // As after a restore, the database does not contain this transaction, which executed the dependent action.
    side.outsideTransaction({ privateKey: from.privateKey, sequence: 0n, amount: 5n });
    side.mine(3);
    state.first = rebuilt;
    const harness = await startEngine({ store, ledger, others });
    const [end] = await harness.ended([dependent]);
    expect(end?.problem).toContain("This action's wallets have unknown transactions");
  });

  test('a running session does not fail an action while one node serves another chain and a second node is silent', async () => {
    const ledger = createMemoryLedger();
    const harness = await startEngine({ store: await open(), ledger });
    const from = await harness.wallet();
    await harness.ended([await harness.send(from)]);
    ledger.autoMine = false;
    const id = await harness.send(from);
    await vi.waitFor(() => expect(ledger.pool.length).toBe(1), { timeout: 30_000 });
    ledger.unsure = down;
    ledger.reset();
    ledger.mine(1);
    await vi.waitFor(
      () => expect(harness.engine.health()).toMatchObject([{ reasons: [expect.stringContaining(down)] }]),
      { timeout: 30_000 },
    );
    expect(await harness.status(id)).toMatchObject({ status: 'PENDING', stage: 'signed' });
    const sent = ledger.submissions.length;
    await expect(harness.send(from)).rejects.toMatchObject({ problem: 'ledger-unavailable' });
    expect(ledger.submissions.length).toBe(sent);
    ledger.unsure = undefined;
    const [end] = await harness.ended([id]);
    expect(end?.problem).toContain('chain-reset');
  });

  test('immediately uses another chain if nothing was signed for the previous chain, even while a node is silent', async () => {
    const ledger = createMemoryLedger();
    const store = await open();
    const first = await startEngine({ store, ledger });
    const from = await first.wallet();
    await first.ended([await first.send(from)]);
    await stopEngines();
    ledger.reset();
    ledger.unsure = down;
    const harness = await startEngine({ store, ledger });
    const [end] = await harness.ended([await harness.send(from)]);
    expect(end?.status).toBe('SUCCEEDED');
    expect(ledger.nonceOf(from.address)).toBe(1n);
  });

  test('a ledger whose chain did not change continues after a restart with a silent node', async () => {
    const ledger = createMemoryLedger();
    const store = await open();
    const { from, id } = await signedOn(await startEngine({ store, ledger }), ledger);
    await stopEngines();
    ledger.unsure = down;
    ledger.autoMine = true;
    const harness = await startEngine({ store, ledger });
    const ends = await harness.ended([id, await harness.send(from)]);
    expect(ends.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED']);
  });
});
