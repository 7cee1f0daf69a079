import { misbehaving } from '@ledger-ops/devnet';
import { Transaction } from 'ethers';
import { describe, expect, test, vi } from 'vitest';
import { selectCases } from '../../../../testing/faults.ts';
import { blocksPass, gwei, quantity, type Scene, useJamStage } from './jam-stage.ts';

vi.setConfig({ testTimeout: 180_000 });

const { setUp, cancel, ended, told, goesOn } = useJamStage();

const suggested = (3n * gwei) / 2n;

/** A proxy in front of a scene's node. Like a pool with a minimum price, it refuses lower fees. */
class Pool {
  minimum = 25n * gwei;
  refusals = 0;
  /** Recipients of all transactions that were sent, accepted or not. A no-op goes to its own sender. */
  readonly recipients = new Set<string | null>();
  accepted: bigint[] = [];
  readonly #words: (offered: bigint, minimum: bigint) => string;

  constructor({ front }: Pick<Scene, 'front'>, words: (offered: bigint, minimum: bigint) => string) {
    this.#words = words;
    front.setFault(
      misbehaving({
        eth_maxPriorityFeePerGas: async () => ({ result: quantity(suggested) }),
        eth_sendRawTransaction: async (call, ask) => {
          const { to, maxPriorityFeePerGas, gasPrice } = Transaction.from(String(call.params[0]));
          this.recipients.add(to);
          const offered = maxPriorityFeePerGas ?? gasPrice ?? 0n;
          if (offered >= this.minimum) {
            this.accepted.push(offered);
            return ask(call);
          }
          this.refusals += 1;
          return { error: { code: -32_000, message: this.#words(offered, this.minimum) } };
        },
      }),
    );
  }
}

const named = (offered: bigint, minimum: bigint) =>
  `transaction underpriced: gas tip cap ${offered}, minimum needed ${minimum}`;

describe.concurrent('pools whose minimum is above the suggested fee', () => {
  const naming: [client: string, words: (offered: bigint, minimum: bigint) => string][] = [
    ['geth', named],
    ['bsc', (offered, minimum) => `transaction underpriced: tip needed ${minimum}, tip permitted ${offered}`],
  ];
  test.each(selectCases(naming, ([client]) => client === 'bsc'))(
    "the operation is sent at the price that the pool's rejection names (%s)",
    async (_, words) => {
      await using scene = await setUp();
      const pool = new Pool(scene, words);
      expect(await ended(await scene.send())).toMatchObject({ status: 'SUCCEEDED' });
      expect(pool.refusals).toBeLessThanOrEqual(2);
      expect(pool.accepted[0]).toBe(25n * gwei);
      const before = pool.refusals;
      await goesOn(scene);
      expect(pool.refusals).toBe(before);
    },
  );

  const unnamed: [client: string, words: string][] = [
    ['geth', 'transaction underpriced'],
    ['besu', 'Gas price below configured minimum gas price'],
    ['nethermind', 'FeeTooLow'],
  ];
  test.each(selectCases(unnamed, ([client]) => client === 'nethermind'))(
    "the operation is sent at rising prices if the pool's rejection names no price (%s)",
    async (_, words) => {
      await using scene = await setUp();
      const pool = new Pool(scene, () => words);
      expect(await ended(await scene.send())).toMatchObject({ status: 'SUCCEEDED' });
      expect(pool.refusals).toBeLessThanOrEqual(12);
      await goesOn(scene);
    },
  );

  test("fifty operations are sent at the pool's minimum after one rejection", async () => {
    await using scene = await setUp();
    const pool = new Pool(scene, named);
    const ids = await Promise.all(Array.from({ length: 50 }, () => scene.send()));
    for (const id of ids) expect(await ended(id)).toMatchObject({ status: 'SUCCEEDED' });
    expect(pool.refusals).toBeLessThanOrEqual(150);
  });

  test("legacy transactions are sent at the pool's minimum, even above the gas price that the node suggests", async () => {
    await using scene = await setUp({ properties: { fee_mode: 'legacy' } });
    const pool = new Pool(scene, named);
    expect(await ended(await scene.send())).toMatchObject({ status: 'SUCCEEDED' });
    expect(pool.refusals).toBeLessThanOrEqual(2);
    await goesOn(scene);
  });

  test("a tip below the pool's minimum is raised to the minimum if the sender's maximum fee allows it", async () => {
    await using scene = await setUp();
    const pool = new Pool(scene, named);
    const given = { maxFeePerGas: String(40n * gwei), maxPriorityFeePerGas: String(gwei) };
    expect(await ended(await scene.send({}, given))).toMatchObject({ status: 'SUCCEEDED' });
    expect(pool.accepted[0]).toBeGreaterThanOrEqual(25n * gwei);
  });

  test('the no-op of a canceled operation is sent at a price that the pool accepts', async () => {
    await using scene = await setUp({ properties: { max_fee_cap: String(10n * gwei) } });
    const pool = new Pool(scene, named);
    const actionId = await scene.send();
    await told(actionId, /max_fee_cap/);
    await cancel(actionId);
    await told(actionId, /cannot be canceled now: The chain currently requires 2\d{10} wei/);
    pool.minimum = 6n * gwei;
    expect(await ended(actionId)).toHaveProperty('status', expect.stringMatching(/FAILED|SUCCEEDED/));
    await goesOn(scene);
  });

  test('a pool with a minimum is bypassed if another node of the ledger has no minimum', async () => {
    await using scene = await setUp({ more: (node) => [node.url] });
    const pool = new Pool(scene, named);
    expect(await ended(await scene.send())).toMatchObject({ status: 'SUCCEEDED' });
    expect(pool.accepted).toEqual([]);
    expect(pool.refusals).toBeLessThanOrEqual(4);
  });

  test('the pending reason names the cap that is below the minimum, and the operation continues when the minimum falls', async () => {
    await using scene = await setUp({ properties: { max_fee_cap: String(10n * gwei) } });
    const pool = new Pool(scene, named);
    const actionId = await scene.send();
    await told(actionId, /requires 2\d{10} wei per gas.*max_fee_cap \(10000000000\)/);
    await blocksPass(scene, 60);
    expect(pool.refusals).toBeLessThanOrEqual(20);
    pool.minimum = 0n;
    expect(await ended(actionId)).toMatchObject({ status: 'SUCCEEDED' });
    await goesOn(scene);
  });

  test('fee bumps signed in advance are sent, but the empty transaction is not sent while a pool refuses the bumps', async () => {
    await using scene = await setUp({ properties: { presigned_replacements: true } });
    const pool = new Pool(scene, named);
    const actionId = await scene.send();
    await told(actionId, /minimum needed 25000000000/);
    await blocksPass(scene, 60);
    expect(pool.recipients.size).toBe(1);
    expect(pool.recipients).not.toContain(scene.address);
    pool.minimum = 0n;
    // On a busy machine, the action may be given up before a block is mined.
    expect((await ended(actionId)).status).toMatch(/SUCCEEDED|FAILED/);
    await goesOn(scene);
  });
});
