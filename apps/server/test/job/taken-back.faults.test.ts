import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { openPostgres, type PostgresCluster } from '@ledger-ops/store/testing';
import { Wallet } from 'ethers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { balanceOf, freshAddress, nonceOf } from './chain.ts';
import { type Action, createProduct, type Product, type TestWallet, transferTo } from './product.ts';

type Told = Action & { retracted?: { at: string; detail: string; by?: string } };

const patience = { timeout: 240_000 };
/** Time limit of a test: on a busy machine, each server start may take most of a minute. */
const longest = 600_000;
/** Number of transfers from a wallet. The first one may lose its nonce. */
const each = 5;

/** Intervals of repeated checks, at most a fifth of the server's defaults. */
const timing = {
  ...{ lease: 5_000, idleConfirm: 500, catchUp: 5_000, resend: 600, lookForGaps: 2_000, gapPatience: 2_000 },
  ...{ historyAgain: 500, historyResend: 3_000, resendLost: { first: 200, longest: 5_000 } },
};

let postgres: PostgresCluster;
let anvil: Anvil;
let product: Product;

beforeAll(async () => {
  postgres = await openPostgres();
});

beforeEach(async () => {
  anvil = await startAnvil();
});

afterEach(async () => {
  await product.stop();
  await anvil.stop();
});

afterAll(async () => {
  await postgres.stop();
});

/** Sends a transfer of 1 to each target, and waits until all complete. */
async function transfers(wallet: TestWallet, targets: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const target of targets) {
    const { status, body } = await product.call('POST', '/v1/ledger-ops/send', transferTo(wallet, target, 1));
    expect(status).toBe(201);
    ids.push(String(body.actionId));
  }
  const ends = await product.ended(ids);
  expect(ends.map(({ status }) => status)).toEqual(ids.map(() => 'SUCCEEDED'));
  return ids;
}

/** A transaction of the wallet's key that this service did not create. */
async function outside(wallet: TestWallet, nonce: number): Promise<string> {
  const bytes = await new Wallet(wallet.privateKey).signTransaction({
    type: 2,
    chainId: 31_337,
    nonce,
    to: freshAddress(),
    value: 3n,
    gasLimit: 21_000n,
    maxFeePerGas: 10n ** 11n,
    maxPriorityFeePerGas: 10n ** 9n,
  });
  return anvil.rpc<string>('eth_sendRawTransaction', [bytes]);
}

const targets = (count: number) => Array.from({ length: count }, freshAddress);
const empty = (blocks: number) => anvil.rpc('anvil_mine', [`0x${blocks.toString(16)}`]);

async function startProduct(dialect: 'sqlite' | 'postgres'): Promise<void> {
  const database = dialect === 'postgres' ? { databaseUrl: await postgres.createDatabase() } : {};
  product = createProduct({ rpcUrl: () => anvil.url, timing, ...database });
  await product.start();
}

describe('blocks that a reorg removes', () => {
  // Each test uses only one database, because the engine's tests cover the differences.
  test(
    'if a reorg removes blocks while no server runs, their actions are sent again, or reported if their nonce was used',
    async () => {
      await startProduct('postgres');
      const wallets = [await product.wallet(), await product.wallet()] as const;
      const before = await anvil.rpc<string>('evm_snapshot');
      const made = [targets(each), targets(each)] as const;
      const [whole, taken] = [await transfers(wallets[0], made[0]), await transfers(wallets[1], made[1])];
      await product.kill();
      await anvil.rpc('evm_revert', [before]);
      await empty(3);
      await outside(wallets[1], 0);
      await empty(40);
      expect(await nonceOf(anvil, wallets[0].address)).toBe(0);

      await product.start();
      await vi.waitFor(async () => {
        for (const target of [...made[0], ...made[1].slice(1)])
          expect(await balanceOf(anvil, target)).toBe(1n);
      }, patience);
      expect(await nonceOf(anvil, wallets[0].address)).toBe(each);
      expect(await nonceOf(anvil, wallets[1].address)).toBe(each);
      await vi.waitFor(async () => {
        expect(await product.actions([String(taken[0])])).toMatchObject([
          {
            status: 'SUCCEEDED',
            retracted: { detail: expect.stringMatching(/another transaction.* has used its nonce 0/) },
          },
        ]);
      }, patience);
      const others = (await product.actions([...whole, ...taken.slice(1)])) as Told[];
      expect(others.map(({ retracted }) => retracted)).toEqual(others.map(() => undefined));
      // The wallet's next transfers succeed.
      await transfers(wallets[1], targets(1));
    },
    longest,
  );

  test(
    'a nonce that a reorg releases while the server runs is used by the next action',
    async () => {
      await startProduct('sqlite');
      const wallet = await product.wallet();
      const before = await anvil.rpc<string>('evm_snapshot');
      await outside(wallet, 0);
      const [target] = targets(1);
      const [first] = await transfers(wallet, [String(target)]);
      await anvil.rpc('evm_revert', [before]);
      await empty(60);
      await vi.waitFor(() => expect(product.output.join('')).toContain('chain.reorganised'), patience);
      await transfers(wallet, targets(1));
      await vi.waitFor(async () => expect(await balanceOf(anvil, String(target))).toBe(1n), patience);
      expect(await nonceOf(anvil, wallet.address)).toBe(2);
      expect(await product.actions([String(first)])).toMatchObject([{ status: 'SUCCEEDED' }]);
    },
    longest,
  );
});
