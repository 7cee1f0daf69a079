// The database role of a server has one of PostgreSQL's settings at its worst value, or all of them, and may
// only read and write rows. Operations are executed once.
import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import {
  HostileRole,
  harmlessSettings,
  hostileSettings,
  openPostgres,
  type PostgresCluster,
} from '@ledger-ops/store/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { balanceOf, freshAddress, nonceOf } from './chain.ts';
import { createProduct, deploy, type Product, transferTo } from './product.ts';

let anvil: Anvil;
let postgres: PostgresCluster;
let role: HostileRole;
let product: Product;

beforeAll(async () => {
  [anvil, postgres] = await Promise.all([startAnvil(), openPostgres()]);
});
afterAll(async () => {
  await Promise.all([anvil?.stop(), postgres?.stop()]);
});
beforeEach(async () => {
  role = await HostileRole.create(await postgres.createDatabase());
  product = createProduct({ rpcUrl: () => anvil.url, databaseUrl: role.url });
});
afterEach(async () => {
  await product?.stop();
  await role?.drop();
});

type Settings = typeof hostileSettings;
const roles: readonly [about: string, settings: Settings][] = [
  ...hostileSettings.map((one): [string, Settings] => [`whose ${one.join(' is ')}`, [one]]),
  ['with all hostile settings at once', hostileSettings],
  ['with settings that connections keep', harmlessSettings],
];

test.each(roles)(
  'if the server uses a database role %s, each action is executed once, even after a restart',
  async (_, settings) => {
    for (const [name, value] of settings) await role.set(name, value);
    await product.start();
    const wallet = await product.wallet();
    const template = await product.template();
    const target = freshAddress();
    const run = async (amounts: readonly number[]) => {
      const bodies = [...amounts.map((amount) => transferTo(wallet, target, amount)), deployment()];
      const ids = await Promise.all(
        bodies.map(async (body) => {
          const answer = await product.call('POST', '/v1/ledger-ops/send', body);
          expect(answer).toMatchObject({ status: 201 });
          return String(answer.body.actionId);
        }),
      );
      const ends = await product.ended(ids);
      expect(ends.filter(({ status }) => status !== 'SUCCEEDED')).toEqual([]);
    };
    const deployment = () => deploy(wallet, template, ['Coin', 'COIN', '1000']);
    await run([1, 2, 3, 4]);
    expect(await product.terminate()).toBe(0);
    await product.start();
    await run([5]);
    expect(await balanceOf(anvil, target)).toBe(15n);
    expect(await nonceOf(anvil, wallet.address)).toBe(7);
  },
  120_000,
);

test('a server does not start with a database role that turns off foreign keys, and its error names the setting', async () => {
  await role.set('session_replication_role', 'replica');
  await expect(product.start()).rejects.toThrow('session_replication_role is replica');
});
