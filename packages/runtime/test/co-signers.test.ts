// Tests for operations that several wallets sign. Their grants are stored and opened together, and cannot be used to
// sign anything else.
import type { ResolvedOperation } from '@ledger-ops/adapter';
import {
  createMemoryLedger,
  type MemoryLedger,
  type MemoryLedgerOptions,
} from '@ledger-ops/adapter-kit/memory';
import { describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import {
  deleteSuspension,
  insertSuspension,
  readSuspensionReasons,
  suspensionsTopic,
} from '../src/rows/actions/suspensions.ts';
import { type EngineHarness, startEngine, stopEngines, type TestWallet, transfer } from './engine-harness.ts';

const wait = { timeout: 30_000, interval: 20 };
const gas = 21_000n;

function signedBy(
  { address }: TestWallet,
  { payer, signers = [] }: { payer?: TestWallet; signers?: TestWallet[] },
  amount = 5n,
): ResolvedOperation {
  const content = {
    ...(payer === undefined ? {} : { payer: payer.address }),
    signers: signers.map((one) => one.address),
  };
  return { ...transfer(address, amount), native: { technology: 'ethereum', content } };
}

/** Returns the ids of the sent transactions, without duplicates. */
function submitted({ submissions }: MemoryLedger): string[] {
  return [...new Set(submissions.map(({ txId }) => txId))];
}

async function grantsOf({ store }: EngineHarness) {
  return store.read.all<{ action_id: string; others: string | null }>(
    'SELECT action_id, others FROM action_grant',
  );
}

describeStores('operations of several wallets', (open) => {
  afterEach(stopEngines);

  const start = async (options: MemoryLedgerOptions = {}) => {
    const ledger = createMemoryLedger({ sequence: 'none', ...options });
    const harness = await startEngine({ store: await open(), ledger });
    const [from, payer, second, to] = [
      await harness.wallet(100n),
      await harness.wallet(),
      await harness.wallet(0n),
      await harness.wallet(0n),
    ];
    return { ledger, harness, from, payer, second, to };
  };

  test('each wallet of a co-signed operation signs it, and the fee payer pays', async () => {
    const { harness, ledger, from, payer, second, to } = await start();
    const before = ledger.balanceOf(payer.address);
    const operation = signedBy(to, { payer, signers: [second] });
    const id = await harness.send(from, operation, { others: [payer, second] });
    const [end] = await harness.ended([id]);
    expect(end).toMatchObject({ status: 'SUCCEEDED' });
    expect(ledger.executions()).toBe(1);
    expect([from, to].map(({ address }) => ledger.balanceOf(address))).toEqual([95n, 5n]);
    expect(before - ledger.balanceOf(payer.address)).toBe(gas * ledger.gasPrice);
    expect(await grantsOf(harness)).toEqual([]);
  });

  test('co-signed operations are signed from stored grants after a restart, and recreated after an expiry', async () => {
    const { harness, ledger, from, payer, second, to } = await start({ expiry: 4 });
    const others = [payer, second];
    const hung = ledger.script({ kind: 'hang', method: 'prepare' });
    const operation = signedBy(to, { payer, signers: [second] });
    const id = await harness.send(from, operation, { others });
    await vi.waitFor(() => expect(hung.fired).toBe(1), wait);
    const [kept] = await grantsOf(harness);
    expect(JSON.parse(kept?.others ?? '')).toMatchObject(
      others.map(({ uid, address }) => ({ walletUid: uid, wallet: { address } })),
    );
    for (const { privateKey } of others) {
      const texts = ['hex', 'base64'].map((form) => Buffer.from(privateKey).toString(form as 'hex'));
      for (const text of texts) expect(kept?.others).not.toContain(text);
    }
    await stopEngines();
    hung.clear();

    const lost = ledger.script({ kind: 'acceptButForget', times: Number.POSITIVE_INFINITY });
    const again = await startEngine({ store: harness.store, ledger });
    await vi.waitFor(() => expect(lost.fired).toBeGreaterThan(0), wait);
    expect(await grantsOf(again)).toMatchObject([{ action_id: id, others: expect.any(String) }]);
    ledger.mine(5);
    await vi.waitFor(async () => {
      const rows = await again.store.read.all('SELECT n FROM attempt WHERE action_id = $1', [id]);
      expect(rows).toHaveLength(2);
    }, wait);
    lost.clear();
    const [end] = await again.ended([id]);
    expect(end).toMatchObject({ status: 'SUCCEEDED' });
    expect(ledger.executions()).toBe(1);
    expect(await grantsOf(again)).toEqual([]);
  });

  test('signs nothing with grants that were moved, swapped or removed in the database', async () => {
    const { harness, ledger, from, payer, second, to } = await start();
    const operation = signedBy(to, { payer, signers: [second] });
    const others = [payer, second];
    interface Kept {
      walletUid: string;
      wallet: { address: string };
      sealed: string;
    }
    const forgeries: ((own: Kept[], strange: Kept[]) => Kept[])[] = [
      // These are the grants of another action.
      (_, strange) => strange,
      ([first, other]) => (first && other ? [{ ...first, sealed: other.sealed }, other] : []),
      ([first, other]) => (first && other ? [{ ...first, wallet: other.wallet }, other] : []),
      ([first, ...rest]) => (first ? [{ ...first, walletUid: from.uid }, ...rest] : []),
    ];
    const hung = ledger.script({ kind: 'hang', method: 'prepare', times: Number.POSITIVE_INFINITY });
    const [honest = '', ...ids] = await Promise.all(
      [null, ...forgeries].map(() => harness.send(from, operation, { others })),
    );
    await vi.waitFor(() => expect(hung.fired).toBe(ids.length + 1), wait);
    await stopEngines();
    const rows = await grantsOf(harness);
    const listOf = (id: string): Kept[] =>
      JSON.parse(rows.find(({ action_id }) => action_id === id)?.others ?? '[]');
    for (const [index, id] of ids.entries()) {
      const forged = JSON.stringify(forgeries[index]?.(listOf(id), listOf(honest)));
      await harness.store.transaction((tx) =>
        tx.run('UPDATE action_grant SET others = $2 WHERE action_id = $1', [id, forged]),
      );
    }
    hung.clear();
    const again = await startEngine({ store: harness.store, ledger });
    const [end, ...ends] = await again.ended([honest, ...ids]);
    expect(end?.status).toBe('SUCCEEDED');
    expect(ends).toMatchObject(
      forgeries.map(() => ({ status: 'FAILED', problem: expect.stringContaining('not-preparable') })),
    );
    expect(submitted(ledger)).toHaveLength(1);
  });

  test('signs nothing while one of several co-signing wallets is suspended, and names that wallet', async () => {
    const { harness, ledger, from, payer, second, to } = await start();
    const { store } = harness;
    const id = '01a20692-a28a-7385-bae0-c1a9a41e5a69';
    const hung = ledger.script({ kind: 'hang', method: 'prepare' });
    const operation = signedBy(to, { payer, signers: [second] });
    const before = await harness.send(from, operation, { others: [payer, second] });
    await vi.waitFor(() => expect(hung.fired).toBe(1), wait);
    await store.transaction((tx) =>
      insertSuspension(tx, {
        ...{ subject: second.uid, id, kind: 'wallet', name: 'second', scope: 'project' },
        ...{ reason: 'It was stolen', created_by: 'alice', created_at: 1_000, cause: null },
      }),
    );
    store.notify(suspensionsTopic);
    hung.clear();
    const after = await harness.send(from, operation, { others: [payer, second] });
    const [free] = await harness.ended([
      await harness.send(from, signedBy(to, { payer }), { others: [payer] }),
    ]);
    expect(free?.status).toBe('SUCCEEDED');
    const words = await readSuspensionReasons(store.read, [
      ...[before, after].map((one) => ({ id: one, ledgerUid: 'a', walletUid: 'b', projectId: 'c' })),
    ]);
    for (const one of [before, after]) {
      expect(words(one)).toEqual([expect.stringContaining('The wallet second has been suspended by alice')]);
      expect(await harness.status(one)).toMatchObject({ status: 'PENDING', stage: 'ready' });
    }
    expect(submitted(ledger)).toHaveLength(1);
    await store.transaction((tx) => deleteSuspension(tx, id));
    store.notify(suspensionsTopic);
    const ends = await harness.ended([before, after]);
    expect(ends.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED']);
    expect(submitted(ledger)).toHaveLength(3);
  });

  test('a plugin gets no signatures if it requests one from a wallet that the action does not name', async () => {
    const { harness, ledger, from, payer, second, to } = await start();
    ledger.fund(from.address, 10n ** 9n);
    let sent = 0;
    for (const others of [[payer], []]) {
      const address = second.address;
      const script = ledger.script({ kind: 'askAnother', address, times: Number.POSITIVE_INFINITY });
      const named = others.length === 0 ? transfer(to.address) : signedBy(to, { payer });
      const id = await harness.send(from, named, { others });
      const expected = /signature of a wallet that the operation does not name/;
      await vi.waitFor(async () => expect((await harness.status(id)).waiting ?? '').toMatch(expected), wait);
      expect(submitted(ledger)).toHaveLength(sent);
      // From here on, the plugin behaves correctly again.
      script.clear();
      const [end] = await harness.ended([id]);
      expect(end?.status).toBe('SUCCEEDED');
      sent += 1;
    }
    expect(submitted(ledger)).toHaveLength(2);
    expect(await grantsOf(harness)).toEqual([]);
  });
});
