// Transactions that the ledger executes up to a height or never: what expired is prepared anew, and happens once.
import type { AdapterDefinition } from '@ledger-ops/adapter';
import { createMemoryLedger, type MemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import { describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { type EngineHarness, startEngine, stopEngines, transfer } from './engine-harness.ts';

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

/** An adapter that says of everything that it expired. */
function sayingExpired(ledger: MemoryLedger): AdapterDefinition {
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

/** Makes blocks, as a ledger does that never rests, until the actions have ended. */
async function endedAmidBlocks(harness: EngineHarness, ids: readonly string[]) {
  const timer = setInterval(() => harness.ledger.mine(), 20);
  try {
    return await harness.ended(ids);
  } finally {
    clearInterval(timer);
  }
}

describeStores('transactions that expire', (open) => {
  afterEach(stopEngines);

  test('what a node swallowed expires, is made anew under the same action, and is executed once', async () => {
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
          `The ledger has not executed it yet, and it is valid until height ${first?.valid_until}.`,
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

  test('twenty expire, the next is executed, once', async () => {
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
    const [end] = await endedAmidBlocks(harness, [id]);
    expect(end?.status).toBe('SUCCEEDED');
    expect(ledger.balanceOf(to.address)).toBe(5n);
    expect(ledger.executions({ to: to.address })).toBe(1);
  }, 180_000);

  test('nothing is signed anew before the expiry is as deep as the ledger asks, nor on the word of a node behind', async () => {
    const ledger = ledgerOf();
    const harness = await startEngine({ store: await open(), ledger, properties: { confirmations: 4 } });
    const id = await harness.send(await harness.wallet());
    await vi.waitFor(() => expect(ledger.executions()).toBe(1), wait);
    // Executed, and taken back.
    ledger.reorganise(1, 'vanish');
    ledger.script({ kind: 'acceptButForget', times: Number.POSITIVE_INFINITY });
    const [first] = await attemptsOf(harness, id);
    const last = first?.valid_until ?? 0;
    ledger.mine(last + 3 - ledger.head.height);
    await vi.waitFor(
      async () => expect((await harness.status(id)).waiting).toContain(`was valid until height ${last};`),
      wait,
    );
    const lag = ledger.script({ kind: 'lag', blocks: 2, method: 'confirm', times: 5 });
    ledger.mine();
    await vi.waitFor(() => expect(lag.fired).toBeGreaterThan(0), wait);
    expect(await attemptsOf(harness, id)).toHaveLength(1);
    await vi.waitFor(async () => expect(await attemptsOf(harness, id)).toHaveLength(2), wait);
    expect(lag.fired).toBe(5);
  });

  test('what is executed at its last height has succeeded', async () => {
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
    const [end] = await endedAmidBlocks(harness, [id]);
    expect(end?.status).toBe('SUCCEEDED');
    expect(await attemptsOf(harness, id)).toHaveLength(1);
  });

  test('an expiry that cannot be is told, and nothing is signed by it', async () => {
    const ledger = ledgerOf(30);
    ledger.autoMine = false;
    const harness = await startEngine({ store: await open(), ledger });
    const script = ledger.script({ kind: 'expireEarly', times: Number.POSITIVE_INFINITY });
    const id = await harness.send(await harness.wallet());
    await vi.waitFor(() => expect(ledger.pool).toHaveLength(1), wait);
    await vi.waitFor(
      async () => expect((await harness.status(id)).waiting).toContain('That is a fault of the plugin'),
      wait,
    );
    expect(harness.log.filter((line) => line.startsWith('warn outcome.impossible'))).not.toEqual([]);
    script.clear();
    ledger.mine();
    const [end] = await harness.ended([id]);
    expect(end?.status).toBe('SUCCEEDED');
    expect(await attemptsOf(harness, id)).toHaveLength(1);
  });

  test('a transaction that does not expire cannot have expired', async () => {
    const ledger = createMemoryLedger({ sequence: 'none', autoMine: false });
    const harness = await startEngine({
      store: await open(),
      ledger,
      adapter: sayingExpired(ledger),
    });
    const id = await harness.send(await harness.wallet());
    await vi.waitFor(
      async () => expect((await harness.status(id)).waiting).toContain('expired, which does not expire'),
      wait,
    );
    expect(await harness.status(id)).toMatchObject({ status: 'PENDING', stage: 'signed' });
    expect(await attemptsOf(harness, id)).toHaveLength(1);
  });

  test('a hundred that expire end the action', async () => {
    const ledger = ledgerOf(1);
    const harness = await startEngine({ store: await open(), ledger });
    ledger.script({ kind: 'acceptButForget', times: Number.POSITIVE_INFINITY });
    const id = await harness.send(await harness.wallet());
    const [end] = await endedAmidBlocks(harness, [id]);
    expect(end?.status).toBe('FAILED');
    expect(end?.problem).toContain('problem:expired');
    expect(await attemptsOf(harness, id)).toHaveLength(100);
    expect(ledger.executions()).toBe(0);
    expect(await harness.store.read.all('SELECT action_id FROM action_grant')).toEqual([]);
  }, 300_000);

  test('what expired is never sent again, whatever blocks are taken back', async () => {
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
    // In these blocks the first one could be executed again.
    ledger.reorganise(5, 'vanish');
    const [first, second] = await attemptsOf(harness, id);
    const sent = (txId: string | undefined) => ledger.submissions.filter((one) => one.txId === txId).length;
    const before = sent(second?.tx_id);
    await vi.waitFor(() => expect(sent(second?.tx_id)).toBeGreaterThan(before + 1), wait);
    expect(sent(first?.tx_id)).toBe(0);
    const [end] = await endedAmidBlocks(harness, [id]);
    expect(end).toMatchObject({ status: 'SUCCEEDED', locator: second?.tx_id });
    expect(ledger.balanceOf(to.address)).toBe(5n);
  });

  test('what has succeeded is told to be gone when its blocks were taken back and it expired since', async () => {
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
    // Taken back while it is valid: it is sent and executed again.
    const first = ledger.transactions.at(-1)?.blockHash;
    ledger.reorganise(1, 'vanish');
    await vi.waitFor(() => expect(ledger.executions()).toBe(1), wait);
    expect(ledger.transactions.at(-1)?.blockHash).not.toBe(first);
    expect(await retracted()).toBeNull();
    // Taken back, and overtaken before anybody sends it.
    ledger.mine(2);
    // That blocks are taken back is seen of those alone that were read.
    await vi.waitFor(() => expect(read).toBe(ledger.head.height), wait);
    ledger.reorganise(ledger.head.height, 'vanish');
    ledger.mine(10);
    await vi.waitFor(async () => expect(await retracted()).toContain('its time has passed'), wait);
    expect(await harness.status(id)).toMatchObject({ status: 'SUCCEEDED', locator: end?.locator });
    expect(harness.log.filter((line) => line.startsWith('warn action.retracted'))).toHaveLength(1);
    expect(ledger.executions()).toBe(0);
  });

  test('the deadline ends what expired, and says that nothing of it can be executed any more', async () => {
    const ledger = ledgerOf();
    const harness = await startEngine({ store: await open(), ledger, timing: { tick: 50 } });
    ledger.script({ kind: 'acceptButForget', times: Number.POSITIVE_INFINITY });
    const id = await harness.send(await harness.wallet());
    await vi.waitFor(async () => expect(await attemptsOf(harness, id)).toHaveLength(1), wait);
    // A signed transaction is not ended by time: it may be executed yet.
    await harness.passDeadline(id);
    expect((await harness.status(id)).status).toBe('PENDING');
    const [end] = await endedAmidBlocks(harness, [id]);
    expect(end?.status).toBe('FAILED');
    expect(end?.problem).toContain('deadline-passed');
    expect(end?.problem).toContain('executed nothing, and never will');
    expect(end?.problem).toContain('expired: it was valid until height');
    expect(await attemptsOf(harness, id)).toHaveLength(1);
  });
});
