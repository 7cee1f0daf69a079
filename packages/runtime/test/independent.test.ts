import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { ResolvedOperation } from '@ledger-ops/adapter';
import { counterContract, createMemoryLedger, type MemoryLedger } from '@ledger-ops/adapter-kit/memory';
import { unpackActivities } from '@ledger-ops/auth';
import { hyperledgerFabric, operationKey, withoutSecrets } from '@ledger-ops/glo-core';
import { type OpenStoreOptions, type Store, StoreError } from '@ledger-ops/store';
import { describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { never } from '../src/rows/actions/continue.ts';
import { type EngineHarness, startEngine, stopEngines, transfer } from './engine-harness.ts';

const native = { technology: 'ethereum', content: {} } as const;
const deploy: ResolvedOperation = {
  type: 'contract_deploy',
  source: counterContract,
  args: ['3'],
  value: 0n,
  native,
};

async function attemptsOf({ store }: EngineHarness, actionId: string) {
  return store.read.all<{ n: number; tx_id: string; note: string | null; settled_at: number | null }>(
    'SELECT n, tx_id, note, settled_at FROM attempt WHERE action_id = $1 ORDER BY n',
    [actionId],
  );
}

async function grantsOf({ store }: Pick<EngineHarness, 'store'>) {
  return store.read.all('SELECT action_id FROM action_grant');
}

/** Returns all rows of the database, and the content of its files on SQLite. */
async function dump(store: Store, location: OpenStoreOptions): Promise<string> {
  const tables = await store.read.all<{ name: string }>(
    store.dialect === 'sqlite'
      ? "SELECT name FROM sqlite_master WHERE type = 'table'"
      : "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
  );
  const rows = await Promise.all(tables.map(({ name }) => store.read.all(`SELECT * FROM "${name}"`)));
  const texts = rows
    .flat(2)
    .map((row) =>
      JSON.stringify(row, (_, value: unknown) =>
        value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
      ),
    );
  const { file: database } = location;
  const files = database === undefined ? [] : [database, `${database}-wal`];
  for (const file of files) if (existsSync(file)) texts.push(readFileSync(file, 'latin1'));
  return texts.join('\n');
}

describeStores('independent transactions', (open, { locate }) => {
  afterEach(stopEngines);

  const start = async (
    ledger: MemoryLedger = createMemoryLedger({ sequence: 'none' }),
    properties: Record<string, string | number> = {},
    store?: Store,
  ) => startEngine({ store: store ?? (await open()), ledger, properties });

  test('many independent transactions of several wallets are each executed exactly once', async () => {
    const harness = await start();
    const wallets = await Promise.all([1, 2, 3].map(() => harness.wallet()));
    const target = await harness.wallet(0n);
    const ids = await Promise.all(
      wallets.flatMap((from) =>
        Array.from({ length: 40 }, () => harness.send(from, transfer(target.address, 2n))),
      ),
    );
    const ends = await harness.ended(ids);
    expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(['SUCCEEDED']));
    expect(harness.ledger.balanceOf(target.address)).toBe(240n);
    expect(new Set(ends.map(({ locator }) => locator)).size).toBe(120);
    expect(await grantsOf(harness)).toEqual([]);
  }, 180_000);

  test.each(['prepare', 'advance', 'submit'] as const)(
    'a transaction that hangs in %s does not delay other transactions',
    async (method) => {
      const harness = await start();
      const from = await harness.wallet();
      const script = harness.ledger.script({ kind: 'hang', method });
      const stuck = await harness.send(from);
      await vi.waitFor(() => expect(script.fired).toBe(1), 30_000);
      const others = await Promise.all(Array.from({ length: 20 }, () => harness.send(from)));
      const ends = await harness.ended(others);
      expect(ends.every(({ status }) => status === 'SUCCEEDED')).toBe(true);
      expect((await harness.status(stuck)).status).toBe('PENDING');
      script.clear();
      const [end] = await harness.ended([stuck]);
      expect(end?.status).toBe('SUCCEEDED');
      expect(harness.ledger.executions()).toBe(21);
    },
  );

  test('retries to follow a ledger if the first attempt fails', async () => {
    const store = await open();
    const failure = new StoreError('unavailable', 'The database is unavailable.');
    let isAway = false;
    const all: Store['read']['all'] = (sql, values) => {
      if (!isAway || !sql.includes('FROM chain_mark WHERE ledger_uid')) return store.read.all(sql, values);
      isAway = false;
      return Promise.reject(failure);
    };
    const harness = await start(undefined, {}, { ...store, read: { ...store.read, all } });
    const from = await harness.wallet();
    isAway = true;
    await expect(harness.send(from)).rejects.toBe(failure);
    expect((await harness.engine.state()).ledgers).toEqual([]);
    const [end] = await harness.ended([await harness.send(from)]);
    expect(end?.status).toBe('SUCCEEDED');
  });

  test('retries after temporary failures and reports them, but fails the action after any other failure', async () => {
    const harness = await start();
    const from = await harness.wallet();
    const problem = { phase: 'prepare', detail: 'No peer answers.' } as const;
    harness.ledger.script({ kind: 'failPrepare', problem: { ...problem, code: 'unavailable' } });
    const waits = await harness.send(from);
    await vi.waitFor(
      async () => expect((await harness.status(waits)).waiting).toBe('No peer answers.'),
      30_000,
    );
    const [end] = await harness.ended([waits]);
    expect(end).toMatchObject({ status: 'SUCCEEDED', waiting: null });

    harness.ledger.script({ kind: 'failPrepare', problem: { ...problem, code: 'endorsement-failed' } });
    const [failed] = await harness.ended([await harness.send(from)]);
    expect(failed?.status).toBe('FAILED');
    expect(failed?.problem).toContain('endorsement-failed');
    expect(await grantsOf(harness)).toEqual([]);
    expect(harness.ledger.submissions).toHaveLength(1);
  });

  test('if storing an action fails, a transaction that was prepared in the meantime is discarded', async () => {
    const harness = await start();
    const [from, target] = [await harness.wallet(), await harness.wallet(0n)];
    const actionId = randomUUID();
    const twice = () => harness.send(from, transfer(target.address, 5n), { actionId });
    const answers = await Promise.allSettled([twice(), twice()]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    await harness.ended([actionId]);
    await expect(twice()).rejects.toThrow('already');
    // If the discarded transaction were sent, the ledger would receive it before this one.
    const [end] = await harness.ended([await harness.send(from)]);
    expect(end?.status).toBe('SUCCEEDED');
    expect(harness.ledger.balanceOf(target.address)).toBe(5n);
    expect(harness.ledger.submissions).toHaveLength(2);
    const stored = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    expect(await attemptsOf(harness, stored[0] ?? '')).toHaveLength(1);
  });

  test('the limit max_in_flight of a wallet delays only its own actions', async () => {
    const ledger = createMemoryLedger({ sequence: 'none', autoMine: false });
    const harness = await start(ledger, { max_in_flight: 4 });
    const [from, other] = [await harness.wallet(), await harness.wallet()];
    const ids = await Promise.all(Array.from({ length: 10 }, () => harness.send(from)));
    await vi.waitFor(() => expect(ledger.pool).toHaveLength(4), 30_000);
    const free = await harness.send(other);
    await vi.waitFor(() => expect(ledger.pool).toHaveLength(5), 30_000);
    ledger.autoMine = true;
    const ends = await harness.ended([...ids, free]);
    expect(ends.every(({ status }) => status === 'SUCCEEDED')).toBe(true);
    expect(ledger.executions()).toBe(11);
  });

  test('an action that waits because of max_in_flight continues when an earlier action fails', async () => {
    const harness = await start(undefined, { max_in_flight: 1 });
    const from = await harness.wallet();
    const script = harness.ledger.script({ kind: 'hang', method: 'prepare' });
    const first = await harness.send(from);
    await vi.waitFor(() => expect(script.fired).toBe(1), 30_000);
    const second = await harness.send(from);
    const problem = { code: 'endorsement-failed', phase: 'prepare', detail: 'No.' } as const;
    harness.ledger.script({ kind: 'failPrepare', problem });
    script.clear();
    const ends = await harness.ended([first, second]);
    expect(ends.map(({ status }) => status)).toEqual(['FAILED', 'SUCCEEDED']);
  });

  test('the locator of an action with several steps is the transaction of its last step', async () => {
    const harness = await start(createMemoryLedger({ sequence: 'none', deploySteps: 3 }));
    const from = await harness.wallet();
    const id = await harness.send(from, deploy);
    const [end] = await harness.ended([id]);
    expect(end?.status).toBe('SUCCEEDED');
    const attempts = await attemptsOf(harness, id);
    expect(attempts.map(({ n }) => n)).toEqual([0, 1, 2]);
    expect(attempts.every(({ settled_at }) => settled_at !== null)).toBe(true);
    expect(end?.locator).toBe(attempts[2]?.tx_id);
    expect(harness.ledger.executions()).toBe(3);
    expect(await grantsOf(harness)).toEqual([]);
    await unpackActivities(harness.store);
    const steps = await harness.store.read.all<{ action: string; identity: string }>(
      'SELECT action, identity FROM timeline WHERE target_object = $1 ORDER BY uid',
      [id],
    );
    expect(steps.map(({ action }) => action)).toEqual([
      'accept',
      'sign',
      'continue',
      'sign',
      'continue',
      'sign',
      'succeed',
    ]);
    expect(steps[0]?.identity).toBe('caller');
  });

  test('recreates a transaction that the ledger recorded as invalid, as often as the ledger allows', async () => {
    const harness = await start(undefined, { retries: 2 });
    const from = await harness.wallet();
    harness.ledger.script({ kind: 'invalidate', times: 2 });
    const id = await harness.send(from);
    const [end] = await harness.ended([id]);
    expect(end?.status).toBe('SUCCEEDED');
    expect(await attemptsOf(harness, id)).toHaveLength(3);
    expect(harness.ledger.executions()).toBe(1);
    const [row] = await harness.store.read.all<{ details: string }>(
      'SELECT details FROM action WHERE id = $1',
      [id],
    );
    expect(JSON.parse(row?.details ?? '')).toEqual({ round: 2 });

    harness.ledger.script({ kind: 'invalidate', times: 3 });
    const [failed] = await harness.ended([await harness.send(from)]);
    expect(failed?.status).toBe('FAILED');
    expect(failed?.problem).toContain('invalidated');
    expect(await grantsOf(harness)).toEqual([]);
  });

  test('signs and tracks a stored next step even if the server did not receive the commit’s confirmation', async () => {
    const store = await open();
    let settles = 0;
    let signs = 0;
    let silent = false;
    const harness = await startEngine({
      store: {
        ...store,
        dialect: store.dialect,
        read: store.read,
        async transaction(work) {
          const unanswered = silent;
          silent = false;
          const result = await store.transaction(work);
          if (unanswered) throw new StoreError('unavailable', 'The connection broke.');
          return result;
        },
      },
      ledger: createMemoryLedger({ sequence: 'none', deploySteps: 2 }),
      timing: { lease: 6_000 },
      faults(point) {
        if (point === 'sign:after-commit') signs += 1;
        if (point !== 'settle:before-commit') return;
        settles += 1;
        if (settles === 1) silent = true;
        // Writing the outcome fails again until the next step is signed.
        else if (signs < 2) throw new StoreError('unavailable', 'The database is unavailable.');
      },
    });
    const from = await harness.wallet();
    const [end] = await harness.ended([await harness.send(from, deploy)]);
    expect(end?.status).toBe('SUCCEEDED');
    expect(harness.ledger.executions()).toBe(2);
  });

  test('does not recreate a transaction before its retry delay ends, even if its row is read earlier', async () => {
    const store = await open();
    let isSettling = false;
    let reads = 0;
    const harness = await startEngine({
      store: {
        ...store,
        dialect: store.dialect,
        read: {
          ...store.read,
          dialect: store.read.dialect,
          all: async (...given) => {
            if (given[0].includes("stage = 'ready'")) reads += 1;
            return store.read.all(...given);
          },
        },
        async transaction(work) {
          const isHeldUp = isSettling;
          isSettling = false;
          const result = await store.transaction(work);
          // The adapter's response is delayed until the engine has read the ready actions again.
          const before = reads;
          if (isHeldUp) await vi.waitFor(() => expect(reads).toBeGreaterThan(before + 1), 30_000);
          return result;
        },
      },
      ledger: createMemoryLedger({ sequence: 'none' }),
      properties: { retries: 1, retry_delay: 3_600_000 },
      timing: { tick: 20 },
      faults(point) {
        isSettling = point === 'settle:before-commit';
      },
    });
    harness.ledger.script({ kind: 'invalidate', times: 1 });
    const id = await harness.send(await harness.wallet());
    await vi.waitFor(
      async () => expect((await harness.status(id)).waiting).toContain('created again'),
      30_000,
    );
    const before = reads;
    await vi.waitFor(() => expect(reads).toBeGreaterThan(before + 2), 30_000);
    expect(await attemptsOf(harness, id)).toHaveLength(1);
    expect((await harness.status(id)).status).toBe('PENDING');
  });

  test('stops a plugin that requests an endless number of transactions for one action', async () => {
    const harness = await start(undefined, { retries: 100_000 });
    const from = await harness.wallet();
    const script = harness.ledger.script({ kind: 'invalidate', times: Number.POSITIVE_INFINITY });
    const id = await harness.send(from);
    const [end] = await harness.ended([id]);
    script.clear();
    expect(end?.status).toBe('FAILED');
    expect(end?.problem).toContain('plugin-fault');
    expect(await attemptsOf(harness, id)).toHaveLength(100);
    expect(await grantsOf(harness)).toEqual([]);
  }, 300_000);

  test('at the deadline, an action without an executed step fails, but a partly executed one does not', async () => {
    const ledger = createMemoryLedger({ sequence: 'none' });
    const nowhere = await start(ledger, { retries: 1, retry_delay: 600_000 });
    const from = await nowhere.wallet();
    ledger.script({ kind: 'invalidate', times: 1 });
    const again = await nowhere.send(from, transfer(from.address));
    await vi.waitFor(
      async () => expect((await nowhere.status(again)).waiting).toContain('created again'),
      30_000,
    );
    await nowhere.passDeadline(again);
    const [first] = await nowhere.ended([again]);
    expect(first?.problem).toContain('deadline-passed');

    const stepwise = createMemoryLedger({ sequence: 'none', deploySteps: 2 });
    const between = await start(stepwise, { retry_delay: 1_000 });
    const half = await between.send(await between.wallet(), deploy);
    const [second] = await between.ended([half]);
    expect(second?.status).toBe('SUCCEEDED');
    // The action has no deadline after its first transaction has succeeded.
    expect(await between.store.read.all('SELECT deadline FROM action WHERE id = $1', [half])).toEqual([
      { deadline: never },
    ]);
  });

  test('an action fails immediately, and is not resent, if the ledger will certainly never accept its transaction', async () => {
    const harness = await start();
    const from = await harness.wallet();
    harness.ledger.script({ kind: 'rejectForCertain' });
    const [end] = await harness.ended([await harness.send(from)]);
    expect(end).toMatchObject({ status: 'FAILED', locator: null });
    expect(end?.problem).toContain('never accept');
    const [next] = await harness.ended([await harness.send(from)]);
    expect(next?.status).toBe('SUCCEEDED');
    expect(harness.ledger.submissions).toHaveLength(1);
  });

  test('only the first submission of a transaction is marked as first', async () => {
    const ledger = createMemoryLedger({ sequence: 'none', autoMine: false });
    const harness = await start(ledger);
    const from = await harness.wallet();
    const id = await harness.send(from);
    await vi.waitFor(() => expect(ledger.submissions).toHaveLength(1), 30_000);
    ledger.forgetPool();
    await vi.waitFor(() => expect(ledger.submissions.length).toBeGreaterThan(1), { timeout: 30_000 });
    expect(ledger.submissions.map(({ first }) => first).slice(0, 2)).toEqual([true, false]);
    ledger.autoMine = true;
    const [end] = await harness.ended([id]);
    expect(end?.status).toBe('SUCCEEDED');
    expect(ledger.executions()).toBe(1);
  });

  test('a transaction with an id assigned by the ledger is sent once, and found by that id after a restart', async () => {
    const ledger = createMemoryLedger({ sequence: 'none', ownIds: true, autoMine: false });
    const store = await open();
    const first = await start(ledger, {}, store);
    const from = await first.wallet();
    const id = await first.send(from);
    await vi.waitFor(async () => expect((await attemptsOf(first, id))[0]?.note).toMatch(/^own:/), 30_000);
    await stopEngines();
    const second = await start(ledger, {}, store);
    const other = await second.send(from);
    ledger.autoMine = true;
    const [end] = await second.ended([id, other]);
    expect(end?.status).toBe('SUCCEEDED');
    expect(end?.locator).toBe((await attemptsOf(second, id))[0]?.note);
    expect(ledger.submissions).toHaveLength(2);
  });

  test('a secret in the plan reaches every step and is never stored in plain text', async () => {
    const value = Buffer.from('a confidential price').toString('base64');
    const operation: ResolvedOperation = {
      ...deploy,
      native: { technology: 'hyperledger-fabric', content: { transient: { price: value } } },
    };
    const ledger = createMemoryLedger({ sequence: 'none', deploySteps: 2 });
    const location = await locate();
    const harness = await start(ledger, { retries: 1, retry_delay: 300 }, await open(location));
    const from = await harness.wallet();
    ledger.script({ kind: 'invalidate', times: 1 });
    const text = operationKey(
      withoutSecrets(
        {
          type: 'contract_deploy',
          args: [],
          value: 0n,
          native: operation.native,
        },
        hyperledgerFabric,
      ),
    );
    const id = await harness.send(from, operation, { operation: text });
    await vi.waitFor(
      async () => expect((await harness.status(id)).waiting).toContain('created again'),
      30_000,
    );
    const during = await dump(harness.store, location);
    expect(during).toContain(id);
    expect(during).toContain('price');
    expect(during).not.toContain(value);
    expect(during).not.toContain('a confidential price');
    const [end] = await harness.ended([id]);
    expect(end?.status).toBe('SUCCEEDED');
    expect(await dump(harness.store, location)).not.toContain(value);
    expect(harness.log.join('\n')).not.toContain(value);
  });
});
