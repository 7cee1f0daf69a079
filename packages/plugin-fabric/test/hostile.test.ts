import { openBlackHole } from '@ledger-ops/devnet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isDevnet, openNetwork, skipped, type TestNetwork } from './network.ts';
import { ledgerOf, organizationAt, userOf } from './profile.ts';
import {
  type Actor,
  callOf,
  enter,
  execute,
  freshKey,
  importWallet,
  openSession,
  problemOf,
  roleCall,
  sign,
  until,
} from './stage.ts';

const reason = isDevnet ? undefined : 'tests do not disturb an external network';

describe.skipIf(skipped(reason, 'broken chaincode and silent peers'))(
  'broken chaincode and silent peers',
  () => {
    let network: TestNetwork;
    let actor: Actor;

    beforeAll(async () => {
      network = await openNetwork({ chaincodeTimeout: 2_000 });
      actor = await enter(network.profile);
    });
    afterAll(async () => {
      await actor?.session.close();
      await network?.close();
    });

    const write = () => roleCall(network.profile, 'write', { key: freshKey() });
    const broken = [
      ['hangs', 'Hang', 'timeout expired while executing transaction'],
      ['ends its process', 'Panic', 'chaincode stream terminated'],
    ] as const;

    test.each(broken)(
      "if a chaincode %s during a call, reports the chaincode as crashed, with the peer's message",
      async (_, name, words) => {
        const { mspId } = organizationAt(network.profile);
        const operation = callOf(network.profile, { name: `Trials:${name}`, args: [] });
        const said = expect.stringContaining(words);
        const problem = {
          code: 'endorsement-failed',
          detail: said,
          data: {
            failure: 'chaincode-broke',
            endorsers: expect.arrayContaining([expect.objectContaining({ mspId, message: said })]),
          },
        };
        expect(await problemOf(sign(actor, operation))).toMatchObject({
          ...problem,
          phase: 'prepare',
          txId: expect.stringMatching(/^[0-9a-f]{64}$/),
        });
        await until(async () => (await execute(actor, write())).status === 'succeeded');
        expect(await problemOf(actor.session.emulate({ operation }))).toMatchObject({
          ...problem,
          phase: 'emulate',
        });
        await until(async () => (await execute(actor, write())).status === 'succeeded');
      },
      300_000,
    );

    test('a peer that does not answer delays a call until its timeout, and the next call uses another peer', async () => {
      const { profile } = network;
      const [peer] = organizationAt(profile).peers;
      const hole = await openBlackHole(peer?.endpoint ?? '');
      const properties = { endorse_timeout: 3_000, rpc_timeout: 3_000 };
      const ledger = ledgerOf(profile, { properties });
      const [first, ...others] = ledger.nodes;
      if (first === undefined) throw new RangeError('The ledger has no nodes.');
      const nodes = [{ ...first, uri: `grpcs://${hole.endpoint}` }, ...others];
      const member = userOf(profile);
      // The clock does not advance, so a failed peer is used last.
      let clock = Date.now();
      const lost = await openSession({ ...ledger, nodes }, { now: () => clock });
      const { signer } = member;
      const caught: Actor = { ...lost, signer, wallet: await importWallet(lost.session, member) };
      const calls = [
        ['prepare', () => sign(caught, write())],
        ['emulate', () => lost.session.emulate({ operation: roleCall(profile, 'read', { key: 'k' }) })],
      ] as const;
      // Fills the caches through the first peer.
      for (const [, call] of calls) await call();
      hole.swallow();
      for (const [phase, call] of calls) {
        expect(await problemOf(call())).toMatchObject({ code: 'timeout', phase });
        await call();
        // After the delay, a failed peer is used first again.
        clock += 15_000;
      }
      await lost.session.close();
      await hole.close();
    }, 300_000);
  },
);
