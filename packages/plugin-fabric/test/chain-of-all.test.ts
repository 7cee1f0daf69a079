import type { FabricNetwork } from '@ledger-ops/devnet-fabric';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isDevnet, openNetwork, skipped, type TestNetwork } from './network.ts';
import { ledgerOf, organizationAt } from './profile.ts';
import { openSession, problemOf, until } from './stage.ts';

const reason = isDevnet ? undefined : 'tests do not stop peers of an external network';

describe.skipIf(skipped(reason, 'chain of all gateways'))(
  'the chain identity according to all gateways',
  () => {
    let network: TestNetwork;
    let devnet: FabricNetwork;

    beforeAll(async () => {
      network = await openNetwork();
      if (network.devnet === undefined) throw new TypeError('There is no development network.');
      devnet = network.devnet;
    });
    afterAll(() => network?.close());

    test('the chain identity is certain while all peers are up, and otherwise the reason names the unreachable peer', async () => {
      const { session } = await openSession(ledgerOf(network.profile));
      const known = await session.chain();
      expect(await session.chain({ everyNode: true })).toEqual(known);
      const [first] = devnet.organizations;
      await first?.stop();
      const { mspId } = organizationAt(network.profile, 0);
      expect(await session.chain({ everyNode: true })).toEqual({
        ...known,
        unsure: expect.stringContaining(`Node ${mspId}-0`),
      });
      await first?.start();
      await until(async () => (await session.chain({ everyNode: true })).unsure === undefined);
      await session.close();
      expect(await problemOf(session.chain({ everyNode: true }))).toMatchObject({ code: 'unavailable' });
    });
  },
);
