import { describeStores } from '@ledger-ops/store/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { type EngineHarness, startEngine, stopEngines, type TestWallet, transfer } from './engine-harness.ts';

const patience = { timeout: 30_000 };

/** Sends so many transfers of 1 and waits for their ends. */
async function past(harness: EngineHarness, from: TestWallet, to: TestWallet, count: number) {
  const ids: string[] = [];
  for (let one = 0; one < count; one += 1) ids.push(await harness.send(from, transfer(to.address, 1n)));
  const ends = await harness.ended(ids);
  expect(ends.map(({ status }) => status)).toEqual(ids.map(() => 'SUCCEEDED'));
  return ids;
}

async function retractedOf({ store }: EngineHarness, id: string) {
  const [row] = await store.read.all<{ retracted: string | null; status: string; locator: string }>(
    'SELECT retracted, status, locator FROM action WHERE id = $1',
    [id],
  );
  if (row === undefined) throw new Error(`There is no action ${id}.`);
  return { ...row, retracted: row.retracted === null ? null : JSON.parse(row.retracted) };
}

describeStores('what has ended, held against a ledger that takes blocks back', (open) => {
  afterEach(stopEngines);

  test('is sent again at the start, though nothing of its wallet is under way', async () => {
    const store = await open();
    const before = await startEngine({ store });
    const { ledger } = before;
    const [from, to] = [await before.wallet(), await before.wallet(0n)];
    await past(before, from, to, 12);
    await stopEngines();
    const { height } = ledger.head;
    ledger.reorganise(height - 2, 'vanish');
    ledger.mine(height);
    expect(ledger.balanceOf(to.address)).toBeLessThan(12n);
    await startEngine({ store, ledger });
    await vi.waitFor(() => expect(ledger.balanceOf(to.address)).toBe(12n), patience);
    expect(ledger.nonceOf(from.address)).toBe(12n);
  });

  test('is told of where another transaction took its nonce, and told again when it is back', async () => {
    const store = await open();
    const before = await startEngine({ store });
    const { ledger } = before;
    const [from, to] = [await before.wallet(), await before.wallet(0n)];
    const ids = await past(before, from, to, 3);
    const [lost, ...others] = ids;
    await stopEngines();
    const height = ledger.head.height;
    ledger.reorganise(height, 'vanish');
    ledger.outsideTransaction({ privateKey: from.privateKey, sequence: 0n });
    ledger.mine(1);
    const by = ledger.transactions.at(-1)?.transaction.txId;
    ledger.mine(height + 1);
    const harness = await startEngine({ store, ledger });
    await vi.waitFor(async () => {
      const { retracted, status } = await retractedOf(harness, lost ?? '');
      expect(status).toBe('SUCCEEDED');
      expect(retracted).toMatchObject({ by, detail: expect.stringContaining('another transaction') });
    }, patience);
    // Those after it stand on the ledger again.
    await vi.waitFor(() => expect(ledger.balanceOf(to.address)).toBe(2n), patience);
    for (const id of others) expect((await retractedOf(harness, id)).retracted).toBeNull();
    const told = harness.log.filter((line) => line.includes('action.retracted'));
    expect(told).toEqual([expect.stringContaining(lost ?? '')]);

    ledger.reorganise(ledger.head.height, 'vanish');
    ledger.mine(2 * height + 4);
    await vi.waitFor(() => expect(ledger.balanceOf(to.address)).toBe(3n), patience);
    await vi.waitFor(
      async () => expect((await retractedOf(harness, lost ?? '')).retracted).toBeNull(),
      patience,
    );
    const steps = await store.read.all('SELECT * FROM timeline_bundle');
    expect(JSON.stringify(steps)).toContain('reinstate');
  });
});
