import type { JsonObject, Outcome } from '@ledger-ops/adapter';
import { type FabricNetwork, sampleChaincodes } from '@ledger-ops/devnet-fabric';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { isDevnet, openNetwork, skipped, type TestNetwork } from './network.ts';
import { organizationAt } from './profile.ts';
import { type Actor, callOf, enter, freshKey, settle, sign, signPlan, until } from './stage.ts';

const reason = isDevnet ? undefined : 'tests do not falsify answers of an external network';
const policyFailure = 10;
const readConflict = 11;

describe.skipIf(skipped(reason, 'peer agreement'))('a transaction that a peer reports as invalid', () => {
  let network: TestNetwork;
  let devnet: FabricNetwork;

  beforeAll(async () => {
    network = await openNetwork();
    if (network.devnet === undefined) throw new TypeError('There is no development network.');
    devnet = network.devnet;
    await devnet.deployChaincode({
      ...{ name: 'either', contract: sampleChaincodes.assetTransfer },
      policy: "OR('Org1MSP.peer','Org2MSP.peer')",
    });
  });
  afterEach(async () => {
    devnet.faults.clear();
    for (const one of devnet.organizations) if (!one.running()) await one.start();
  });
  afterAll(() => network?.close());

  const enterPatient = (properties: JsonObject = {}, now = Date.now) =>
    enter(network.profile, {
      properties: { retry_conflicts: 5, commit_timeout: 300, ...properties },
      now,
    });
  const count = (key: string) => ({
    ...callOf(network.profile, { name: 'Trials:Count', args: [key] }),
    contract: { address: `${network.profile.channel}/either` },
  });
  const counted = async ({ session }: Actor, key: string) => {
    const operation = { ...count(key), method: { name: 'Trials:Get', args: [key] } };
    return (await session.emulate({ operation })).result;
  };
  const lie = (code: number) => {
    devnet.faults.lies = { mspId: organizationAt(network.profile).mspId, code };
  };

  /** Continues as a host does, until the action completes or the peers contradict each other. */
  async function drive(actor: Actor, key: string): Promise<{ txId: string; end?: Outcome; remark?: string }> {
    const checked = await actor.session.check({ wallet: actor.wallet, operation: count(key) });
    let { plan } = checked;
    for (;;) {
      const { txId, bytes } = await signPlan(actor, plan);
      await actor.session.submit([{ txId, bytes, first: true }]);
      let end: Outcome | undefined;
      let remark: string | undefined;
      await until(async () => {
        const pending = new Map([[txId, { address: actor.wallet.address }]]);
        const { outcomes, remarks = [] } = await actor.session.confirm({ cursor: null, pending });
        end = outcomes.find((one) => one.txId === txId);
        remark = remarks.find((one) => one.txId === txId)?.detail;
        return end !== undefined || /peers disagree/.test(remark ?? '');
      });
      if (end?.status !== 'continue')
        return {
          txId,
          ...(end === undefined ? {} : { end }),
          ...(remark === undefined ? {} : { remark }),
        };
      plan = end.plan;
    }
  }

  test.each([
    ['a conflict that would be proposed again', readConflict, 'MVCC_READ_CONFLICT'],
    ['a failure', policyFailure, 'ENDORSEMENT_POLICY_FAILURE'],
  ])(
    'a valid transaction that one peer reports as %s stays pending until the peers agree',
    async (_, code, name) => {
      const actor = await enterPatient();
      await actor.session.confirm({ cursor: null, pending: new Map() });
      const key = freshKey();
      lie(code);
      const { txId, end, remark } = await drive(actor, key);
      expect(await counted(actor, key)).toBe('1');
      expect(end).toBeUndefined();
      expect(remark).toMatch(new RegExp(`${name}.*Org2MSP.*VALID`));
      const told = actor.log.filter(({ event }) => event === 'fabric.peers.contradict');
      expect(told).toMatchObject([{ level: 'error', fields: { txId, nodes: 'Org1MSP-0, Org2MSP-0' } }]);
      // When it is queried again, the lying peer agrees with the others.
      devnet.faults.clear();
      const { outcomes } = await settle(actor.session, [txId]);
      expect(outcomes.get(txId)?.status).toBe('succeeded');
      expect(await counted(actor, key)).toBe('1');
      await actor.session.close();
    },
  );

  test('an invalid transaction stays pending with the reason until a peer of another organization answers', async () => {
    const actor = await enterPatient({ retry_conflicts: 0 });
    await actor.session.confirm({ cursor: null, pending: new Map() });
    const key = freshKey();
    const signed = [await sign(actor, count(key)), await sign(actor, count(key))];
    await devnet.organizations[1]?.stop();
    await actor.session.submit(signed.map(({ txId, bytes }) => ({ txId, bytes, first: true })));
    const pending = new Map(signed.map(({ txId }) => [txId, { address: actor.wallet.address }]));
    const ends: Outcome[] = [];
    await until(async () => {
      const { outcomes, remarks = [] } = await actor.session.confirm({ cursor: null, pending });
      ends.push(...outcomes);
      for (const { txId } of outcomes) pending.delete(txId);
      return remarks.some(({ txId, detail }) => pending.has(txId) && /Org2MSP-0.*not answer/.test(detail));
    });
    expect(ends.map(({ status }) => status)).toEqual(['succeeded']);
    await devnet.organizations[1]?.start();
    const { outcomes } = await settle(actor.session, [...pending.keys()]);
    expect([...outcomes.values()]).toMatchObject([
      { status: 'failed', problem: { data: { validationCode: 'MVCC_READ_CONFLICT' } } },
    ]);
    expect(await counted(actor, key)).toBe('1');
    await actor.session.close();
  });

  test('while all streams are silent, pending transactions get their outcomes after one commit timeout', async () => {
    const patience = 1_000;
    let clock = Date.now();
    const actor = await enterPatient({ commit_timeout: patience }, () => clock);
    let { cursor } = await actor.session.confirm({ cursor: null, pending: new Map() });
    devnet.faults.streamsSilent = true;
    /**
     * Signs and sends a transaction for each key and returns their outcomes. Advances the clock once, by `patience`.
     */
    const endsOf = async (keys: string[]) => {
      const signed = await Promise.all(keys.map((key) => sign(actor, count(key))));
      await actor.session.submit(signed.map(({ txId, bytes }) => ({ txId, bytes, first: true })));
      // The transactions are in blocks that no stream delivers.
      await until(async () => {
        const counts = await Promise.all(keys.map((key) => counted(actor, key)));
        return counts.every((value) => value === '1');
      });
      const pending = new Map(signed.map(({ txId }) => [txId, { address: actor.wallet.address }]));
      const waiting = await actor.session.confirm({ cursor, pending });
      expect(waiting.outcomes).toEqual([]);
      clock += patience;
      const committed = await settle(actor.session, [...pending.keys()], { from: waiting.cursor });
      cursor = committed.cursor ?? cursor;
      return [...committed.outcomes.values()].map(({ status }) => status);
    };
    expect(await endsOf([freshKey(), freshKey()])).toEqual(['succeeded', 'succeeded']);
    expect(actor.log.filter(({ event }) => event === 'fabric.stream.silent')).toHaveLength(1);
    // The stream is still silent. Later transactions are also found.
    expect(await endsOf([freshKey()])).toEqual(['succeeded']);
    await actor.session.close();
  });
});
