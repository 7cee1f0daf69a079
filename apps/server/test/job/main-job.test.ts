import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { openPostgres, type PostgresCluster } from '@ledger-ops/store/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { balanceOf, freshAddress, nonceOf, poolSize, tokenBalanceOf } from './chain.ts';
import { callContract, createProduct, deploy, type Product, type TestWallet, transferTo } from './product.ts';

let anvil: Anvil;
let postgres: PostgresCluster;
let product: Product;

beforeAll(async () => {
  [anvil, postgres] = await Promise.all([startAnvil(), openPostgres()]);
});

afterEach(async () => {
  await product.stop();
});

afterAll(async () => {
  await Promise.all([anvil.stop(), postgres.stop()]);
});

test.each(['sqlite', 'postgres'])(
  '%s: 500 transfers, 100 calls and 20 deployments from 5 wallets at once all succeed, and the chain agrees',
  async (dialect) => {
    const database = dialect === 'postgres' ? { databaseUrl: await postgres.createDatabase() } : {};
    product = createProduct({ rpcUrl: () => anvil.url, ...database });
    await product.start();
    const template = await product.template();
    const wallets: TestWallet[] = [];
    for (let index = 0; index < 5; index += 1) wallets.push(await product.wallet());
    const walletOf = (index: number) => wallets[index % 5] as TestWallet;

    const send = async (body: unknown) => {
      const { status, body: answer } = await product.call('POST', '/v1/ledger-ops/send', body);
      expect({ status, answer }).toMatchObject({ status: 201, answer: { status: 'PENDING' } });
      return String(answer.actionId);
    };
    // Each wallet calls a token of its own, which it holds whole.
    const tokenEnds = await product.ended(
      await Promise.all(wallets.map((wallet) => send(deploy(wallet, template, ['Coin', 'COIN', '1000000'])))),
    );
    const tokens = tokenEnds.map(({ contractAddress }) => String(contractAddress));

    const target = freshAddress();
    const holders = wallets.map(() => freshAddress());
    const bodies = [
      ...Array.from({ length: 500 }, (_, index) => transferTo(walletOf(index), target, index + 1)),
      ...Array.from({ length: 100 }, (_, index) =>
        callContract(walletOf(index), tokens[index % 5] ?? '', 'transfer(address,uint256)', [
          holders[index % 5] ?? '',
          String(index + 1),
        ]),
      ),
      ...Array.from({ length: 20 }, (_, index) => deploy(walletOf(index), template, ['C', `C${index}`, '5'])),
    ];
    // Mixed: the order is that of a fixed shuffle.
    const order = bodies.map((body, index) => ({ body, key: (index * 7919) % 620 }));
    order.sort((a, b) => a.key - b.key);
    const ids = await Promise.all(order.map(({ body }) => send(body)));
    const ends = await product.ended(ids);
    expect(ends.filter(({ status }) => status !== 'SUCCEEDED')).toEqual([]);

    expect(await balanceOf(anvil, target)).toBe(BigInt((500 * 501) / 2));
    for (const [index, holder] of holders.entries()) {
      const sum = Array.from({ length: 20 }, (_, nth) => index + 5 * nth + 1).reduce((a, b) => a + b, 0);
      expect(await tokenBalanceOf(anvil, tokens[index] ?? '', holder)).toBe(BigInt(sum));
    }
    // 1 token, 100 transfers, 20 calls and 4 deployments each.
    for (const { address } of wallets) expect(await nonceOf(anvil, address)).toBe(125);
    const contracts = new Set(ends.flatMap(({ contractAddress }) => contractAddress ?? []));
    expect(contracts.size).toBe(20);
    expect(new Set(ends.map(({ locator }) => locator)).size).toBe(620);
    expect(await poolSize(anvil)).toBe(0);
  },
  300_000,
);
