import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { HostileRole, openPostgres, type PostgresCluster } from '@ledger-ops/store/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { isFaultsRun, selectCases } from '../../../../testing/faults.ts';
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

/** `npm run test:faults` runs the whole job on both databases; `npm test` runs an eighth of it on PostgreSQL. */
const onPostgres = isFaultsRun ? {} : { transfers: 50, calls: 20, deployments: 5 };
const jobs = [
  { dialect: 'sqlite', transfers: 500, calls: 100, deployments: 20 },
  { dialect: 'postgres', transfers: 500, calls: 100, deployments: 20, ...onPostgres },
];

test.each(selectCases(jobs, ({ dialect }) => dialect === 'postgres'))(
  '$dialect: $transfers transfers, $calls calls and $deployments deployments of 5 wallets succeed, as the chain shows',
  async ({ dialect, transfers, calls, deployments }) => {
    const all = transfers + calls + deployments;
    // The role may only read and write rows, as docs/operations.md recommends.
    const role =
      dialect === 'postgres' ? await HostileRole.create(await postgres.createDatabase()) : undefined;
    const database = role === undefined ? {} : { databaseUrl: role.url };
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
    // Each wallet deploys a token, holds its supply, and calls it.
    const tokenEnds = await product.ended(
      await Promise.all(wallets.map((wallet) => send(deploy(wallet, template, ['Coin', 'COIN', '1000000'])))),
    );
    const tokens = tokenEnds.map(({ contractAddress }) => String(contractAddress));

    const target = freshAddress();
    const holders = wallets.map(() => freshAddress());
    const bodies = [
      ...Array.from({ length: transfers }, (_, index) => transferTo(walletOf(index), target, index + 1)),
      ...Array.from({ length: calls }, (_, index) =>
        callContract(walletOf(index), tokens[index % 5] ?? '', 'transfer(address,uint256)', [
          holders[index % 5] ?? '',
          String(index + 1),
        ]),
      ),
      ...Array.from({ length: deployments }, (_, index) =>
        deploy(walletOf(index), template, ['C', `C${index}`, '5']),
      ),
    ];
    // The order is that of a fixed shuffle.
    const order = bodies.map((body, index) => ({ body, key: (index * 7919) % all }));
    order.sort((a, b) => a.key - b.key);
    const ids = await Promise.all(order.map(({ body }) => send(body)));
    const ends = await product.ended(ids);
    expect(ends.filter(({ status }) => status !== 'SUCCEEDED')).toEqual([]);

    expect(await balanceOf(anvil, target)).toBe(BigInt((transfers * (transfers + 1)) / 2));
    for (const [index, holder] of holders.entries()) {
      const sum = Array.from({ length: calls / 5 }, (_, nth) => index + 5 * nth + 1).reduce(
        (a, b) => a + b,
        0,
      );
      expect(await tokenBalanceOf(anvil, tokens[index] ?? '', holder)).toBe(BigInt(sum));
    }
    // Each wallet sent the deployment of its own token, and a fifth of all actions.
    for (const { address } of wallets) expect(await nonceOf(anvil, address)).toBe(1 + all / 5);
    const contracts = new Set(ends.flatMap(({ contractAddress }) => contractAddress ?? []));
    expect(contracts.size).toBe(deployments);
    expect(new Set(ends.map(({ locator }) => locator)).size).toBe(all);
    expect(await poolSize(anvil)).toBe(0);
  },
  300_000,
);
