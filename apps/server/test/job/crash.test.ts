import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { faultPoints } from '@ledger-ops/runtime';
import { openPostgres, type PostgresCluster } from '@ledger-ops/store/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../../../testing/children.ts';
import { isFaultsRun, selectCases } from '../../../../testing/faults.ts';
import { balanceOf, freshAddress, nonceOf, poolSize, tokenBalanceOf } from './chain.ts';
import { createChance } from './faults.ts';
import { callContract, createProduct, deploy, type Product, type TestWallet, transferTo } from './product.ts';

let anvil: Anvil;
let postgres: PostgresCluster;
let product: Product;

beforeAll(async () => {
  [anvil, postgres] = await Promise.all([startAnvil(), openPostgres()]);
});

afterAll(async () => {
  await Promise.all([anvil.stop(), postgres.stop()]);
});

afterEach(async () => {
  await product.stop();
});

/** Asserts that no secret of the wallet is in the database's files (if they are local) or in the logs. */
function expectNoSecrets({ password, privateKey }: TestWallet, files = true): void {
  const bytes = files ? product.databaseBytes() : Buffer.alloc(0);
  expect(bytes.length > 0).toBe(files);
  const logs = product.output.join('');
  const key = privateKey.slice(2);
  expect(bytes.includes(password)).toBe(false);
  expect(bytes.includes(key)).toBe(false);
  expect(bytes.includes(Buffer.from(key, 'hex'))).toBe(false);
  expect(logs).not.toContain(password);
  expect(logs).not.toContain(key);
}

/** Returns the action id, or null if the connection broke before a response. */
async function trySend(body: unknown): Promise<string | null> {
  try {
    const { status, body: answer } = await product.call('POST', '/v1/ledger-ops/send', body);
    if (status !== 201) throw new Error(JSON.stringify(answer));
    return String(answer.actionId);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/**
 * All fault points except those that these jobs do not reach. Only ledgers without sequences have permanent rejections
 * and assign ids. No transaction is late or removed by a reorg, so none is replaced, filled or changed. There are no
 * subscriptions to contract events.
 */
const points = selectCases(
  faultPoints.filter((point) => !/^(reject|note|replace|fill|change|tell):/.test(point)),
  (point) => point === 'submit:after',
);

describe('the server killed at a step of the pipeline', () => {
  test.each(points)(
    'every 201 results in exactly one transaction, without a nonce gap (server killed at %s)',
    async (point) => {
      product = createProduct({ rpcUrl: () => anvil.url });
      await product.start();
      const wallet = await product.wallet();
      const [first] = await product.ended([
        String(await trySend(deploy(wallet, await product.template(), ['Coin', 'COIN', '1000']))),
      ]);
      expect(first).toMatchObject({ status: 'SUCCEEDED' });
      const token = String(first?.contractAddress);
      await product.breakAt({ point, nth: 3 });
      // Transfers are signed at acceptance, calls later. Each fault point is reached by one of the two.
      const sends = Array.from({ length: 12 }, (_, index) => ({ target: freshAddress(), index }));
      const accepted = await Promise.all(
        sends.map(async ({ target, index }) => {
          const body =
            index % 2 === 0
              ? transferTo(wallet, target, index + 1)
              : callContract(wallet, token, 'transfer(address,uint256)', [target, String(index + 1)]);
          return { target, index, actionId: await trySend(body) };
        }),
      );
      // The requests above may not reach later fault points for the third time, so more follow until the kill.
      await product.untilKilled(async () => [
        await trySend(transferTo(wallet, freshAddress(), 1)),
        await trySend(callContract(wallet, token, 'transfer(address,uint256)', [freshAddress(), '1'])),
      ]);

      await product.start();
      const ids = accepted.flatMap(({ actionId }) => (actionId === null ? [] : [actionId]));
      const ends = await product.ended(ids);
      expect(ends.map(({ status }) => status)).toEqual(ids.map(() => 'SUCCEEDED'));
      const stored = await product.call(
        'GET',
        `/v1/ledger-ops/search/wallets/${wallet.walletId}/actions?size=100`,
      );
      await product.ended(
        (stored.body.pageContent as { actionId: string }[]).map(({ actionId }) => actionId),
      );
      for (const { target, index, actionId } of accepted) {
        const received = (await balanceOf(anvil, target)) + (await tokenBalanceOf(anvil, token, target));
        if (actionId !== null) expect(received).toBe(BigInt(index + 1));
        else expect([0n, BigInt(index + 1)]).toContain(received);
      }
      // Waits, because more than one page of actions may be in progress.
      await expect.poll(() => nonceOf(anvil, wallet.address)).toBe(stored.body.totalElements);
      expect(await poolSize(anvil)).toBe(0);
      expectNoSecrets(wallet);
    },
    300_000,
  );
});

// On PostgreSQL, the lanes of a killed server become free only when their lease expires, so there is only one
// round.
const loads = [
  { dialect: 'sqlite', kills: 4 },
  { dialect: 'postgres', kills: 1 },
];
/** Number of transfers from three wallets: many more than are answered before the server is killed. */
const load = isFaultsRun ? 240 : 120;
test.each(selectCases(loads, () => false))(
  '$dialect: if the server is killed $kills times under load, requests with Idempotency-Keys are executed exactly once',
  async ({ dialect, kills }) => {
    const database = dialect === 'postgres' ? { databaseUrl: await postgres.createDatabase() } : {};
    product = createProduct({ rpcUrl: () => anvil.url, timing: { lease: 5_000 }, ...database });
    await product.start();
    const wallets = await Promise.all([product.wallet(), product.wallet(), product.wallet()]);
    const chance = createChance(dialect);
    const sends = Array.from({ length: load }, (_, index) => ({
      key: `key-${index}`,
      target: freshAddress(),
      wallet: wallets[index % wallets.length] as TestWallet,
      actionId: null as string | null,
    }));
    for (let round = 0; sends.some(({ actionId }) => actionId === null); round += 1) {
      const waiting = sends.filter(({ actionId }) => actionId === null);
      // The first rounds are cut off after some responses. The number is printed to reproduce a failure.
      const cut = round < kills ? chance(1, 40) : Number.POSITIVE_INFINITY;
      console.log(`round ${round}: ${waiting.length} to send, cut after ${cut} answers`);
      let answers = 0;
      await Promise.all(
        waiting.map(async (send) => {
          try {
            const { status, body } = await product.call(
              'POST',
              '/v1/ledger-ops/send',
              transferTo(send.wallet, send.target, 7),
              { 'Idempotency-Key': send.key },
            );
            expect({ status, body }).toMatchObject({ status: 201 });
            send.actionId = String(body.actionId);
            answers += 1;
            if (answers === cut) await product.kill();
          } catch (error) {
            if (!(error instanceof TypeError)) throw error;
          }
        }),
      );
      if (!product.isAlive()) await product.start();
    }
    const ends = await product.ended(sends.map(({ actionId }) => String(actionId)));
    // Failed actions are printed completely, with their reasons.
    expect(ends.filter(({ status }) => status !== 'SUCCEEDED')).toEqual([]);
    for (const { target } of sends) expect(await balanceOf(anvil, target)).toBe(7n);
    for (const wallet of wallets) {
      expect(await nonceOf(anvil, wallet.address)).toBe(load / wallets.length);
      expectNoSecrets(wallet, dialect === 'sqlite');
    }
    expect(await poolSize(anvil)).toBe(0);
  },
  300_000,
);

test.runIf(isFaultsRun)(
  'every accepted action completes although the node is killed between sends and restarted with its state',
  async () => {
    const stateFile = join(tmpdir(), `ledger-ops-anvil-${process.pid}.json`);
    let node = await startAnvil({ stateFile, port: await freePort() });
    product = createProduct({ rpcUrl: () => node.url });
    try {
      await product.start();
      const wallet = await product.wallet();
      // A killed node loses all changes after its last write to the state file. Stopping it writes the file, so that the
      // wallet stays funded.
      await node.stop();
      node = await startAnvil({ stateFile, port: node.port });
      const ids: string[] = [];
      const targets = Array.from({ length: 60 }, freshAddress);
      for (const [index, target] of targets.entries()) {
        ids.push(String(await trySend(transferTo(wallet, target, 3))));
        if (index === 30) {
          const { port } = node;
          await node.kill();
          node = await startAnvil({ stateFile, port });
        }
      }
      const ends = await product.ended(ids);
      expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(['SUCCEEDED']));
      for (const target of targets) expect(await balanceOf(node, target)).toBe(3n);
      expect(await nonceOf(node, wallet.address)).toBe(60);
    } finally {
      await node.stop();
      rmSync(stateFile, { force: true });
    }
  },
  300_000,
);
