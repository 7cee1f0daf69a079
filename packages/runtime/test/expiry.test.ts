// Tests for transactions that are valid only up to a block height.
import type { AdapterDefinition, Estimated, EstimateRequest } from '@ledger-ops/adapter';
import { createMemoryLedger, type MemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import { describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { type EngineHarness, startEngine, stopEngines, transfer } from './engine-harness.ts';
import { requestChange } from './late-harness.ts';

const wait = { timeout: 30_000, interval: 20 };

function ledgerOf(expiry = 4): MemoryLedger {
  return createMemoryLedger({ sequence: 'none', expiry });
}

interface AttemptRow {
  n: number;
  tx_id: string;
  valid_until: number | null;
  settled_at: number | null;
}

async function attemptsOf({ store }: EngineHarness, actionId: string) {
  return store.read.all<AttemptRow & Record<string, string | number | null>>(
    'SELECT n, tx_id, valid_until, settled_at FROM attempt WHERE action_id = $1 ORDER BY n',
    [actionId],
  );
}

/** Returns an adapter that reports every transaction as expired. */
function alwaysExpired(ledger: MemoryLedger): AdapterDefinition {
  const adapter = memoryAdapter(ledger, { technology: 'ethereum' });
  return {
    ...adapter,
    async open(...given) {
      const session = await adapter.open(...given);
      return {
        ...session,
        async confirm(request) {
          const confirmed = await session.confirm(request);
          const at = { height: 1_000, blockHash: 'none' };
          const outcomes = [...request.pending.keys()].map((txId) => ({
            ...{ txId, ...at },
            status: 'expired' as const,
          }));
          return { ...confirmed, outcomes };
        },
      };
    },
  };
}

/** Returns an adapter that raises the fee after an expiry, and the list of the estimate requests that it received. */
function feeRaisingAdapter(
  ledger: MemoryLedger,
  answer?: (request: EstimateRequest) => Estimated | undefined,
) {
  const memory = memoryAdapter(ledger, { technology: 'ethereum' });
  const estimateRequests: EstimateRequest[] = [];
  const adapter: AdapterDefinition = {
    ...memory,
    capabilities: { ...memory.capabilities, raisesExpired: true },
    async open(...given) {
      const session = await memory.open(...given);
      return {
        ...session,
        async estimate(requests) {
          estimateRequests.push(...requests);
          const answers = await session.estimate(requests);
          return answers.map((one, index) => {
            const request = requests[index];
            return (request === undefined ? undefined : answer?.(request)) ?? one;
          });
        },
      };
    },
  };
  return { adapter, estimateRequests };
}

/** Mines blocks repeatedly until the actions are final. */
async function mineUntilFinal(harness: EngineHarness, ids: readonly string[]) {
  const timer = setInterval(() => harness.ledger.mine(), 20);
  try {
    return await harness.ended(ids);
  } finally {
    clearInterval(timer);
  }
}

describeStores('transactions that expire', (open) => {
  afterEach(stopEngines);

  test('a canceled action whose transaction expired fails as canceled, and no other transaction is signed', async () => {
    const ledger = ledgerOf();
    const harness = await startEngine({ store: await open(), ledger });
    const [from, to] = [await harness.wallet(), await harness.wallet(0n)];
    const forgotten = ledger.script({ kind: 'acceptButForget' });
    const id = await harness.send(from, transfer(to.address, 5n), { unsigned: true });
    await vi.waitFor(() => expect(forgotten.fired).toBe(1), wait);
    expect(await requestChange(harness, id, 'cancel')).toBe('stored');
    const [end] = await mineUntilFinal(harness, [id]);
    expect(end).toMatchObject({ status: 'FAILED', problem: expect.stringContaining('problem:cancelled') });
    expect(await attemptsOf(harness, id)).toHaveLength(1);
    expect(ledger.balanceOf(to.address)).toBe(0n);
  });

  test('a transaction that a node dropped expires, is recreated for the same action, and is executed once', async () => {
    const ledger = ledgerOf();
    const harness = await startEngine({ store: await open(), ledger });
    const [from, to] = [await harness.wallet(), await harness.wallet(0n)];
    const script = ledger.script({ kind: 'acceptButForget', times: Number.POSITIVE_INFINITY });
    const id = await harness.send(from, transfer(to.address, 5n), { unsigned: true });
    await vi.waitFor(() => expect(script.fired).toBeGreaterThan(0), wait);
    const [first] = await attemptsOf(harness, id);
    expect(first?.valid_until).toBe(ledger.head.height + 4);
    ledger.mine(2);
    await vi.waitFor(
      async () =>
        expect((await harness.status(id)).waiting).toBe(
          `The ledger has not executed the transaction yet; it is valid until height ${first?.valid_until}.`,
        ),
      wait,
    );
    ledger.mine(2);
    expect(await attemptsOf(harness, id)).toHaveLength(1);
    ledger.mine();
    await vi.waitFor(async () => expect(await attemptsOf(harness, id)).toHaveLength(2), wait);
    await vi.waitFor(
      async () =>
        expect((await harness.status(id)).waiting).toBe('This is transaction number 2 of the action.'),
      wait,
    );
    script.clear();
    const [end] = await harness.ended([id]);
    const [, second] = await attemptsOf(harness, id);
    expect(end).toMatchObject({ status: 'SUCCEEDED', locator: second?.tx_id, waiting: null });
    expect(ledger.balanceOf(to.address)).toBe(5n);
    expect(await harness.store.read.all('SELECT action_id FROM action_grant')).toEqual([]);
  });

  test('after twenty expired transactions, the next one is executed exactly once', async () => {
    const ledger = ledgerOf(2);
    const harness = await startEngine({ store: await open(), ledger });
    const [from, to] = [await harness.wallet(), await harness.wallet(0n)];
    const script = ledger.script({ kind: 'acceptButForget', times: Number.POSITIVE_INFINITY });
    const id = await harness.send(from, transfer(to.address, 5n));
    await vi.waitFor(async () => {
      ledger.mine();
      expect((await attemptsOf(harness, id)).length).toBeGreaterThan(20);
    }, wait);
    script.clear();
    const [end] = await mineUntilFinal(harness, [id]);
    expect(end?.status).toBe('SUCCEEDED');
    expect(ledger.balanceOf(to.address)).toBe(5n);
    expect(ledger.executions({ to: to.address })).toBe(1);
  }, 180_000);

  test('signs the next transaction only once the expiry is deep enough, even if a node is behind', async () => {
    const ledger = ledgerOf();
    const harness = await startEngine({ store: await open(), ledger, properties: { confirmations: 4 } });
    const id = await harness.send(await harness.wallet());
    await vi.waitFor(() => expect(ledger.executions()).toBe(1), wait);
    // A reorg removes the executed transaction.
    ledger.reorganise(1, 'vanish');
    ledger.script({ kind: 'acceptButForget', times: Number.POSITIVE_INFINITY });
    const [first] = await attemptsOf(harness, id);
    const last = first?.valid_until ?? 0;
    ledger.mine(last + 3 - ledger.head.height);
    await vi.waitFor(
      async () => expect((await harness.status(id)).waiting).toContain(`was valid until height ${last}.`),
      wait,
    );
    const lag = ledger.script({ kind: 'lag', blocks: 2, method: 'confirm', times: 5 });
    ledger.mine();
    await vi.waitFor(() => expect(lag.fired).toBeGreaterThan(0), wait);
    expect(await attemptsOf(harness, id)).toHaveLength(1);
    await vi.waitFor(async () => expect(await attemptsOf(harness, id)).toHaveLength(2), wait);
    expect(lag.fired).toBe(5);
  });

  test('a transaction executed at its last valid height succeeds', async () => {
    const ledger = ledgerOf();
    ledger.autoMine = false;
    const harness = await startEngine({ store: await open(), ledger, properties: { confirmations: 3 } });
    const id = await harness.send(await harness.wallet());
    await vi.waitFor(() => expect(ledger.pool).toHaveLength(1), wait);
    const [waiting] = ledger.pool;
    ledger.blockGas = 0n;
    ledger.mine((waiting?.validUntil ?? 0) - 1 - ledger.head.height);
    ledger.blockGas = undefined;
    ledger.mine();
    expect(ledger.transaction(waiting?.txId ?? '')?.height).toBe(waiting?.validUntil);
    const [end] = await mineUntilFinal(harness, [id]);
    expect(end?.status).toBe('SUCCEEDED');
    expect(await attemptsOf(harness, id)).toHaveLength(1);
  });

  test('reports an impossible expiry as a fault of the plugin, and signs nothing because of it', async () => {
    const ledger = ledgerOf(30);
    ledger.autoMine = false;
    const harness = await startEngine({ store: await open(), ledger });
    const script = ledger.script({ kind: 'expireEarly', times: Number.POSITIVE_INFINITY });
    const id = await harness.send(await harness.wallet());
    await vi.waitFor(() => expect(ledger.pool).toHaveLength(1), wait);
    await vi.waitFor(
      async () => expect((await harness.status(id)).waiting).toContain('This is a fault of the plugin'),
      wait,
    );
    expect(harness.log.filter((line) => line.startsWith('warn outcome.impossible'))).not.toEqual([]);
    script.clear();
    ledger.mine();
    const [end] = await harness.ended([id]);
    expect(end?.status).toBe('SUCCEEDED');
    expect(await attemptsOf(harness, id)).toHaveLength(1);
  });

  test('ignores the report that a transaction without a last valid height has expired', async () => {
    const ledger = createMemoryLedger({ sequence: 'none', autoMine: false });
    const harness = await startEngine({
      store: await open(),
      ledger,
      adapter: alwaysExpired(ledger),
    });
    const id = await harness.send(await harness.wallet());
    await vi.waitFor(
      async () =>
        expect((await harness.status(id)).waiting).toContain('expired, although it does not expire'),
      wait,
    );
    expect(await harness.status(id)).toMatchObject({ status: 'PENDING', stage: 'signed' });
    expect(await attemptsOf(harness, id)).toHaveLength(1);
  });

  test('an action fails after a hundred expired transactions', async () => {
    const ledger = ledgerOf(1);
    const harness = await startEngine({ store: await open(), ledger });
    ledger.script({ kind: 'acceptButForget', times: Number.POSITIVE_INFINITY });
    const id = await harness.send(await harness.wallet());
    const [end] = await mineUntilFinal(harness, [id]);
    expect(end?.status).toBe('FAILED');
    expect(end?.problem).toContain('problem:expired');
    expect(await attemptsOf(harness, id)).toHaveLength(100);
    expect(ledger.executions()).toBe(0);
    expect(await harness.store.read.all('SELECT action_id FROM action_grant')).toEqual([]);
  }, 300_000);

  test('never resends an expired transaction, even if a reorg removes blocks', async () => {
    const ledger = ledgerOf();
    ledger.autoMine = false;
    const harness = await startEngine({ store: await open(), ledger });
    const [from, to] = [await harness.wallet(), await harness.wallet(0n)];
    const script = ledger.script({ kind: 'acceptButForget', times: Number.POSITIVE_INFINITY });
    const id = await harness.send(from, transfer(to.address, 5n));
    await vi.waitFor(() => expect(script.fired).toBeGreaterThan(0), wait);
    ledger.mine(5);
    await vi.waitFor(async () => expect(await attemptsOf(harness, id)).toHaveLength(2), wait);
    script.clear();
    // After this reorg, the first transaction is valid again.
    ledger.reorganise(5, 'vanish');
    const [first, second] = await attemptsOf(harness, id);
    const sent = (txId: string | undefined) => ledger.submissions.filter((one) => one.txId === txId).length;
    const before = sent(second?.tx_id);
    await vi.waitFor(() => expect(sent(second?.tx_id)).toBeGreaterThan(before + 1), wait);
    expect(sent(first?.tx_id)).toBe(0);
    const [end] = await mineUntilFinal(harness, [id]);
    expect(end).toMatchObject({ status: 'SUCCEEDED', locator: second?.tx_id });
    expect(ledger.balanceOf(to.address)).toBe(5n);
  });

  test('reports a successful action as retracted if a reorg removed its block and its transaction has since expired', async () => {
    const ledger = ledgerOf();
    const memory = memoryAdapter(ledger, { technology: 'ethereum' });
    let read = 0;
    const adapter: AdapterDefinition = {
      ...memory,
      async open(record, host) {
        const session = await memory.open(record, host);
        const confirm: typeof session.confirm = (request) => {
          read = request.cursor?.height ?? 0;
          return session.confirm(request);
        };
        return { ...session, confirm };
      },
    };
    const timing = { idleConfirm: 50, resend: 50 };
    const harness = await startEngine({ store: await open(), ledger, adapter, timing });
    const id = await harness.send(await harness.wallet());
    const [end] = await harness.ended([id]);
    expect(end?.status).toBe('SUCCEEDED');
    const retracted = async () =>
      (await harness.store.read.all('SELECT retracted FROM action WHERE id = $1', [id]))[0]?.retracted;
    // This reorg removes the transaction while it is valid, so it is resent and executed again.
    const first = ledger.transactions.at(-1)?.blockHash;
    ledger.reorganise(1, 'vanish');
    await vi.waitFor(() => expect(ledger.executions()).toBe(1), wait);
    expect(ledger.transactions.at(-1)?.blockHash).not.toBe(first);
    expect(await retracted()).toBeNull();
    // This reorg removes the transaction, which expires before it is resent.
    ledger.mine(2);
    // The engine detects a reorg only of blocks that it has read.
    await vi.waitFor(() => expect(read).toBe(ledger.head.height), wait);
    ledger.reorganise(ledger.head.height, 'vanish');
    ledger.mine(10);
    await vi.waitFor(async () => expect(await retracted()).toContain('the transaction has expired'), wait);
    expect(await harness.status(id)).toMatchObject({ status: 'SUCCEEDED', locator: end?.locator });
    expect(harness.log.filter((line) => line.startsWith('warn action.retracted'))).toHaveLength(1);
    expect(ledger.executions()).toBe(0);
  });

  test('an action whose transaction expired fails at its deadline, with a statement that it can no longer be executed', async () => {
    const ledger = ledgerOf();
    const harness = await startEngine({ store: await open(), ledger, timing: { tick: 50 } });
    ledger.script({ kind: 'acceptButForget', times: Number.POSITIVE_INFINITY });
    const id = await harness.send(await harness.wallet());
    await vi.waitFor(async () => expect(await attemptsOf(harness, id)).toHaveLength(1), wait);
    // The deadline does not make a signed action fail, because its transaction may still be executed.
    await harness.passDeadline(id);
    expect((await harness.status(id)).status).toBe('PENDING');
    const [end] = await mineUntilFinal(harness, [id]);
    expect(end?.status).toBe('FAILED');
    expect(end?.problem).toContain('deadline-passed');
    expect(end?.problem).toContain('did not execute anything and never will');
    expect(end?.problem).toContain('expired: it was valid until height');
    expect(await attemptsOf(harness, id)).toHaveLength(1);
  });

  test('an action whose transaction expired is estimated again with a raised fee, even after a restart', async () => {
    const ledger = ledgerOf();
    const store = await open();
    const raisedPlans: unknown[] = [];
    const { adapter, estimateRequests } = feeRaisingAdapter(ledger, ({ plan, raise }) => {
      if (raise === undefined) return undefined;
      raisedPlans.push(plan.note ?? null);
      return { status: 'ready', plan: { ...plan, note: `raise ${raisedPlans.length}` }, cost: 77n };
    });
    const script = ledger.script({ kind: 'acceptButForget', times: Number.POSITIVE_INFINITY });
    const harness = await startEngine({ store, ledger, adapter });
    const [from, to] = [await harness.wallet(), await harness.wallet(0n)];
    const id = await harness.send(from, transfer(to.address, 5n), { unsigned: true });
    await vi.waitFor(() => expect(script.fired).toBeGreaterThan(0), wait);
    expect(estimateRequests.map(({ raise }) => raise)).toEqual([undefined]);
    ledger.mine(4);
    expect(estimateRequests).toHaveLength(1);
    ledger.mine();
    await vi.waitFor(async () => expect(await attemptsOf(harness, id)).toHaveLength(2), wait);
    await stopEngines();
    const next = await startEngine({ store, ledger, adapter });
    ledger.mine(6);
    await vi.waitFor(async () => expect(await attemptsOf(next, id)).toHaveLength(3), wait);
    script.clear();
    const [end] = await mineUntilFinal(next, [id]);
    expect(end?.status).toBe('SUCCEEDED');
    expect(ledger.executions({ to: to.address })).toBe(1);
    const reasons = estimateRequests.map(({ raise }) => raise?.reason);
    expect(reasons.slice(0, 3)).toEqual([undefined, 'expired', 'expired']);
    expect(raisedPlans.slice(0, 2)).toEqual([null, 'raise 1']);
    const [row] = await store.read.all('SELECT change, change_cap FROM action WHERE id = $1', [id]);
    expect(row).toEqual({ change: null, change_cap: null });
  });

  test('a hurry request signs nothing before the expiry, and raises only the fee of the next transaction', async () => {
    const ledger = ledgerOf();
    const store = await open();
    const { adapter, estimateRequests } = feeRaisingAdapter(ledger);
    const script = ledger.script({ kind: 'acceptButForget', times: Number.POSITIVE_INFINITY });
    const harness = await startEngine({ store, ledger, adapter });
    const id = await harness.send(await harness.wallet(), undefined, { unsigned: true });
    await vi.waitFor(() => expect(script.fired).toBeGreaterThan(0), wait);
    expect(await requestChange(harness, id, 'hurry', 9n)).toBe('stored');
    await vi.waitFor(
      async () => expect((await harness.status(id)).waiting).toContain('the next one pays a higher fee'),
      wait,
    );
    expect(await attemptsOf(harness, id)).toHaveLength(1);
    await stopEngines();
    const next = await startEngine({ store, ledger, adapter });
    ledger.mine(5);
    await vi.waitFor(async () => expect(await attemptsOf(next, id)).toHaveLength(2), wait);
    ledger.mine(6);
    await vi.waitFor(async () => expect(await attemptsOf(next, id)).toHaveLength(3), wait);
    expect(estimateRequests.map(({ raise }) => raise)).toEqual([
      undefined,
      { reason: 'hurried', cap: 9n },
      { reason: 'expired' },
    ]);
    script.clear();
    const [end] = await mineUntilFinal(next, [id]);
    expect(end?.status).toBe('SUCCEEDED');
    expect(ledger.executions()).toBe(1);
  });

  test('after an expiry, a failed estimate fails the action, and an estimate that waits keeps the raised fee', async () => {
    const ledger = ledgerOf();
    let answer: Estimated['status'] = 'wait';
    const { adapter, estimateRequests } = feeRaisingAdapter(ledger, ({ raise }) =>
      raise === undefined || answer === 'ready'
        ? undefined
        : {
            status: answer,
            problem: { code: answer === 'wait' ? 'unavailable' : 'reverted', detail: 'No.' },
          },
    );
    ledger.script({ kind: 'acceptButForget', times: Number.POSITIVE_INFINITY });
    const harness = await startEngine({ store: await open(), ledger, adapter });
    const id = await harness.send(await harness.wallet(), undefined, { unsigned: true });
    await vi.waitFor(async () => expect(await attemptsOf(harness, id)).toHaveLength(1), wait);
    ledger.mine(5);
    await vi.waitFor(() => expect(estimateRequests.length).toBeGreaterThan(2), wait);
    expect(estimateRequests.slice(1).every(({ raise }) => raise?.reason === 'expired')).toBe(true);
    answer = 'failed';
    const [end] = await mineUntilFinal(harness, [id]);
    expect(end?.status).toBe('FAILED');
    expect(end?.problem).toContain('problem:reverted');
    expect(await attemptsOf(harness, id)).toHaveLength(1);
    expect(ledger.executions()).toBe(0);
  });

  test('immediately cancels an action that waits after an expiry', async () => {
    const ledger = ledgerOf();
    const { adapter, estimateRequests } = feeRaisingAdapter(ledger, ({ raise }) =>
      raise === undefined
        ? undefined
        : { status: 'wait', problem: { code: 'unavailable', detail: 'Later.' } },
    );
    ledger.script({ kind: 'acceptButForget', times: Number.POSITIVE_INFINITY });
    const harness = await startEngine({ store: await open(), ledger, adapter });
    const id = await harness.send(await harness.wallet(), undefined, { unsigned: true });
    await vi.waitFor(async () => expect(await attemptsOf(harness, id)).toHaveLength(1), wait);
    ledger.mine(5);
    await vi.waitFor(() => expect(estimateRequests.length).toBeGreaterThan(1), wait);
    expect(await requestChange(harness, id, 'cancel')).toBe('ended');
    expect((await harness.status(id)).problem).toContain('problem:cancelled');
  });

  test('after an expiry, estimates again only if the adapter has the capability raisesExpired', async () => {
    const ledger = ledgerOf();
    const { adapter, estimateRequests } = feeRaisingAdapter(ledger);
    const plain = { ...adapter, capabilities: { ...adapter.capabilities, raisesExpired: false } };
    ledger.script({ kind: 'acceptButForget', times: Number.POSITIVE_INFINITY });
    const harness = await startEngine({ store: await open(), ledger, adapter: plain });
    const id = await harness.send(await harness.wallet(), undefined, { unsigned: true });
    await vi.waitFor(async () => expect(await attemptsOf(harness, id)).toHaveLength(1), wait);
    ledger.mine(5);
    await vi.waitFor(async () => expect(await attemptsOf(harness, id)).toHaveLength(2), wait);
    expect(estimateRequests).toHaveLength(1);
  });
});
