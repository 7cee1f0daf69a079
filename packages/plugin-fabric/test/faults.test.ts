import type { AdapterError, ResolvedOperation } from '@ledger-ops/adapter';
import type { FabricNetwork } from '@ledger-ops/devnet-fabric';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { isDevnet, openNetwork, skipped, type TestNetwork } from './network.ts';
import { ledgerOf, organizationAt } from './profile.ts';
import {
  callOf,
  enter,
  execute,
  fabricWith,
  finish,
  freshKey,
  openSession,
  problemOf,
  roleCall,
  settle,
  sign,
  signPlan,
  until,
} from './stage.ts';

const reason = isDevnet ? undefined : 'tests do not disturb an external network';

/** Maximum number of concurrent calls to a peer's gateway. */
const concurrency = 16;

describe.skipIf(skipped(reason, 'faults'))('when the network is disturbed', () => {
  let network: TestNetwork;
  let devnet: FabricNetwork;

  beforeAll(async () => {
    network = await openNetwork({ concurrency });
    if (network.devnet === undefined) throw new TypeError('There is no development network.');
    devnet = network.devnet;
  });
  afterEach(async () => {
    devnet.faults.clear();
    for (const one of devnet.organizations) if (!one.running()) await one.start();
  });
  afterAll(() => network?.close());

  const write = () => roleCall(network.profile, 'write', { key: freshKey() });
  const count = (key: string) => roleCall(network.profile, 'conflict', { key });
  /** Returns a session with a short stall timeout. */
  const enterWatchful = () => enter(network.profile, { properties: { commit_timeout: 500 } });

  test('a block stream that was cut continues without a gap', async () => {
    const actor = await enterWatchful();
    const first = await sign(actor, write());
    await actor.session.confirm({ cursor: null, pending: new Map() });
    devnet.faults.streamsRefused = true;
    devnet.faults.cutStreams();
    const [answer] = await actor.session.submit([{ ...first, first: true }]);
    expect(answer?.status).toBe('accepted');
    const others = await enter(network.profile);
    devnet.faults.streamsRefused = false;
    expect((await execute(others, write())).status).toBe('succeeded');
    const { outcomes } = await settle(actor.session, [first.txId]);
    expect(outcomes.get(first.txId)?.status).toBe('succeeded');
    await others.session.close();
    await actor.session.close();
  });

  test('confirm() fails as unavailable while no blocks can be read, and the cursor does not move', async () => {
    const actor = await enterWatchful();
    const { cursor } = await actor.session.confirm({ cursor: null, pending: new Map() });
    devnet.faults.streamsRefused = true;
    devnet.faults.cutStreams();
    await until(async () => {
      const problem = await problemOf(actor.session.confirm({ cursor, pending: new Map() }));
      expect(problem).toMatchObject({ code: 'unavailable', phase: 'confirm' });
      return true;
    });
    devnet.faults.streamsRefused = false;
    await until(
      async () =>
        (await actor.session.confirm({ cursor, pending: new Map() })).cursor.height >= cursor.height,
    );
    await actor.session.close();
  });

  test('detects a silent block stream and reads from another peer', async () => {
    const actor = await enterWatchful();
    await actor.session.confirm({ cursor: null, pending: new Map() });
    devnet.faults.streamsSilent = true;
    const signed = await sign(actor, write());
    await actor.session.submit([{ ...signed, first: true }]);
    const pending = new Map([[signed.txId, { address: actor.wallet.address }]]);
    await until(async () => {
      await actor.session.confirm({ cursor: null, pending }).catch(() => undefined);
      return actor.log.some(({ event }) => event === 'fabric.stream.silent');
    });
    devnet.faults.streamsSilent = false;
    const { outcomes } = await settle(actor.session, [signed.txId]);
    expect(outcomes.get(signed.txId)?.status).toBe('succeeded');
    await actor.session.close();
  });

  test('a duplicate of a transaction in a later block does not change its outcome', async () => {
    const actor = await enterWatchful();
    const before = await actor.session.confirm({ cursor: null, pending: new Map() });
    devnet.faults.repeatTransactions = true;
    const signed = await sign(actor, write());
    await actor.session.submit([{ ...signed, first: true }]);
    const { outcomes, cursor } = await settle(actor.session, [signed.txId]);
    expect(outcomes.get(signed.txId)?.status).toBe('succeeded');
    // The block of the transaction, and the block of its duplicate.
    const blocks = 2;
    await until(
      async () =>
        (await actor.session.confirm({ cursor, pending: new Map() })).cursor.height >=
        before.cursor.height + blocks,
    );
    // To a host, the transaction may still be pending. The duplicate must not replace the first result.
    const late = await openSession(ledgerOf(network.profile));
    const again = await settle(late.session, [signed.txId]);
    expect(again.outcomes.get(signed.txId)?.status).toBe('succeeded');
    await late.session.close();
    await actor.session.close();
  });

  test('a transaction that an unavailable orderer refused is accepted when it is sent again', async () => {
    const actor = await enterWatchful();
    const signed = await sign(actor, write());
    devnet.faults.ordererUnavailable = true;
    const [refused] = await actor.session.submit([{ ...signed, first: true }]);
    expect(refused).toMatchObject({
      status: 'unavailable',
      problem: { code: 'unavailable', phase: 'submit' },
    });
    devnet.faults.ordererUnavailable = false;
    expect(await actor.session.submit([signed])).toMatchObject([{ status: 'accepted' }]);
    const { outcomes } = await settle(actor.session, [signed.txId]);
    expect(outcomes.get(signed.txId)?.status).toBe('succeeded');
    await actor.session.close();
  });

  test('if the answer to a submission is lost, finds the transaction in a block', async () => {
    const actor = await enter(network.profile, { properties: { submit_timeout: 300 } });
    const signed = await sign(actor, write());
    let taken = false;
    devnet.faults.delays = {
      // The peer delays its answer after it has passed the transaction to the orderer.
      get submit() {
        taken = true;
        return 60_000;
      },
    };
    // If the deadline passes before that, the transaction is sent again, as a host would do.
    for (let first = true; !taken; first = false) {
      const [answer] = await actor.session.submit([{ ...signed, first }]);
      expect(answer).toMatchObject({ status: 'unavailable', problem: { code: 'timeout' } });
    }
    const { outcomes } = await settle(actor.session, [signed.txId]);
    expect(outcomes.get(signed.txId)?.status).toBe('succeeded');
    await actor.session.close();
  });

  test('uses another peer if a peer dies between endorsement and submission', async () => {
    const actor = await enterWatchful();
    await actor.session.confirm({ cursor: null, pending: new Map() });
    const { mspId } = organizationAt(network.profile);
    const signed = await sign(actor, write());
    // This call stops the peer. `faults.die` might stop it before the client has read the endorsement.
    await devnet.organizations.find((one) => one.mspId === mspId)?.stop();
    expect(await actor.session.submit([{ ...signed, first: true }])).toMatchObject([{ status: 'accepted' }]);
    const { outcomes } = await settle(actor.session, [signed.txId]);
    expect(outcomes.get(signed.txId)?.status).toBe('succeeded');
    await actor.session.close();
  });

  test('no outcome is lost if a peer dies between submission and commit', async () => {
    const actor = await enterWatchful();
    const { cursor } = await actor.session.confirm({ cursor: null, pending: new Map() });
    const { mspId } = organizationAt(network.profile);
    devnet.faults.die({ after: 'submit', mspId, answered: false });
    const signed = await sign(actor, write());
    await actor.session.submit([{ ...signed, first: true }]);
    const { outcomes } = await settle(actor.session, [signed.txId], { from: cursor });
    expect(outcomes.get(signed.txId)?.status).toBe('succeeded');
    await actor.session.close();
  });

  test('a peer that is one block behind does not fail calls that the other peers endorse', async () => {
    const actor = await enter(network.profile);
    const late = organizationAt(network.profile, 1).mspId;
    const key = freshKey();
    expect((await execute(actor, count(key))).status).toBe('succeeded');
    devnet.faults.lag(late);
    expect((await execute(actor, count(key))).status).toBe('succeeded');
    const asset = ['CreateAsset', 'UpdateAsset'].map((name) =>
      callOf(network.profile, { name, args: [`asset-${key}`, 'blue', '5', 'me', '7'] }),
    );
    for (const operation of asset) {
      devnet.faults.lag(late, 2);
      expect((await execute(actor, operation)).status).toBe('succeeded');
    }
    expect((await execute(actor, count(key))).status).toBe('succeeded');
    devnet.faults.lag(late, 100);
    expect(await problemOf(sign(actor, count(key)))).toMatchObject({
      code: 'endorsement-failed',
      data: { failure: 'mismatch', endorsers: [{ mspId: late }] },
    });
    await actor.session.close();
  });

  test('a call whose endorsement timed out can be retried', async () => {
    const hasty = await enter(network.profile, { properties: { endorse_timeout: 300 } });
    const actor = await enter(network.profile);
    const { plan } = await hasty.session.check({ wallet: hasty.wallet, operation: write() });
    devnet.faults.delays = { endorse: 60_000 };
    expect(await problemOf(signPlan(hasty, plan))).toMatchObject({ code: 'timeout', phase: 'prepare' });
    devnet.faults.clear();
    // The second attempt has enough time.
    expect((await finish(actor, await signPlan(actor, plan))).status).toBe('succeeded');
    await hasty.session.close();
    await actor.session.close();
  });

  test('an endorsement can be retried while a required peer is down', async () => {
    const actor = await enterWatchful();
    const [own, other] = network.profile.organizations.map(({ mspId }) => mspId);
    const named = { native: fabricWith({ endorsing_organizations: [own ?? '', other ?? ''] }) };
    await actor.session.check({ wallet: actor.wallet, operation: write() });
    await devnet.organizations[1]?.stop();
    const cases: [ResolvedOperation, RegExp][] = [
      [write(), /no peer combination can satisfy the endorsement policy/],
      [{ ...write(), ...named }, new RegExp(`org\\(s\\): ${other}`)],
    ];
    for (const [operation, words] of cases) {
      expect(await problemOf(sign(actor, operation))).toMatchObject({
        ...{ code: 'unavailable', phase: 'prepare', data: { failure: 'endorsers-unavailable' } },
        detail: expect.stringMatching(words),
      });
    }
    const elsewhere = { native: fabricWith({ endorsing_organizations: [other ?? ''] }) };
    const operation = { ...roleCall(network.profile, 'read', { key: 'k' }), ...elsewhere };
    expect(await problemOf(actor.session.emulate({ operation }))).toMatchObject({
      ...{ code: 'unavailable', phase: 'emulate', data: { failure: 'endorsers-unavailable' } },
    });
    // The peer that does not answer may have the block that the other one lacks.
    const nowhere = { ...operation, contract: { address: `${network.profile.channel}/nothere` } };
    expect(await problemOf(actor.session.emulate({ operation: nowhere }))).toMatchObject({
      code: 'unavailable',
    });
    // A check uses only cached data, so it still knows the channel's members while no peer is up.
    await devnet.organizations[0]?.stop();
    for (const [known] of cases) await actor.session.check({ wallet: actor.wallet, operation: known });
    const native = fabricWith({ endorsing_organizations: ['NobodyMSP'] });
    const strange = actor.session.check({ wallet: actor.wallet, operation: { ...write(), native } });
    expect(await problemOf(strange)).toMatchObject({ code: 'invalid-argument', phase: 'check' });
    for (const one of devnet.organizations) await one.start();
    for (const [again] of cases) expect((await execute(actor, again)).status).toBe('succeeded');
    expect(await problemOf(actor.session.emulate({ operation: nowhere }))).toMatchObject({
      code: 'unknown-contract',
    });
    await actor.session.close();
  });

  test("calls beyond a peer's limit of concurrent calls wait in the adapter", async () => {
    const enough = await enter(network.profile, { properties: { max_peer_calls: concurrency / 2 } });
    const signed = await Promise.all(Array.from({ length: 3 * concurrency }, () => sign(enough, write())));
    expect(new Set(signed.map(({ txId }) => txId)).size).toBe(3 * concurrency);
    await enough.session.close();
    const tooMany = await enter(network.profile, { properties: { max_peer_calls: 10 * concurrency } });
    // Endorsements are limited adaptively; emulations are not.
    const operation = callOf(network.profile, { name: 'Trials:Wait', args: ['300'] });
    const refusals = async () => {
      const attempts = Array.from({ length: 3 * concurrency }, () =>
        tooMany.session.emulate({ operation }).catch((error: AdapterError) => error.problem),
      );
      return (await Promise.all(attempts)).filter((one) => 'code' in one);
    };
    // A slow machine may not have enough concurrent calls.
    let refused = await refusals();
    while (refused.length === 0) refused = await refusals();
    expect(refused[0]).toMatchObject({ code: 'unavailable', data: { failure: 'busy' } });
    await tooMany.session.close();
  }, 300_000);

  test('reports each new block as a head without a query', async () => {
    const actor = await enterWatchful();
    const heads: number[] = [];
    const stop = actor.session.onHead(({ height }) => heads.push(height));
    await actor.session.confirm({ cursor: null, pending: new Map() });
    const signed = await sign(actor, write());
    await actor.session.submit([{ ...signed, first: true }]);
    await until(() => heads.length > 0);
    stop();
    const { head } = await actor.session.confirm({ cursor: null, pending: new Map() });
    expect(heads.at(-1)).toBe(head.height);
    await actor.session.close();
  });
});
