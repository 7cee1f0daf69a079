import { createMemoryLedger } from '@ledger-ops/adapter-kit/memory';
import { describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { stopEngines, transfer } from './engine-harness.ts';
import {
  attemptsOf,
  changed,
  droppingNode,
  kindsOf,
  type Late,
  mineUntilFinal,
  passPatience,
  passUntil,
  passUntilFinal,
  pooled,
  startLate,
} from './late-harness.ts';

/** Waits for the work that the engine does after a response of the adapter. */
async function turns(): Promise<void> {
  for (let passed = 0; passed < 20; passed += 1) await new Promise(setImmediate);
}

describeStores('transactions that are not mined in time', (open) => {
  afterEach(stopEngines);

  test('after a permanent fee increase, bumps the whole queue together', async () => {
    const late = await startLate({ store: await open() });
    const { ledger, store } = late;
    const from = await late.wallet();
    const ids: string[] = [];
    for (let sent = 0; sent < 16; sent += 1) ids.push(await late.send(from));
    await pooled(late, 16);
    ledger.gasPrice = 200n;
    passPatience(late);
    await vi.waitFor(
      async () => {
        const kinds = await Promise.all(ids.map((id) => kindsOf(store, id)));
        expect(kinds).toEqual(ids.map(() => ['main', 'bump']));
      },
      { timeout: 30_000 },
    );
    await vi.waitFor(() => expect(ledger.pool.filter(({ gasPrice }) => gasPrice >= 200n)).toHaveLength(16), {
      timeout: 30_000,
    });
    ledger.mine();
    const ends = await late.ended(ids);
    expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(['SUCCEEDED']));
    expect(ledger.nonceOf(from.address)).toBe(16n);
  });

  test('after one replacement interval, gives up a transaction that can never be mined, and the next action continues', async () => {
    const late = await startLate({ store: await open() });
    const { ledger, store } = late;
    const from = await late.wallet();
    const reason = 'The transaction has 21500 gas, but needs at least 21510.';
    ledger.rule = (tx) => (tx.value === 7n ? reason : undefined);
    const id = await late.send(from, transfer(from.address, 7n));
    await pooled(late, 1);
    const next = await late.send(from);
    await pooled(late, 2);
    passPatience(late);
    await vi.waitFor(async () => expect(await kindsOf(store, id)).toEqual(['main', 'noop']), {
      timeout: 30_000,
    });
    await vi.waitFor(() => expect(ledger.pool).toHaveLength(2), { timeout: 30_000 });
    ledger.mine();
    const [end, after] = await late.ended([id, next]);
    expect(end?.problem).toContain('problem:dropped');
    expect(end?.problem).toContain(reason);
    expect(after?.status).toBe('SUCCEEDED');
    expect(await kindsOf(store, next)).toEqual(['main']);
    expect(ledger.nonceOf(from.address)).toBe(2n);
  });

  test('signs no empty transaction for an action that a mempool accepts while the empty transaction is built', async () => {
    const ledger = createMemoryLedger({ autoMine: false });
    const belowMinimum = {
      code: 'fee-above-cap',
      phase: 'prepare',
      detail: 'The minimum is above the cap.',
    } as const;
    let isBelow = true;
    const built = Promise.withResolvers<void>();
    const accepted = Promise.withResolvers<void>();
    const adapter = changed(ledger, (session) => ({
      async submit(all) {
        if (isBelow) {
          const problem = { ...belowMinimum, phase: 'submit' } as const;
          return all.map(({ txId }) => ({ txId, status: 'refused', problem, feeTooLow: 'minimum' }));
        }
        const answers = await session.submit(all);
        accepted.resolve();
        return answers;
      },
      async replace(requests) {
        if (isBelow && requests.some(({ kind }) => kind === 'noop')) {
          isBelow = false;
          built.resolve();
          // Waits until the engine has stored that the transaction was accepted.
          await accepted.promise;
          await turns();
        }
        if (isBelow) return requests.map(() => ({ status: 'wait', problem: belowMinimum }));
        return (await session.replace?.(requests)) ?? [];
      },
    }));
    const late = await startLate({ store: await open(), ledger, adapter });
    const id = await late.send(await late.wallet());
    let isBuilt = false;
    void built.promise.then(() => {
      isBuilt = true;
    });
    await passUntil(late, async () => isBuilt);
    await passUntil(late, async () => ledger.pool.length > 0);
    await turns();
    expect((await mineUntilFinal(late, id)).status).toBe('SUCCEEDED');
    expect(await kindsOf(late.store, id)).toEqual(['main']);
  });

  test('a first node that accepts and forgets every transaction does not delay actions by more than one replacement interval', async () => {
    const late = await startLate({ store: await open() });
    const from = await late.wallet();
    late.ledger.script({ kind: 'acceptButForget', othersKeep: true, times: Number.POSITIVE_INFINITY });
    const ids = [await late.send(from), await late.send(from)];
    passPatience(late);
    await pooled(late, 2);
    late.ledger.mine();
    const ends = await late.ended(ids);
    expect(ends.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED']);
    for (const id of ids) expect(await kindsOf(late.store, id)).toEqual(['main']);
  });

  test("a node that falsely reports a transaction as known fails only that action, not the rest of the wallet's queue", async () => {
    const ledger = createMemoryLedger({ autoMine: false });
    const { adapter, dropped } = droppingNode(ledger);
    const late = await startLate({ store: await open(), ledger, adapter });
    const from = await late.wallet();
    const id = await late.send(from);
    await pooled(late, 1);
    const [main] = ledger.pool;
    if (main === undefined) throw new Error('The pool is empty.');
    dropped.add(main.txId);
    ledger.forgetPool();
    await passUntil(late, async () => (await kindsOf(late.store, id)).includes('noop'));
    const end = await mineUntilFinal(late, id);
    expect(end.problem).toContain('problem:dropped');
    expect(end.problem).toContain('none of them returns it');
    expect(await kindsOf(late.store, id)).toEqual(['main', 'noop']);
    const next = await late.send(from);
    expect((await passUntilFinal(late, next)).status).toBe('SUCCEEDED');
    expect(ledger.nonceOf(from.address)).toBe(2n);
  });

  test('an action that a drained wallet cannot pay fails and reports the missing amount', async () => {
    const late = await startLate({ store: await open() });
    const { ledger } = late;
    const from = await late.wallet(10_000_000n);
    const other = await late.wallet(0n);
    const id = await late.send(from, transfer(other.address, 5_000_000n));
    await pooled(late, 1);
    ledger.fund(from.address, -6_000_000n);
    const end = await passUntilFinal(late, id);
    expect(end.problem).toContain('problem:dropped');
    expect(end.problem).toMatch(/holds 4000000, .*5210000/);
    expect(ledger.balanceOf(other.address)).toBe(0n);
    ledger.fund(from.address, 10_000_000n);
    const next = await late.send(from);
    expect((await passUntilFinal(late, next)).status).toBe('SUCCEEDED');
  });

  test('a wallet that can pay nothing reports the missing amount, and its queue continues within a few blocks of funding', async () => {
    const late = await startLate({ store: await open() });
    const { ledger, engine } = late;
    const from = await late.wallet(10_000_000n);
    const id = await late.send(from, transfer(from.address, 5_000_000n));
    const behind = await late.send(from);
    await pooled(late, 2);
    ledger.fund(from.address, -9_999_999n);
    await passUntil(late, async () =>
      /holds 1, but \d+ are required/.test((await late.status(id)).waiting ?? ''),
    );
    expect(engine.signed(behind).reasons.join()).toContain('starting with nonce 0');
    expect(await kindsOf(late.store, id)).toEqual(['main']);
    ledger.fund(from.address, 10_000_000n);
    late.clock.move(2_000);
    ledger.mine(2);
    await vi.waitFor(
      async () => {
        ledger.mine();
        expect((await late.status(id)).status).not.toBe('PENDING');
      },
      { timeout: 30_000 },
    );
    expect((await late.status(id)).status).toBe('SUCCEEDED');
  });

  test('reports both the required fee and the cap if the fee exceeds the cap, and the queue continues when the fee falls', async () => {
    const cap = 21_000 * 50;
    const ledger = createMemoryLedger({ autoMine: false });
    let isToFall = false;
    // The required fee falls between two replacements. An action whose replacement failed before that must still be
    // replaced after it.
    const adapter = changed(ledger, ({ replace }) => ({
      async replace(requests) {
        const answers = (await replace?.(requests)) ?? [];
        if (isToFall && requests.some(({ kind }) => kind === 'noop')) ledger.gasPrice = 40n;
        return answers;
      },
    }));
    const late = await startLate({ store: await open(), ledger, adapter, properties: { max_fee_cap: cap } });
    const from = await late.wallet();
    const id = await late.send(from);
    await pooled(late, 1);
    ledger.gasPrice = 1_000n;
    const told = async () => (await late.status(id)).waiting ?? '';
    await passUntil(late, async () => /requires 1000 .*max_fee_cap, 1050000/.test(await told()));
    isToFall = true;
    for (let patiences = 0; patiences < 6; patiences += 1) passPatience(late);
    await vi.waitFor(() => expect(ledger.gasPrice).toBe(40n), { timeout: 30_000 });
    expect((await late.status(id)).status).toBe('PENDING');
    late.clock.move(2_000);
    ledger.mine(2);
    // The replacement is in the pool, or is already mined.
    const isRaised = () =>
      ledger.nonceOf(from.address) > 0n || ledger.pool.some(({ gasPrice }) => gasPrice >= 40n);
    await vi.waitFor(() => expect(isRaised()).toBe(true), { timeout: 30_000 });
    ledger.mine();
    const [end] = await late.ended([id]);
    expect(end?.status).toBe('SUCCEEDED');
  });

  test('gives up a transaction too large for any block only when it is the oldest, and not if blocks become larger', async () => {
    const late = await startLate({ store: await open() });
    const { ledger, store } = late;
    const from = await late.wallet();
    const heavy = {
      ...transfer(from.address, 3n),
      native: { technology: 'ethereum', content: { gasLimit: '90000' } },
    } as const;
    const ids = [await late.send(from, heavy), await late.send(from, heavy), await late.send(from)];
    const [first = '', second = '', third = ''] = ids;
    await pooled(late, 3);
    ledger.blockGas = 30_000n;
    await passUntil(late, async () => (await kindsOf(store, first)).includes('noop'));
    expect(await kindsOf(store, second)).toEqual(['main']);
    await passUntilMined(late, from.address);
    ledger.blockGas = undefined;
    const [end] = await late.ended([first]);
    expect(end?.problem).toContain('a block holds only 30000');
    const ends = [await passUntilFinal(late, second), await passUntilFinal(late, third)];
    expect(ends.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED']);
    expect(ledger.nonceOf(from.address)).toBe(3n);
  });

  test('bumps a visible transaction with a sufficient fee twice before giving it up, but not while there are no blocks', async () => {
    const ledger = createMemoryLedger({ autoMine: false });
    const adapter = changed(ledger, () => ({ inspect: async (all) => all.map(() => ({ status: 'shown' })) }));
    const late = await startLate({ store: await open(), ledger, adapter });
    const from = await late.wallet();
    const heavy = {
      ...transfer(from.address, 3n),
      native: { technology: 'ethereum', content: { gasLimit: '90000' } },
    } as const;
    const id = await late.send(from, heavy);
    await pooled(late, 1);
    ledger.blockGas = 30_000n;
    for (let halted = 0; halted < 2; halted += 1) {
      late.clock.move(60_000);
      const sent = ledger.submissions.length;
      await vi.waitFor(() => expect(ledger.submissions.length).toBeGreaterThan(sent), { timeout: 30_000 });
    }
    expect(await kindsOf(late.store, id)).toEqual(['main']);
    const end = await passUntilFinal(late, id);
    expect(end.problem).toContain('but does not mine it although the fee is high enough');
    // On a busy machine, the clock may advance before the result is stored. The no-op is then bumped, too.
    const kinds = await kindsOf(late.store, id);
    expect(kinds.slice(0, 4)).toEqual(['main', 'bump', 'bump', 'noop']);
    expect(new Set(kinds.slice(3))).toEqual(new Set(['noop']));
  });

  test('a mined transaction that waits for confirmations is not late, and later transactions are still replaced', async () => {
    const late = await startLate({ store: await open(), properties: { confirmations: 200 } });
    const { ledger, store } = late;
    const from = await late.wallet();
    const mined = await late.send(from);
    await pooled(late, 1);
    ledger.mine();
    ledger.rule = (tx) => (tx.value === 7n ? 'The transaction is never mined.' : undefined);
    const stuck = await late.send(from, transfer(from.address, 7n));
    await pooled(late, 1);
    await passUntil(late, async () => (await kindsOf(store, stuck)).includes('noop'));
    expect(await kindsOf(store, mined)).toEqual(['main']);
    ledger.mine(200);
    const [end, dropped] = await late.ended([mined, stuck]);
    expect([end?.status, dropped?.status]).toEqual(['SUCCEEDED', 'FAILED']);
  });

  test('stores the grant for replacements until completion, but not if replacements are signed in advance', async () => {
    const late = await startLate({ store: await open() });
    const from = await late.wallet();
    const ids = [await late.send(from), await late.send(from, undefined, { unsigned: true })];
    await pooled(late, 2);
    for (const id of ids) expect(await attemptsOf(late.store, id)).toMatchObject([{ sealed: 1, settled: 0 }]);
    expect(await late.store.read.all('SELECT action_id FROM action_grant')).toEqual([]);
    late.ledger.mine();
    await late.ended(ids);
    for (const id of ids) expect(await attemptsOf(late.store, id)).toMatchObject([{ sealed: 0, settled: 1 }]);

    for (const properties of [{ presigned_replacements: true }, { replace_after: 0 }]) {
      const other = await startLate({ store: await open(), properties });
      const id = await other.send(await other.wallet());
      await pooled(other, 1);
      const sealed = (await attemptsOf(other.store, id)).map((attempt) => attempt.sealed);
      expect(sealed).toEqual(properties.replace_after === 0 ? [0] : [0, 0, 0, 0]);
    }
  });

  test('sends replacements signed in advance after the default interval, and the no-op only for the oldest action', async () => {
    const late = await startLate({ store: await open(), properties: { presigned_replacements: true } });
    const { ledger } = late;
    const from = await late.wallet();
    const ids = [await late.send(from), await late.send(from)];
    await pooled(late, 2);
    ledger.gasPrice = 20n;
    const [first = '', second = ''] = ids;
    await passUntilMined(late, from.address);
    ledger.gasPrice = 10n;
    const [end] = await late.ended([first]);
    expect(end?.problem).toContain('problem:dropped');
    expect((await passUntilFinal(late, second)).status).toBe('SUCCEEDED');
    expect(ledger.nonceOf(from.address)).toBe(2n);
  });

  test('a transaction waits without a time limit if the ledger does not replace transactions', async () => {
    const late = await startLate({ store: await open(), properties: { replace_after: 0 } });
    const id = await late.send(await late.wallet());
    await pooled(late, 1);
    late.ledger.gasPrice = 200n;
    for (let patiences = 0; patiences < 5; patiences += 1) passPatience(late);
    const before = late.ledger.submissions.length;
    late.clock.move(10_000);
    await vi.waitFor(() => expect(late.ledger.submissions.length).toBeGreaterThan(before), {
      timeout: 30_000,
    });
    expect(await kindsOf(late.store, id)).toEqual(['main']);
    late.ledger.gasPrice = 10n;
    late.ledger.mine();
    expect((await late.ended([id]))[0]?.status).toBe('SUCCEEDED');
  });
});

/**
 * Lets replacement intervals pass until the account's first nonce is used. If more intervals passed, the next action
 * would be given up.
 */
const passUntilMined = (late: Late, address: string) =>
  passUntil(late, async () => late.ledger.nonceOf(address) > 0n);
