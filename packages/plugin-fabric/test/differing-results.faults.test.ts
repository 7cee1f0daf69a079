import { sampleChaincodes } from '@ledger-ops/devnet-fabric';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isDevnet, openNetwork, skipped, type TestNetwork } from './network.ts';
import { type Actor, callOf, enter, execute, fabricWith, freshKey, problemOf, sign } from './stage.ts';

const organizations = ['Org1MSP', 'Org2MSP', 'Org3MSP'];
const reason = isDevnet ? undefined : 'tests do not disturb an external network';

describe.skipIf(skipped(reason, 'differing results'))('a policy of two of three organizations', () => {
  let network: TestNetwork;
  let actor: Actor;

  beforeAll(async () => {
    network = await openNetwork({ organizations });
    const policy = `OutOf(2, ${organizations.map((mspId) => `'${mspId}.member'`).join(', ')})`;
    await devnet().deployChaincode({ name: 'two', contract: sampleChaincodes.assetTransfer, policy });
    actor = await enter(network.profile);
  });
  afterAll(async () => {
    await actor?.session.close();
    await network?.close();
  });

  function devnet() {
    if (network.devnet === undefined) throw new TypeError('There is no development network.');
    return network.devnet;
  }

  /** Increments a counter while one organization's peer still has the previous state. */
  async function countWithLate(mspId: string, native = {}, key = freshKey()) {
    const contract = { address: `${network.profile.channel}/two` };
    const call = callOf(network.profile, { name: 'Trials:Count', args: [key] }, { contract });
    expect((await execute(actor, call)).status).toBe('succeeded');
    devnet().faults.lag(mspId, 100);
    return { ...call, ...native };
  }

  test.each(organizations)(
    'the endorsements of two organizations suffice while the peer of %s is behind',
    async (mspId) => {
      const call = await countWithLate(mspId);
      expect(await execute(actor, call)).toMatchObject({ status: 'succeeded', details: { result: '2' } });
      devnet().faults.clear();
    },
  );

  test('a call succeeds if a lagging peer refuses it but the other peers endorse it', async () => {
    const contract = { address: `${network.profile.channel}/two` };
    const key = freshKey();
    const create = callOf(
      network.profile,
      { name: 'CreateAsset', args: [key, 'blue', '5', 'carol', '300'] },
      { contract },
    );
    const named = fabricWith({ endorsing_organizations: ['Org1MSP', 'Org2MSP'] });
    expect((await execute(actor, create)).status).toBe('succeeded');
    // On the older state, the asset does not exist. The second attempt starts with this peer's gateway.
    devnet().faults.lag('Org2MSP', 2);
    const read = callOf(network.profile, { name: 'ReadAsset', args: [key] }, { contract, native: named });
    expect(await execute(actor, read)).toMatchObject({ status: 'succeeded' });
    devnet().faults.clear();
  });

  test('if all three organizations must endorse a call, the refusal names the organization whose result differs', async () => {
    const native = fabricWith({ endorsing_organizations: organizations });
    const call = await countWithLate('Org2MSP', { native });
    expect(await problemOf(sign(actor, call))).toMatchObject({
      code: 'endorsement-failed',
      detail: expect.stringMatching(/Org[23]MSP/),
      data: { failure: 'mismatch' },
    });
    devnet().faults.clear();
  });

  test('transient data is not sent to a second gateway, even if the results of peers differ', async () => {
    const native = fabricWith({ transient: { price: 'MTI=' } });
    const call = await countWithLate('Org1MSP', { native });
    expect(await problemOf(sign(actor, call))).toMatchObject({ data: { failure: 'mismatch' } });
    devnet().faults.clear();
  });
});
