import { misbehaving, wrongs } from '@ledger-ops/devnet';
import { describe, expect, test, vi } from 'vitest';
import { isFaultsRun } from '../../../../testing/faults.ts';
import {
  blocksPass,
  dropped,
  ether,
  gwei,
  inPool,
  other,
  quantity,
  type Scene,
  useJamStage,
} from './jam-stage.ts';

// Some cases wait several times until a transaction is late.
vi.setConfig({ testTimeout: 180_000 });

const { setUp, ended, told, goesOn } = useJamStage();

/**
 * Mines a transaction of the wallet's key that this service did not create. Its fee is high enough to replace
 * any other with its nonce.
 */
async function outside({ node, address }: Scene, nonce: string): Promise<void> {
  await node.rpc('anvil_impersonateAccount', [address]);
  const fees = { maxFeePerGas: quantity(1_000n * gwei), maxPriorityFeePerGas: quantity(1_000n * gwei) };
  await node.rpc('eth_sendTransaction', [{ from: address, to: other, value: '0x2', nonce, ...fees }]);
  await node.rpc('anvil_mine', ['0x1']);
}

async function nonceOf({ node, address }: Scene): Promise<number> {
  return Number(await node.rpc<string>('eth_getTransactionCount', [address, 'latest']));
}

describe.concurrent('with default settings each case resolves without intervention, and later transactions of the wallet succeed', () => {
  test('a transaction below a base fee that stays high is replaced with a higher fee', async () => {
    await using scene = await setUp();
    await scene.clock.hold();
    const actionId = await scene.send();
    await inPool(scene);
    scene.clock.baseFee = 20n * gwei;
    scene.clock.goOn();
    const { status, locator } = await ended(actionId);
    expect(status).toBe('SUCCEEDED');
    const receipt = await scene.node.rpc<{ effectiveGasPrice: string }>('eth_getTransactionReceipt', [
      locator,
    ]);
    expect(BigInt(receipt.effectiveGasPrice)).toBeGreaterThanOrEqual(20n * gwei);
    await goesOn(scene);
  });

  test.runIf(isFaultsRun)(
    "if the required fee exceeds the ledger's cap, the pending reason names both, and a lower fee lets the action continue",
    async () => {
      await using scene = await setUp({ properties: { max_fee_cap: String(10n * gwei) } });
      await scene.clock.hold();
      const actionId = await scene.send();
      await inPool(scene);
      scene.clock.baseFee = 20n * gwei;
      scene.clock.goOn();
      await told(actionId, /21000000000.*max_fee_cap \(10000000000\)/);
      scene.clock.baseFee = gwei;
      expect((await ended(actionId)).status).toMatch(/SUCCEEDED|FAILED/);
      await goesOn(scene);
    },
  );

  test('a drained wallet reports the missing amount and continues once it is funded', async () => {
    await using scene = await setUp();
    await scene.clock.hold();
    const actionId = await scene.send({ amount: ether.toString() });
    await inPool(scene);
    await scene.node.rpc('anvil_setBalance', [scene.address, '0x3e8']);
    scene.clock.goOn();
    const said = await told(actionId, /needs at least \d+ wei/);
    const needed = BigInt(/needs at least (\d+) wei/.exec(said)?.[1] ?? '0');
    expect(needed).toBeLessThan(ether / 100n);
    await scene.node.rpc('anvil_setBalance', [scene.address, quantity(needed)]);
    expect(await ended(actionId)).toMatchObject(dropped(/holds 1000 wei|are missing/));
    await scene.node.rpc('anvil_setBalance', [scene.address, quantity(ether)]);
    await goesOn(scene);
  });

  test.runIf(isFaultsRun)(
    'an action whose transaction exceeds the block gas limit fails, and its problem names the gas limit',
    async () => {
      await using scene = await setUp();
      await scene.clock.hold();
      const actionId = await scene.send({}, { gasLimit: 5_000_000 });
      await inPool(scene);
      await scene.node.rpc('evm_setBlockGasLimit', [quantity(1_000_000n)]);
      scene.clock.goOn();
      expect(await ended(actionId)).toMatchObject(dropped(/above the current block gas limit/));
      await goesOn(scene);
    },
  );

  test('a transaction that the pool forgot is sent again', async () => {
    await using scene = await setUp();
    await scene.clock.hold();
    const actionId = await scene.send();
    await inPool(scene);
    await scene.node.rpc('anvil_dropAllTransactions');
    scene.clock.goOn();
    expect(await ended(actionId)).toMatchObject({ status: 'SUCCEEDED' });
    await goesOn(scene);
  });

  test('if the first of two nodes drops a transaction silently, the second mines it', async () => {
    await using scene = await setUp({ more: (node) => [node.url] });
    scene.front.setFault(misbehaving({ ...wrongs.swallow() }));
    expect(await ended(await scene.send())).toMatchObject({ status: 'SUCCEEDED' });
    await goesOn(scene);
  });

  test.runIf(isFaultsRun)(
    'if the only node claims to know every transaction but has none, the action stays pending until the node recovers',
    async () => {
      await using scene = await setUp();
      scene.front.setFault(misbehaving({ ...wrongs.refuse('already known') }));
      const actionId = await scene.send();
      await told(actionId, /know|shows/);
      scene.front.setFault(undefined);
      expect((await ended(actionId)).status).toMatch(/SUCCEEDED|FAILED/);
      await goesOn(scene);
    },
  );

  test.runIf(isFaultsRun)(
    "an action whose gas limit is below its data's floor price fails on a chain that did not report the floor price",
    async () => {
      await using scene = await setUp();
      // The chain has Prague's rules, but no node reports this when the action is accepted.
      const older = { current: { precompiles: { KZG_POINT_EVALUATION: other }, systemContracts: {} } };
      scene.front.setFault(
        misbehaving({
          async eth_getBlockByNumber(call, ask) {
            const answer = await ask(call);
            if (!('result' in answer) || typeof answer.result !== 'object') return answer;
            return { result: { ...answer.result, requestsHash: undefined } };
          },
          eth_config: async () => ({ result: older }),
        }),
      );
      const data = `0x${'ff'.repeat(5)}${'00'.repeat(31)}`;
      const actionId = await scene.send({}, { gasLimit: 21_500, data });
      expect(await ended(actionId)).toMatchObject(dropped(/gasLimit of 21500 is below the minimum of 21510/));
      await goesOn(scene);
    },
  );

  test('an action is signed again with another nonce if an external transaction of the same key used its nonce', async () => {
    await using scene = await setUp();
    await scene.clock.hold();
    const actionId = await scene.send();
    await inPool(scene);
    await outside(scene, '0x0');
    scene.clock.goOn();
    expect(await ended(actionId)).toMatchObject({ status: 'SUCCEEDED' });
    await goesOn(scene);
  });

  test.runIf(isFaultsRun)(
    'a mined transaction that waits for confirmations is not reported as rejected when it is resent',
    async () => {
      await using scene = await setUp({ properties: { confirmations: '60' } });
      let resent = 0;
      scene.front.setFault(
        misbehaving({
          async eth_sendRawTransaction(call, ask) {
            const answer = await ask(call);
            if ('error' in answer && /nonce too low/i.test(answer.error.message)) resent += 1;
            return answer;
          },
        }),
      );
      await scene.clock.hold();
      const actionId = await scene.send();
      await inPool(scene);
      scene.clock.baseFee = 20n * gwei;
      scene.clock.goOn();
      await vi.waitFor(() => expect(resent).toBeGreaterThan(4), { timeout: 60_000, interval: 50 });
      expect(await told(actionId, /waiting for the ledger/)).not.toMatch(/nonce too low|last said|No node/);
      expect(await ended(actionId)).toMatchObject({ status: 'SUCCEEDED' });
    },
  );

  test.runIf(isFaultsRun)('an action is sent again while the node’s pool is temporarily full', async () => {
    await using scene = await setUp();
    scene.front.setFault(misbehaving({ ...wrongs.refuse('txpool is full') }));
    const actionId = await scene.send();
    await told(actionId, /txpool is full/);
    scene.front.setFault(undefined);
    expect((await ended(actionId)).status).toMatch(/SUCCEEDED|FAILED/);
    await goesOn(scene);
  });

  test.runIf(isFaultsRun)(
    'an action completes even if the base fee rises to 1,000 gwei and falls after some blocks',
    async () => {
      await using scene = await setUp();
      await scene.clock.hold();
      const actionId = await scene.send();
      await inPool(scene);
      scene.clock.baseFee = 1_000n * gwei;
      scene.clock.goOn();
      await blocksPass(scene, 8);
      scene.clock.baseFee = gwei;
      expect(await ended(actionId)).toMatchObject({ status: 'SUCCEEDED' });
      await goesOn(scene);
    },
  );

  test.runIf(isFaultsRun).each([
    ['too high', 3],
    ['too low', -1],
  ])('an action completes even if a node reports a transaction count that is %s', async (_, wrong) => {
    await using scene = await setUp();
    await goesOn(scene);
    await scene.clock.hold();
    const actionId = await scene.send();
    await inPool(scene);
    scene.front.setFault(misbehaving(wrongs.count((count) => count + wrong)));
    scene.clock.goOn();
    await blocksPass(scene, 15);
    scene.front.setFault(undefined);
    expect(await ended(actionId)).toMatchObject({ status: 'SUCCEEDED' });
    await goesOn(scene);
    expect(await nonceOf(scene)).toBe(3);
  });

  test.runIf(isFaultsRun)(
    'a nonce that an external transaction took and a reorg released is used again, below a pending action’s nonce',
    async () => {
      await using scene = await setUp();
      const { node } = scene;
      const before = await node.rpc('evm_snapshot');
      await outside(scene, '0x0');
      await scene.clock.hold();
      const actionId = await scene.send();
      await inPool(scene);
      await node.rpc('evm_revert', [before]);
      await node.rpc('anvil_mine', ['0x5']);
      scene.clock.goOn();
      expect(await nonceOf(scene)).toBe(0);
      expect(await ended(actionId)).toMatchObject({ status: 'SUCCEEDED' });
      expect(await nonceOf(scene)).toBe(2);
      await goesOn(scene);
    },
  );

  test('a final transaction that a reorg removed is sent again', async () => {
    await using scene = await setUp();
    const before = await scene.node.rpc('evm_snapshot');
    const actionId = await scene.send();
    expect(await ended(actionId)).toMatchObject({ status: 'SUCCEEDED' });
    await scene.node.rpc('evm_revert', [before]);
    await scene.node.rpc('anvil_mine', ['0x14']);
    await vi.waitFor(async () => expect(await nonceOf(scene)).toBe(1), { timeout: 60_000, interval: 200 });
    await goesOn(scene);
    expect(await nonceOf(scene)).toBe(2);
  });

  test.runIf(isFaultsRun).each([
    [
      'is replaced by code that reverts',
      '0x5f5ffd',
      { status: 'FAILED', problem: { type: 'urn:ledger-ops:problem:reverted' } },
    ],
    ['is removed', '0x', { status: 'SUCCEEDED' }],
  ])('a call completes if, before it is mined, its contract’s code %s', async (_, code, end) => {
    await using scene = await setUp();
    const contract = '0x000000000000000000000000000000000000c0de';
    await scene.node.rpc('anvil_setCode', [contract, '0x00']);
    await scene.clock.hold();
    const recipient = { lookup_service: { type: 'ledger', value: 'ethereum' }, resource: contract };
    const actionId = await scene.send({ recipient }, { data: '0x01020304' });
    await inPool(scene);
    await scene.node.rpc('anvil_setCode', [contract, code]);
    scene.clock.goOn();
    expect(await ended(actionId)).toMatchObject(end);
    await goesOn(scene);
  });

  test('two wallets that are stuck at the same time do not block each other or a third wallet', async () => {
    await using scene = await setUp();
    const [drained, third] = [await scene.neighbour(), await scene.neighbour()];
    await scene.clock.hold();
    const tooMuchGas = await scene.send({}, { gasLimit: 5_000_000 });
    const unpaid = await drained.send({ amount: ether.toString() });
    await inPool(scene);
    await inPool(drained);
    await scene.node.rpc('evm_setBlockGasLimit', [quantity(1_000_000n)]);
    await scene.node.rpc('anvil_setBalance', [drained.address, '0x3e8']);
    scene.clock.goOn();
    await goesOn(third);
    expect(await ended(tooMuchGas)).toMatchObject(dropped(/above the current block gas limit/));
    await goesOn(scene);
    await told(unpaid, /needs at least \d+ wei/);
    await drained.node.rpc('anvil_setBalance', [drained.address, quantity(ether / 10n)]);
    expect(await ended(unpaid)).toMatchObject(dropped(/holds|missing/));
    await goesOn(drained);
  });
});
