import { createMemoryLedger } from '@ledger-ops/adapter-kit/memory';
import { describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { stopEngines, transfer } from './engine-harness.ts';
import {
  attemptsOf,
  changed,
  endOf,
  kindsOf,
  type Late,
  lyingNode,
  minedEndOf,
  pass,
  passUntil,
  pooled,
  startLate,
} from './late-harness.ts';

describeStores('nothing jams, whatever becomes of a transaction', (open) => {
  afterEach(stopEngines);

  test('a fee that rises and stays is followed, for all of a queue at once', async () => {
    const late = await startLate({ store: await open() });
    const { ledger, store } = late;
    const from = await late.wallet();
    const ids: string[] = [];
    for (let sent = 0; sent < 16; sent += 1) ids.push(await late.send(from));
    await pooled(late, 16);
    ledger.gasPrice = 200n;
    pass(late);
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

  test('what can never be mined gives its place up in one patience, with the reason, and the next action goes on', async () => {
    const late = await startLate({ store: await open() });
    const { ledger, store } = late;
    const from = await late.wallet();
    const reason = 'The transaction has 21500 gas, and 21510 are the least.';
    ledger.rule = (tx) => (tx.value === 7n ? reason : undefined);
    const id = await late.send(from, transfer(from.address, 7n));
    await pooled(late, 1);
    const next = await late.send(from);
    await pooled(late, 2);
    pass(late);
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

  test('a first node that takes everything and forgets it holds up nothing longer than a patience', async () => {
    const late = await startLate({ store: await open() });
    const from = await late.wallet();
    late.ledger.script({ kind: 'acceptButForget', othersKeep: true, times: Number.POSITIVE_INFINITY });
    const ids = [await late.send(from), await late.send(from)];
    pass(late);
    await pooled(late, 2);
    late.ledger.mine();
    const ends = await late.ended(ids);
    expect(ends.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED']);
    for (const id of ids) expect(await kindsOf(late.store, id)).toEqual(['main']);
  });

  test('a node that says it knows a transaction and has nothing loses it its place, not the wallet its line', async () => {
    const ledger = createMemoryLedger({ autoMine: false });
    const { adapter, swallowed } = lyingNode(ledger);
    const late = await startLate({ store: await open(), ledger, adapter });
    const from = await late.wallet();
    const id = await late.send(from);
    await pooled(late, 1);
    const [main] = ledger.pool;
    if (main === undefined) throw new Error('nothing is in the pool');
    swallowed.add(main.txId);
    ledger.forgetPool();
    await passUntil(late, async () => (await kindsOf(late.store, id)).includes('noop'));
    const end = await minedEndOf(late, id);
    expect(end.problem).toContain('problem:dropped');
    expect(end.problem).toContain('No node of the ledger shows the transaction');
    expect(await kindsOf(late.store, id)).toEqual(['main', 'noop']);
    const next = await late.send(from);
    expect((await endOf(late, next)).status).toBe('SUCCEEDED');
    expect(ledger.nonceOf(from.address)).toBe(2n);
  });

  test('a wallet that is drained gives up what it cannot pay, and says what was missing', async () => {
    const late = await startLate({ store: await open() });
    const { ledger } = late;
    const from = await late.wallet(10_000_000n);
    const other = await late.wallet(0n);
    const id = await late.send(from, transfer(other.address, 5_000_000n));
    await pooled(late, 1);
    ledger.fund(from.address, -6_000_000n);
    const end = await endOf(late, id);
    expect(end.problem).toContain('problem:dropped');
    expect(end.problem).toMatch(/holds 4000000, .*5210000/);
    expect(ledger.balanceOf(other.address)).toBe(0n);
    ledger.fund(from.address, 10_000_000n);
    const next = await late.send(from);
    expect((await endOf(late, next)).status).toBe('SUCCEEDED');
  });

  test('where nothing can be paid the amount is told, and paying it frees the line within a few blocks', async () => {
    const late = await startLate({ store: await open() });
    const { ledger, engine } = late;
    const from = await late.wallet(10_000_000n);
    const id = await late.send(from, transfer(from.address, 5_000_000n));
    const behind = await late.send(from);
    await pooled(late, 2);
    ledger.fund(from.address, -9_999_999n);
    await passUntil(late, async () =>
      /holds 1, and \d+ are needed/.test((await late.status(id)).waiting ?? ''),
    );
    expect(engine.signed(behind).reasons.join()).toContain('the first with nonce 0');
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

  test('above the cap the fee that is asked and the cap are told, and a fee that falls frees the line', async () => {
    const cap = 21_000 * 50;
    const ledger = createMemoryLedger({ autoMine: false });
    let isToFall = false;
    // Between two looks: one that was refused a higher offer before the fee fell would give up what it could raise by then.
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
    await passUntil(late, async () => /asks 1000 .*max_fee_cap, 1050000/.test(await told()));
    isToFall = true;
    for (let patiences = 0; patiences < 6; patiences += 1) pass(late);
    await vi.waitFor(() => expect(ledger.gasPrice).toBe(40n), { timeout: 30_000 });
    expect((await late.status(id)).status).toBe('PENDING');
    late.clock.move(2_000);
    ledger.mine(2);
    // In the pool, or in one of these blocks already.
    const isRaised = () =>
      ledger.nonceOf(from.address) > 0n || ledger.pool.some(({ gasPrice }) => gasPrice >= 40n);
    await vi.waitFor(() => expect(isRaised()).toBe(true), { timeout: 30_000 });
    ledger.mine();
    const [end] = await late.ended([id]);
    expect(end?.status).toBe('SUCCEEDED');
  });

  test('what no block has room for is given up, only at the head of the line, and one that has room again is mined', async () => {
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
    expect(end?.problem).toContain('a block holds 30000');
    const ends = [await endOf(late, second), await endOf(late, third)];
    expect(ends.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED']);
    expect(ledger.nonceOf(from.address)).toBe(3n);
  });

  test('what is shown and offers enough is raised twice before it is given up, and not while no block is made', async () => {
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
    const end = await endOf(late, id);
    expect(end.problem).toContain('asks no more for it than it offers, and does not mine it');
    // Where a busy machine lets the clock run on before the end is stored, the last is raised, too.
    const kinds = await kindsOf(late.store, id);
    expect(kinds.slice(0, 4)).toEqual(['main', 'bump', 'bump', 'noop']);
    expect(new Set(kinds.slice(3))).toEqual(new Set(['noop']));
  });

  test('what is mined and waits for its depth is not late, and what waits behind it is looked after', async () => {
    const late = await startLate({ store: await open(), properties: { confirmations: 200 } });
    const { ledger, store } = late;
    const from = await late.wallet();
    const mined = await late.send(from);
    await pooled(late, 1);
    ledger.mine();
    ledger.rule = (tx) => (tx.value === 7n ? 'It is never mined.' : undefined);
    const stuck = await late.send(from, transfer(from.address, 7n));
    await pooled(late, 1);
    await passUntil(late, async () => (await kindsOf(store, stuck)).includes('noop'));
    expect(await kindsOf(store, mined)).toEqual(['main']);
    ledger.mine(200);
    const [end, dropped] = await late.ended([mined, stuck]);
    expect([end?.status, dropped?.status]).toEqual(['SUCCEEDED', 'FAILED']);
  });

  test('what signs replacements is kept until the end and no longer, and not at all where they are signed beforehand', async () => {
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

  test('replacements that were signed beforehand go out by the default patience too, the no-op at the head alone', async () => {
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
    expect((await endOf(late, second)).status).toBe('SUCCEEDED');
    expect(ledger.nonceOf(from.address)).toBe(2n);
  });

  test('where replacements are never made, a transaction waits for as long as it takes', async () => {
    const late = await startLate({ store: await open(), properties: { replace_after: 0 } });
    const id = await late.send(await late.wallet());
    await pooled(late, 1);
    late.ledger.gasPrice = 200n;
    for (let patiences = 0; patiences < 5; patiences += 1) pass(late);
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

/** Patiences pass until the account's first place is taken, and none of those in which the next action would be given up. */
const passUntilMined = (late: Late, address: string) =>
  passUntil(late, async () => late.ledger.nonceOf(address) > 0n);
