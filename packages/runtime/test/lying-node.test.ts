import { type AdapterDefinition, adapterError } from '@ledger-ops/adapter';
import { createMemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import { describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { type EngineHarness, startEngine, stopEngines } from './engine-harness.ts';

const silent = 'Node b did not answer in time.';

/** One chain as two nodes have it: all is asked of the first one, and of both what every node is asked. */
function twoNodes() {
  const honest = createMemoryLedger();
  const liar = createMemoryLedger();
  const state = { first: honest, isSilent: false };
  const ledger = new Proxy(honest, {
    get: (_, name) => Reflect.get(state.first, name),
    set: (_, name, value) => Reflect.set(state.first, name, value),
  });
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
          // The other one counts nothing.
          return addresses.map((address) => honest.nonceOf(address));
        },
      };
    },
  };
  return { honest, liar, state, ledger, adapter };
}

/**
 * An action that is signed, whose transaction waits on the honest node; of what the account did before only the last
 * can still be sent. Then the other node answers, which counts nothing and has other blocks.
 */
async function lieAbout(harness: EngineHarness, { honest, liar, state }: ReturnType<typeof twoNodes>) {
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

describeStores('a node that shows other blocks and counts too little', (open) => {
  afterEach(stopEngines);

  test('ends no action that the other node still executes', async () => {
    const nodes = twoNodes();
    const harness = await startEngine({ store: await open(), ...nodes });
    const { id } = await lieAbout(harness, nodes);
    await vi.waitFor(() => expect(harness.log.join()).toContain('chain.reorganised'), 30_000);
    // Bytes that it does not count are sent again instead.
    await vi.waitFor(() => expect(nodes.liar.submissions.length).toBeGreaterThan(0), 30_000);
    expect(await harness.status(id)).toMatchObject({ status: 'PENDING', stage: 'signed' });
    nodes.state.first = nodes.honest;
    nodes.honest.mine(1);
    const [end] = await harness.ended([id]);
    expect(end).toMatchObject({ status: 'SUCCEEDED', problem: null });
  });

  test('ends none and has nothing signed while the other one is silent, which is told', async () => {
    const nodes = twoNodes();
    const harness = await startEngine({ store: await open(), ...nodes });
    nodes.state.isSilent = true;
    const { from, id } = await lieAbout(harness, nodes);
    await vi.waitFor(
      () => expect(harness.engine.trouble('ledger', 'built-in:memory')).toContain(silent),
      30_000,
    );
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

  test('ends none while a ledger of the same chain that has signed actions is not reached', async () => {
    const nodes = twoNodes();
    const harness = await startEngine({ store: await open(), ...nodes });
    nodes.state.isSilent = true;
    const { id } = await lieAbout(harness, nodes);
    await vi.waitFor(() => expect(harness.engine.health()).toHaveLength(1), 30_000);
    const moveTo = (ledgerUid: string) =>
      harness.store.transaction((tx) =>
        tx.run('UPDATE action SET ledger_uid = $2, ledger_id = $2 WHERE id = $1', [id, ledgerUid]),
      );
    await moveTo('another');
    nodes.honest.reorganise(nodes.honest.head.height, 'vanish');
    nodes.state.isSilent = false;
    await vi.waitFor(
      () => expect(harness.engine.trouble('ledger', 'built-in:memory')).toContain('Another ledger'),
      30_000,
    );
    expect(await harness.status(id)).toMatchObject({ status: 'PENDING', stage: 'signed' });
    await moveTo('ledger');
    const [end] = await harness.ended([id]);
    expect(end?.problem).toContain('chain-reset');
  });

  test('is believed once every node counts as little', async () => {
    const nodes = twoNodes();
    const harness = await startEngine({ store: await open(), ...nodes });
    nodes.state.isSilent = true;
    const { id } = await lieAbout(harness, nodes);
    await vi.waitFor(() => expect(harness.engine.health()).toHaveLength(1), 30_000);
    nodes.honest.reorganise(nodes.honest.head.height, 'vanish');
    nodes.state.isSilent = false;
    const [end] = await harness.ended([id]);
    expect(end?.problem).toContain('chain-reset');
  });
});
