// Two installations use the same key and do not know of each other. Each signs nonces that the other has already signed.
import { setTimeout as pause } from 'node:timers/promises';
import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { balanceOf, freshAddress, nonceOf, poolSize } from './chain.ts';
import { createChance } from './faults.ts';
import { createProduct, type Product, transferTo } from './product.ts';
import { heightOf, minedSince } from './set-back-run.ts';

/** Number of payments of both installations together. */
const payments = 120;
/** Number of reorgs, each less deep than `confirmations`. */
const reorgs = 6;
const confirmations = 4;

let anvil: Anvil;
let products: readonly Product[] = [];

beforeAll(async () => {
  anvil = await startAnvil();
});
afterAll(() => anvil.stop());
afterEach(async () => {
  for (const product of products) await product.stop();
});

test.each([
  { name: 'without reorgs', swaps: 0 },
  { name: 'while reorgs exchange their transactions', swaps: reorgs },
])(
  `two installations with the same key pay ${payments} concurrent payments once each, $name`,
  async ({ swaps }) => {
    products = [0, 1].map(() => createProduct({ rpcUrl: () => anvil.url, confirmations }));
    const [one, two] = products;
    if (one === undefined || two === undefined) throw new RangeError('There are two.');
    await one.start();
    await two.start();
    const first = await one.wallet();
    const wallets = [first, await two.wallet({ privateKey: first.privateKey })];
    const chance = createChance(`shared wallet ${swaps}`);
    const sends = await Promise.all(
      Array.from({ length: payments }, async (_, index) => {
        const [product, wallet] = [products[index % 2], wallets[index % 2]];
        if (product === undefined || wallet === undefined) throw new RangeError('There are two.');
        const target = freshAddress();
        const body = transferTo(wallet, target, index + 1);
        const sent = await product.call('POST', '/v1/ledger-ops/send', body);
        expect(sent).toMatchObject({ status: 201 });
        return { product, target, amount: index + 1, actionId: String(sent.body.actionId) };
      }),
    );
    /** Transactions in blocks that reorgs removed, by nonce. */
    const removed = new Map<string, string>();
    const from = await heightOf(anvil);
    for (let swap = 0; swap < swaps; swap += 1) {
      const [wait, depth] = [chance(100, 600), chance(1, confirmations)];
      console.log(`reorg ${swap}: after ${wait} ms, ${depth} blocks`);
      await pause(wait);
      const inLast = async () => minedSince(anvil, (await heightOf(anvil)) - depth, [first]);
      // There may be no payment in a block yet, or none left to send.
      for (let tries = 0; tries < 100 && (await inLast()).length === 0; tries += 1) await pause(20);
      for (const { nonce, hash } of await inLast()) removed.set(nonce, hash);
      // The node drops transactions of removed blocks, so both servers send theirs again.
      await anvil.rpc('anvil_rollback', [depth]);
    }
    const ends = await Promise.all(
      products.map((product) =>
        product.ended(sends.filter((send) => send.product === product).map(({ actionId }) => actionId)),
      ),
    );
    expect(ends.flat().filter(({ status }) => status !== 'SUCCEEDED')).toEqual([]);
    for (const { target, amount } of sends) expect(await balanceOf(anvil, target)).toBe(BigInt(amount));
    const mined = await minedSince(anvil, Math.max(0, from - confirmations), [first]);
    const exchanged = mined.filter(({ nonce, hash }) => (removed.get(nonce) ?? hash) !== hash);
    console.log(
      `${removed.size} transactions were removed by reorgs, and ${exchanged.length} exchanged for others`,
    );
    if (swaps > 0) expect(removed.size).toBeGreaterThan(0);
    expect(await nonceOf(anvil, first.address)).toBeGreaterThanOrEqual(payments);
    await expect.poll(() => poolSize(anvil)).toBe(0);
  },
  300_000,
);
