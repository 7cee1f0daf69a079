import { type AdapterDefinition, adapterError } from '@ledger-ops/adapter';
import { createMemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import { describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { type EngineHarness, reasonOf, startEngine, stopEngines } from './engine-harness.ts';
import { switchingLedger } from './switching-ledger.ts';

const silent = 'Node b did not answer in time.';

/**
 * Returns a ledger with an honest and a lying node. The node `state.first` answers all calls, except that calls with
 * `everyNode` read both nodes.
 */
function twoNodes() {
  const honest = createMemoryLedger();
  const liar = createMemoryLedger();
  const state = { first: honest, isSilent: false };
  const ledger = switchingLedger(state);
  const inner = memoryAdapter(ledger, { technology: 'ethereum' });
  const adapter: AdapterDefinition = {
    ...inner,
    async open(...given) {
      const session = await inner.open(...given);
      return {
        ...session,
        async sequences(addresses, options) {
          if (options?.everyNode !== true) return session.sequences(addresses, options);
          if (state.isSilent) throw adapterError('unavailable', silent, { phase: 'check' });
          // The lying node counts no transactions, so the highest count is that of the honest node.
          return addresses.map((address) => honest.nonceOf(address));
        },
      };
    },
  };
  return { honest, liar, state, ledger, adapter };
}

/**
 * Sends an action whose transaction stays pending on the honest node, and deletes the bytes of the wallet's first
 * transaction. After that, the lying node answers the calls, which counts no transactions and has other blocks.
 */
async function switchToLyingNode(
  harness: EngineHarness,
  { honest, liar, state }: ReturnType<typeof twoNodes>,
) {
  const from = await harness.wallet();
  const old = await harness.send(from);
  await harness.ended([old]);
  await harness.ended([await harness.send(from)]);
  honest.autoMine = false;
  const id = await harness.send(from);
  await vi.waitFor(() => expect(honest.pool.length).toBe(1), { timeout: 30_000 });
  await harness.store.transaction((tx) =>
    tx.run('UPDATE attempt SET bytes = NULL WHERE action_id = $1', [old]),
  );
  liar.autoMine = false;
  liar.mine(honest.head.height + 1);
  state.first = liar;
  return { from, id };
}

describeStores('a node that reports other blocks and too few transactions', (open) => {
  afterEach(stopEngines);

  test('a lying node does not fail an action that another node still executes', async () => {
    const nodes = twoNodes();
    const harness = await startEngine({ store: await open(), ...nodes });
    const { id } = await switchToLyingNode(harness, nodes);
    await vi.waitFor(() => expect(harness.log.join()).toContain('chain.reorganised'), 30_000);
    // The engine resends the transactions that the lying node does not count.
    await vi.waitFor(() => expect(nodes.liar.submissions.length).toBeGreaterThan(0), 30_000);
    expect(await harness.status(id)).toMatchObject({ status: 'PENDING', stage: 'signed' });
    nodes.state.first = nodes.honest;
    nodes.honest.mine(1);
    const [end] = await harness.ended([id]);
    expect(end).toMatchObject({ status: 'SUCCEEDED', problem: null });
  });

  test('while one node lies and another is silent, no action fails and none is signed, and the reason is reported', async () => {
    const nodes = twoNodes();
    const harness = await startEngine({ store: await open(), ...nodes });
    nodes.state.isSilent = true;
    const { from, id } = await switchToLyingNode(harness, nodes);
    await vi.waitFor(() => expect(reasonOf(harness)).toContain(silent), 30_000);
    expect(harness.engine.health()).toMatchObject([{ reasons: [expect.stringContaining(silent)] }]);
    await expect(harness.send(from)).rejects.toMatchObject({ problem: 'ledger-unavailable' });
    expect(nodes.liar.submissions).toEqual([]);
    expect(await harness.status(id)).toMatchObject({ status: 'PENDING', stage: 'signed' });
    nodes.state.isSilent = false;
    await vi.waitFor(() => expect(harness.engine.health()).toEqual([]), 30_000);
    nodes.state.first = nodes.honest;
    nodes.honest.mine(1);
    const [end] = await harness.ended([id]);
    expect(end).toMatchObject({ status: 'SUCCEEDED', problem: null });
  });

  test('a lying node does not fail an action while another ledger of the chain, with signed actions, is unreachable', async () => {
    const nodes = twoNodes();
    const harness = await startEngine({ store: await open(), ...nodes });
    nodes.state.isSilent = true;
    const { id } = await switchToLyingNode(harness, nodes);
    await vi.waitFor(() => expect(harness.engine.health()).toHaveLength(1), 30_000);
    const moveTo = (ledgerUid: string) =>
      harness.store.transaction((tx) =>
        tx.run('UPDATE action SET ledger_uid = $2, ledger_id = $2 WHERE id = $1', [id, ledgerUid]),
      );
    await moveTo('another');
    nodes.honest.reorganise(nodes.honest.head.height, 'vanish');
    nodes.state.isSilent = false;
    await vi.waitFor(() => expect(reasonOf(harness)).toContain('Another ledger'), 30_000);
    expect(await harness.status(id)).toMatchObject({ status: 'PENDING', stage: 'signed' });
    await moveTo('ledger');
    const [end] = await harness.ended([id]);
    expect(end?.problem).toContain('chain-reset');
  });

  test('accepts a lower transaction count only once every node reports it', async () => {
    const nodes = twoNodes();
    const harness = await startEngine({ store: await open(), ...nodes });
    nodes.state.isSilent = true;
    const { id } = await switchToLyingNode(harness, nodes);
    await vi.waitFor(() => expect(harness.engine.health()).toHaveLength(1), 30_000);
    nodes.honest.reorganise(nodes.honest.head.height, 'vanish');
    nodes.state.isSilent = false;
    const [end] = await harness.ended([id]);
    expect(end?.problem).toContain('chain-reset');
  });
});
