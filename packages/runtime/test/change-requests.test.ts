import { createMemoryLedger } from '@ledger-ops/adapter-kit/memory';
import { describePostgres, describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { stopEngines, transfer } from './engine-harness.ts';
import {
  attemptsOf,
  changed,
  createClock,
  kindsOf,
  pooled,
  requestChange,
  startLate,
} from './late-harness.ts';

const wait = { timeout: 30_000 };

describeStores('requests to change actions', (open) => {
  afterEach(stopEngines);

  test('immediately cancels an action that is waiting for dependencies, and its dependents fail', async () => {
    const late = await startLate({ store: await open() });
    const from = await late.wallet();
    const first = await late.send(from);
    const second = await late.send(from, undefined, { dependencies: [first] });
    const third = await late.send(from, undefined, { dependencies: [second] });
    await pooled(late, 1);
    expect(await requestChange(late, second, 'cancel')).toBe('ended');
    const states = [await late.status(second), await late.status(third)];
    expect(states.map(({ status }) => status)).toEqual(['FAILED', 'FAILED']);
    expect(states[0]?.problem).toContain('problem:cancelled');
    expect(states[1]?.problem).toContain('problem:dependency-failed');
    late.ledger.mine();
    expect((await late.ended([first]))[0]?.status).toBe('SUCCEEDED');
    expect(late.ledger.nonceOf(from.address)).toBe(1n);
  });

  test('an unsigned action is canceled immediately, is never signed, and does not use a nonce', async () => {
    const late = await startLate({ store: await open() });
    const from = await late.wallet(0n);
    const id = await late.send(from, undefined, { unsigned: true });
    await vi.waitFor(async () => expect((await late.status(id)).waiting).toContain('can spend 0'), wait);
    expect(await requestChange(late, id, 'cancel')).toBe('ended');
    expect((await late.status(id)).problem).toContain('The action was not signed yet, so nothing was sent.');
    expect(await late.store.read.all('SELECT action_id FROM action_grant')).toEqual([]);
    late.ledger.fund(from.address, 10n ** 18n);
    const next = await late.send(from);
    await vi.waitFor(
      () => {
        late.clock.move(1_000);
        expect(late.ledger.pool).toHaveLength(1);
      },
      { ...wait, interval: 200 },
    );
    late.ledger.mine();
    expect((await late.ended([next]))[0]?.status).toBe('SUCCEEDED');
    expect(await kindsOf(late.store, id)).toEqual([]);
  });

  test('immediately cancels a signed action with an empty transaction, and later actions of the wallet continue', async () => {
    const late = await startLate({ store: await open() });
    const from = await late.wallet();
    const other = await late.wallet(0n);
    const id = await late.send(from, transfer(other.address, 7n));
    await pooled(late, 1);
    expect(await requestChange(late, id, 'cancel')).toBe('stored');
    await vi.waitFor(() => expect(late.ledger.pool.map(({ value }) => value)).toEqual([0n]), wait);
    const next = await late.send(from);
    await pooled(late, 2);
    late.ledger.mine();
    const [end, after] = await late.ended([id, next]);
    expect(end).toMatchObject({ status: 'FAILED' });
    expect(end?.problem).toContain('problem:cancelled');
    expect(after?.status).toBe('SUCCEEDED');
    expect(late.ledger.balanceOf(other.address)).toBe(0n);
    expect(await attemptsOf(late.store, id)).toMatchObject([
      { kind: 'main', sealed: 0, settled: 1 },
      { kind: 'noop', sealed: 0, settled: 1 },
    ]);
  });

  test('canceling a signed action does not affect earlier actions of its wallet', async () => {
    const late = await startLate({ store: await open() });
    const from = await late.wallet();
    const ids = [await late.send(from), await late.send(from), await late.send(from)];
    const [, middle = ''] = ids;
    await pooled(late, 3);
    await requestChange(late, middle, 'cancel');
    await vi.waitFor(async () => expect(await kindsOf(late.store, middle)).toEqual(['main', 'noop']), wait);
    await vi.waitFor(() => expect(late.ledger.pool.some(({ gasPrice }) => gasPrice > 10n)).toBe(true), wait);
    late.ledger.mine();
    const ends = await late.ended(ids);
    expect(ends.map(({ status }) => status)).toEqual(['SUCCEEDED', 'FAILED', 'SUCCEEDED']);
    expect(late.ledger.nonceOf(from.address)).toBe(3n);
  });

  test('a canceled action succeeds if the chain executes it before its replacement is sent', async () => {
    const ledger = createMemoryLedger({ autoMine: false });
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    const adapter = changed(ledger, (session) => ({
      async replace(all) {
        const made = (await session.replace?.(all)) ?? [];
        asked.resolve();
        await answer.promise;
        return made;
      },
    }));
    const late = await startLate({ store: await open(), ledger, adapter });
    const from = await late.wallet();
    const id = await late.send(from);
    await pooled(late, 1);
    await requestChange(late, id, 'cancel');
    await asked.promise;
    ledger.mine();
    answer.resolve();
    expect((await late.ended([id]))[0]?.status).toBe('SUCCEEDED');
    const next = await late.send(from);
    await pooled(late, 1);
    ledger.mine();
    expect((await late.ended([next]))[0]?.status).toBe('SUCCEEDED');
    expect(ledger.nonceOf(from.address)).toBe(2n);
  });

  test('resends the empty replacement of a canceled transaction, but not the transaction itself', async () => {
    const late = await startLate({ store: await open() });
    const { ledger } = late;
    const from = await late.wallet();
    const id = await late.send(from, transfer(from.address, 7n));
    await pooled(late, 1);
    await requestChange(late, id, 'cancel');
    await vi.waitFor(() => expect(ledger.pool.map(({ value }) => value)).toEqual([0n]), wait);
    ledger.forgetPool();
    const sent = ledger.submissions.length;
    late.clock.move(4_000);
    await pooled(late, 1);
    const rows = await late.store.read.all<{ tx_id: string }>(
      "SELECT tx_id FROM attempt WHERE action_id = $1 AND kind = 'noop'",
      [id],
    );
    const again = ledger.submissions.slice(sent).map(({ txId }) => txId);
    expect(new Set(again)).toEqual(new Set(rows.map(({ tx_id }) => tx_id)));
  });

  test('a cancellation that the fee cap prevents reports the reason, and completes when the fee falls', async () => {
    const late = await startLate({ store: await open(), properties: { max_fee_cap: 21_000 * 50 } });
    const { ledger } = late;
    const from = await late.wallet();
    const id = await late.send(from);
    await pooled(late, 1);
    ledger.gasPrice = 1_000n;
    await requestChange(late, id, 'cancel');
    await vi.waitFor(
      async () =>
        expect((await late.status(id)).waiting).toMatch(
          /cannot be canceled now: .* requires 1000 .*max_fee_cap/,
        ),
      wait,
    );
    ledger.gasPrice = 10n;
    late.clock.move(3_000);
    await vi.waitFor(async () => expect(await kindsOf(late.store, id)).toEqual(['main', 'noop']), wait);
    await vi.waitFor(async () => expect((await late.status(id)).waiting).toBeNull(), wait);
    ledger.mine();
    expect((await late.ended([id]))[0]?.problem).toContain('problem:cancelled');
  });

  test('each hurry request raises the fee immediately, within the requested cap', async () => {
    const late = await startLate({ store: await open() });
    const { ledger } = late;
    const from = await late.wallet();
    const id = await late.send(from);
    await pooled(late, 1);
    ledger.gasPrice = 50n;
    await requestChange(late, id, 'hurry', 20n);
    await vi.waitFor(
      async () =>
        expect((await late.status(id)).waiting).toMatch(
          /fee cannot be raised now: .*cap of the caller is 20/,
        ),
      wait,
    );
    expect(await kindsOf(late.store, id)).toEqual(['main']);
    for (const [price, cap] of [
      [50n, 60n],
      [55n, undefined],
    ] as const) {
      await requestChange(late, id, 'hurry', cap);
      await vi.waitFor(() => expect(ledger.pool[0]?.gasPrice).toBeGreaterThanOrEqual(price), wait);
    }
    expect(await kindsOf(late.store, id)).toEqual(['main', 'bump', 'bump']);
    ledger.mine();
    const [end] = await late.ended([id]);
    expect(end).toMatchObject({ status: 'SUCCEEDED' });
    expect(ledger.nonceOf(from.address)).toBe(1n);
  });

  test('an action can be canceled after a hurry request, but not hurried after a cancellation', async () => {
    const late = await startLate({ store: await open(), properties: { max_fee_cap: 21_000 * 50 } });
    const from = await late.wallet();
    const id = await late.send(from);
    await pooled(late, 1);
    late.ledger.gasPrice = 1_000n;
    expect(await requestChange(late, id, 'hurry')).toBe('stored');
    expect(await requestChange(late, id, 'cancel')).toBe('stored');
    expect(await requestChange(late, id, 'hurry')).toBe('moved');
    late.ledger.gasPrice = 10n;
    await vi.waitFor(
      async () => {
        late.clock.move(1_000);
        // If the engine was already handling the request for a higher fee when the fee fell, it may have sent a bump
        // first.
        expect((await kindsOf(late.store, id)).join()).toMatch(/^main,(bump,)?noop$/);
      },
      { ...wait, interval: 300 },
    );
    late.ledger.mine();
    expect((await late.ended([id]))[0]?.problem).toContain('problem:cancelled');
  });

  test('uses replacements signed in advance: the next bump for a hurry request, and the no-op for a cancellation', async () => {
    const late = await startLate({ store: await open(), properties: { presigned_replacements: true } });
    const { ledger, store } = late;
    const from = await late.wallet();
    const ids = [await late.send(from), await late.send(from)];
    const [hurried = '', cancelled = ''] = ids;
    await pooled(late, 2);
    await requestChange(late, hurried, 'hurry');
    await requestChange(late, cancelled, 'cancel');
    const sentOf = async (id: string) => {
      const rows = await store.read.all<{ tx_id: string; kind: string; n: number }>(
        'SELECT tx_id, kind, n FROM attempt WHERE action_id = $1 ORDER BY n',
        [id],
      );
      return rows
        .filter(({ tx_id }) => ledger.submissions.some(({ txId }) => txId === tx_id))
        .map(({ n }) => n);
    };
    await vi.waitFor(async () => expect(await sentOf(hurried)).toEqual([0, 1]), wait);
    await vi.waitFor(async () => expect(await sentOf(cancelled)).toEqual([0, 3]), wait);
    await vi.waitFor(
      async () => expect(await store.read.all("SELECT id FROM action WHERE change = 'hurry'")).toEqual([]),
      wait,
    );
    ledger.mine();
    const [end, other] = await late.ended(ids);
    expect(end?.status).toBe('SUCCEEDED');
    expect(other?.problem).toContain('problem:cancelled');
  });

  test('without a stored grant, stores a grant from the password until the action completes, even across a restart', async () => {
    const store = await open();
    const ledger = createMemoryLedger({ autoMine: false });
    const properties = { replace_after: 0 };
    const first = await startLate({ store, ledger, properties });
    const from = await first.wallet();
    const ids = [await first.send(from, transfer(from.address, 7n)), await first.send(from)];
    const [hurried = '', cancelled = ''] = ids;
    await pooled(first, 2);
    expect(await attemptsOf(store, cancelled)).toMatchObject([{ kind: 'main', sealed: 0 }]);
    await requestChange(first, hurried, 'hurry', undefined, await first.grant(from, hurried, 0));
    await vi.waitFor(async () => expect(await kindsOf(store, hurried)).toEqual(['main', 'bump']), wait);
    ledger.gasPrice = 10n ** 14n;
    await requestChange(first, cancelled, 'cancel', undefined, await first.grant(from, cancelled, 1));
    await vi.waitFor(
      async () => expect((await first.status(cancelled)).waiting).toContain('are required'),
      wait,
    );
    await stopEngines();
    ledger.gasPrice = 10n;
    const second = await startLate({ store, ledger, properties });
    await vi.waitFor(async () => expect(await kindsOf(store, cancelled)).toEqual(['main', 'noop']), wait);
    await vi.waitFor(() => expect(ledger.pool.map(({ value }) => value)).toEqual([7n, 0n]), wait);
    ledger.mine();
    const [end, other] = await second.ended(ids);
    expect(end?.status).toBe('SUCCEEDED');
    expect(other?.problem).toContain('problem:cancelled');
    for (const id of ids) expect((await attemptsOf(store, id)).map(({ sealed }) => sealed)).toEqual([0, 0]);
  });

  test('after a hurry request, reports that all bumps signed in advance have been sent', async () => {
    const late = await startLate({ store: await open(), properties: { presigned_replacements: true } });
    const from = await late.wallet();
    const id = await late.send(from);
    await pooled(late, 1);
    await vi.waitFor(
      async () => {
        await requestChange(late, id, 'hurry');
        expect((await late.status(id)).waiting).toContain('signed in advance have been sent');
      },
      { ...wait, interval: 300 },
    );
    late.ledger.mine();
    expect((await late.ended([id]))[0]?.status).toBe('SUCCEEDED');
  });

  test('an action that is signed and canceled at the same moment is either signed or canceled, but not both', async () => {
    const late = await startLate({ store: await open(), properties: { max_in_flight: 1_000 } });
    const from = await late.wallet();
    const ids = await Promise.all(
      Array.from({ length: 20 }, () => late.send(from, undefined, { unsigned: true })),
    );
    const answers = await Promise.all(ids.map((id) => requestChange(late, id, 'cancel')));
    for (const [index, id] of ids.entries()) {
      if (answers[index] !== 'moved') continue;
      // The cancellation was checked before the action was signed, and is stored after that.
      expect(await requestChange(late, id, 'cancel')).toBe('stored');
      answers[index] = 'stored';
    }
    const signed = ids.filter((_, index) => answers[index] === 'stored');
    for (const id of signed)
      await vi.waitFor(async () => expect(await kindsOf(late.store, id)).toContain('noop'), wait);
    for (const id of ids) if (!signed.includes(id)) expect(await kindsOf(late.store, id)).toEqual([]);
    await vi.waitFor(
      async () => {
        late.ledger.mine();
        const states = await Promise.all(ids.map((id) => late.status(id)));
        expect(states.filter(({ status }) => status === 'PENDING')).toEqual([]);
      },
      { ...wait, interval: 200 },
    );
    expect(late.ledger.nonceOf(from.address)).toBe(BigInt(signed.length));
  });
});

describePostgres('requests to change actions of another server', (open, { locate }) => {
  afterEach(stopEngines);

  test('the server that owns the lane executes a change request that another server received', async () => {
    const database = await locate();
    const ledger = createMemoryLedger({ autoMine: false });
    const clock = createClock();
    const first = await startLate({ store: await open(database), ledger, clock });
    const from = await first.wallet();
    const id = await first.send(from, transfer(from.address, 7n));
    await pooled(first, 1);
    const second = await startLate({ store: await open(database), ledger, clock });
    expect(await requestChange(second, id, 'cancel')).toBe('stored');
    await vi.waitFor(() => expect(ledger.pool.map(({ value }) => value)).toEqual([0n]), wait);
    ledger.mine();
    const [end] = await second.ended([id]);
    expect(end?.problem).toContain('problem:cancelled');
    expect(ledger.nonceOf(from.address)).toBe(1n);
  });
});
