import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openNetwork, skipped } from './network.ts';
import { functionOf, ledgerOf, organizationAt } from './profile.ts';
import {
  type Actor,
  callOf,
  enter,
  execute,
  fabricWith,
  freshKey,
  needsOthers,
  openSession,
  problemOf,
  roleCall,
  settle,
  sign,
  signPlan,
} from './stage.ts';

const network = await openNetwork();
const { profile } = network;
const { mspId } = organizationAt(profile);
const address = `${profile.channel}/${profile.chaincode}`;
let actor: Actor;

beforeAll(async () => {
  actor = await enter(profile);
});
afterAll(async () => {
  await actor?.session.close();
  await network.close();
});

const lacks = (role: Parameters<typeof functionOf>[1]) =>
  skipped(
    profile.functions[role] === undefined ? `the profile has no function for ${role}` : undefined,
    role,
  );

const alone = skipped(
  (await needsOthers(profile)) ? undefined : "one organization's endorsement is enough for this chaincode",
  'endorsements that are missing or differ',
);

describe('a call', () => {
  test('a call is endorsed, ordered and committed, and its writes can be read', async () => {
    const [key, value] = [freshKey(), 'a value of its own'];
    const { txId, bytes } = await sign(actor, roleCall(profile, 'write', { key, value }));
    expect(await actor.session.submit([{ txId, bytes, first: true }])).toEqual([
      { txId, status: 'accepted' },
    ]);
    const outcome = (await settle(actor.session, [txId])).outcomes.get(txId);
    expect(outcome).toMatchObject({
      status: 'succeeded',
      blockHash: `${profile.channel}/${outcome?.height}`,
      details: { channel: profile.channel, block: outcome?.height, result: expect.anything() },
    });
    const read = await actor.session.emulate({ operation: roleCall(profile, 'read', { key }) });
    expect(JSON.stringify(read.result)).toContain(value);
  });

  test('sending the bytes of a call repeatedly executes one transaction', async () => {
    const { txId, bytes } = await sign(actor, roleCall(profile, 'write', { key: freshKey() }));
    await actor.session.submit([{ txId, bytes, first: true }]);
    await settle(actor.session, [txId]);
    // Another session does not know that the transaction was sent.
    const other = await openSession(ledgerOf(profile));
    expect(await other.session.submit([{ txId, bytes }])).toEqual([{ txId, status: 'accepted' }]);
    const { outcomes } = await settle(other.session, [txId]);
    expect(outcomes.get(txId)?.status).toBe('succeeded');
    await other.session.close();
  });

  test('arguments can contain any bytes, even bytes that look like a protobuf message', async () => {
    // If it were parsed as a message, the value would have 30,000 fields.
    const [key, value] = [freshKey(), 'x'.repeat(60_000)];
    const outcome = await execute(actor, roleCall(profile, 'write', { key, value }));
    expect(outcome).toMatchObject({ status: 'succeeded' });
    const found = await actor.session.lookup(outcome.txId);
    expect(found?.receipt).toMatchObject({ args: expect.arrayContaining([value]) });
  });

  test.skipIf(lacks('fail'))(
    'reports the chaincode’s message and each endorser’s message if the chaincode rejects a call',
    async () => {
      const operation = roleCall(profile, 'fail', { key: 'refused-key', value: 'refused-key' });
      expect(await problemOf(sign(actor, operation))).toMatchObject({
        code: 'reverted',
        phase: 'prepare',
        txId: expect.stringMatching(/^[0-9a-f]{64}$/),
        detail: expect.stringMatching(/^The chaincode rejected the call: ./),
        data: {
          failure: 'chaincode',
          chaincodeStatus: expect.any(Number),
          endorsers: [
            {
              mspId,
              address: expect.any(String),
              message: expect.stringMatching(/^chaincode response \d+, ./),
            },
          ],
        },
      });
      expect(await problemOf(actor.session.emulate({ operation }))).toMatchObject({
        code: 'reverted',
        phase: 'emulate',
      });
    },
  );

  test.skipIf(lacks('mismatch') || alone)(
    'a call whose result differs between peers is not endorsed',
    async () => {
      expect(await problemOf(sign(actor, roleCall(profile, 'mismatch', { key: freshKey() })))).toMatchObject({
        code: 'endorsement-failed',
        data: { failure: 'mismatch' },
      });
    },
  );

  test('rejects a call to a system chaincode', async () => {
    for (const chaincode of ['qscc', 'cscc', 'lscc', '_lifecycle']) {
      const contract = { address: `${profile.channel}/${chaincode}` };
      const operation = callOf(profile, { name: 'GetChainInfo', args: [profile.channel] }, { contract });
      const problem = await problemOf(actor.session.check({ wallet: actor.wallet, operation }));
      expect(problem).toMatchObject({ code: 'unsupported-operation', phase: 'check' });
    }
  });

  test('a call to an unknown function is rejected as unknown-method', async () => {
    const operation = callOf(profile, { name: 'NoSuchFunction', args: [] });
    expect(await problemOf(sign(actor, operation))).toMatchObject({
      code: 'unknown-method',
      phase: 'prepare',
    });
    if (lacks('metadata')) return;
    const text = (await actor.session.describeContract?.(address)) ?? '';
    const known = { ...operation, contract: { address, interface: text } };
    expect(await problemOf(sign(actor, known))).toMatchObject({ code: 'unknown-method', phase: 'check' });
  });

  test.skipIf(alone)(
    'if the ledger marks a call with too few endorsements as invalid, reports the endorsers',
    async () => {
      const call = roleCall(profile, 'write', { key: freshKey() });
      const outcome = await execute(actor, {
        ...call,
        native: fabricWith({ endorsing_organizations: [mspId] }),
      });
      expect(outcome).toMatchObject({
        status: 'failed',
        problem: {
          code: 'invalidated',
          phase: 'confirm',
          data: {
            validationCode: 'ENDORSEMENT_POLICY_FAILURE',
            channel: profile.channel,
            endorsers: [mspId],
          },
        },
      });
      expect(await actor.session.lookup(outcome.txId)).toMatchObject({
        status: 'FAILED',
        problem: { code: 'invalidated' },
      });
    },
  );

  test('rejects an endorsing organization that is not a member of the channel before signing, and names the members', async () => {
    const call = roleCall(profile, 'write', { key: freshKey() });
    const operation = {
      ...call,
      native: fabricWith({ endorsing_organizations: [mspId, mspId, 'NobodyMSP'] }),
    };
    const refusal = {
      code: 'invalid-argument',
      issues: [
        {
          pointer: '/native/endorsing_organizations/2',
          detail: expect.stringContaining(mspId),
        },
      ],
    };
    expect(await problemOf(sign(actor, operation))).toMatchObject({ ...refusal, phase: 'check' });
    expect(await problemOf(actor.session.emulate({ operation }))).toMatchObject({
      ...refusal,
      phase: 'emulate',
    });
  });
});

describe('a conflict', () => {
  const reason = lacks('conflict');

  test.skipIf(reason)(
    'without conflict retries, all but one of several conflicting transactions fail',
    async () => {
      const key = freshKey();
      const call = roleCall(profile, 'conflict', { key, from: key, to: `${key}-to` });
      const signed = [];
      for (let n = 0; n < 4; n += 1) signed.push(await sign(actor, call));
      await actor.session.submit(signed.map(({ txId, bytes }) => ({ txId, bytes, first: true })));
      const { outcomes } = await settle(
        actor.session,
        signed.map(({ txId }) => txId),
      );
      const all = [...outcomes.values()];
      expect(all.filter(({ status }) => status === 'succeeded')).toHaveLength(1);
      const failed = all.filter((outcome) => outcome.status === 'failed');
      expect(failed).toHaveLength(3);
      for (const { problem } of failed) {
        expect(problem).toMatchObject({
          code: 'invalidated',
          data: { validationCode: 'MVCC_READ_CONFLICT' },
        });
      }
    },
  );

  test.skipIf(reason)(
    'a conflicting transaction is proposed again after a delay, as often as the ledger allows',
    async () => {
      const retrying = await enter(profile, { properties: { retry_conflicts: 2 } });
      const key = freshKey();
      const call = roleCall(profile, 'conflict', { key, from: key, to: `${key}-to` });
      const rounds = async (count: number, conflicts: number) => {
        const { plan } = await retrying.session.check({ wallet: retrying.wallet, operation: call });
        const signed = [];
        for (let n = 0; n < count; n += 1) {
          signed.push(await signPlan(retrying, conflicts === 0 ? plan : { ...plan, conflicts }));
        }
        await retrying.session.submit(signed.map(({ txId, bytes }) => ({ txId, bytes, first: true })));
        const { outcomes } = await settle(
          retrying.session,
          signed.map(({ txId }) => txId),
        );
        return { signed, outcomes: [...outcomes.values()] };
      };
      const first = await rounds(2, 0);
      expect(first.signed.every(({ mayContinue }) => mayContinue === true)).toBe(true);
      const again = first.outcomes.find((outcome) => outcome.status === 'continue');
      expect(again).toMatchObject({ plan: { step: 'call', conflicts: 1 }, delay: expect.any(Number) });
      const last = await rounds(2, 2);
      expect(last.signed.every(({ mayContinue }) => mayContinue === undefined)).toBe(true);
      expect(last.outcomes.map(({ status }) => status).toSorted()).toEqual(['failed', 'succeeded']);
      await retrying.session.close();
    },
  );

  test.skipIf(reason)(
    'another session proposes a conflicting transaction again once it gets the signed bytes',
    async () => {
      const properties = { retry_conflicts: 1 };
      const [first, second] = [await enter(profile, { properties }), await enter(profile, { properties })];
      const key = freshKey();
      const call = roleCall(profile, 'conflict', { key, from: key, to: `${key}-to` });
      const signed = [await sign(first, call), await sign(first, call)];
      await first.session.submit(signed.map(({ txId, bytes }) => ({ txId, bytes })));
      await settle(
        first.session,
        signed.map(({ txId }) => txId),
      );
      await first.session.close();
      const pending = new Map(signed.map(({ txId }) => [txId, { address: first.wallet.address }]));
      const early = await second.session.confirm({ cursor: null, pending });
      expect(early.outcomes.map(({ status }) => status)).toEqual(['succeeded']);
      await second.session.submit(signed.map(({ txId, bytes }) => ({ txId, bytes })));
      const left = signed.map(({ txId }) => txId).filter((txId) => txId !== early.outcomes[0]?.txId);
      const { outcomes } = await settle(second.session, left, { from: early.cursor });
      expect([...outcomes.values()]).toMatchObject([{ status: 'continue', plan: { conflicts: 1 } }]);
      await second.session.close();
    },
  );
});

describe('transient data', () => {
  const data = Buffer.from('not for the ledger').toString('base64');
  const native = fabricWith({ transient: { appraisal: data } });

  test.skipIf(lacks('transient'))(
    'transient data reaches the chaincode, but is neither in the plan nor in the signed bytes',
    async () => {
      const key = freshKey();
      const operation = roleCall(profile, 'transient', { key }, { native });
      const { plan, secret } = await actor.session.check({ wallet: actor.wallet, operation });
      expect(JSON.stringify(plan)).not.toContain(data);
      expect(secret).toEqual({ transient: { appraisal: data } });
      const signed = await signPlan(actor, plan, secret);
      expect(Buffer.from(signed.bytes).includes('not for the ledger')).toBe(false);
      await actor.session.submit([{ ...signed, first: true }]);
      const { outcomes } = await settle(actor.session, [signed.txId]);
      expect(outcomes.get(signed.txId)?.status).toBe('succeeded');
      expect(JSON.stringify(await actor.session.lookup(signed.txId))).not.toContain(data);
    },
  );

  test('rejects transient data over the limit before signing', async () => {
    const large = Buffer.alloc(3 * 2 ** 20).toString('base64');
    const operation = roleCall(
      profile,
      'write',
      { key: freshKey() },
      { native: fabricWith({ transient: { a: large, b: large } }) },
    );
    expect(await problemOf(sign(actor, operation))).toMatchObject({
      code: 'invalid-argument',
      issues: ['a', 'b'].map((name) => ({
        pointer: `/native/transient/${name}`,
        detail: expect.stringContaining('1398104'),
      })),
    });
  });

  test('preparing a call fails if its transient data has been lost', async () => {
    const operation = roleCall(profile, 'write', { key: freshKey() }, { native });
    const { plan } = await actor.session.check({ wallet: actor.wallet, operation });
    const [answer] = await actor.session.prepare([{ actionId: 'lost', wallet: actor.wallet, plan }]);
    expect(answer).toMatchObject({
      status: 'failed',
      problem: { code: 'invalid-argument', phase: 'prepare' },
    });
  });
});

describe('an emulation', () => {
  test('an emulation runs as the observer, or as the wallet with its signature, and reports the identity', async () => {
    const key = freshKey();
    await execute(actor, roleCall(profile, 'write', { key, value: 'seen' }));
    const operation = roleCall(profile, 'read', { key });
    const observed = await actor.session.emulate({ operation });
    expect(observed.figures?.identity).toMatch(new RegExp(`^${mspId}/`));
    if (organizationAt(profile).users.length > 1) {
      expect(observed.figures?.identity).not.toBe(actor.wallet.address);
    }
    const first = await actor.session.emulateAs?.({ wallet: actor.wallet, operation });
    if (first?.done !== false) throw new TypeError('A signed emulation needs a signature.');
    const signatures = first.requests.map(actor.signer.sign);
    const second = await actor.session.advanceEmulation?.({
      state: structuredClone(first.state),
      signatures,
    });
    expect(second).toEqual({
      done: true,
      result: { result: observed.result, figures: { identity: actor.wallet.address } },
    });
  });

  test('emulating a system chaincode requires permission, for each spelling of its name', async () => {
    const call = { name: 'GetChainInfo', args: [profile.channel] };
    const named = (chaincode: string) =>
      callOf(profile, call, { contract: { address: `${profile.channel}/${chaincode}` } });
    const byMeta = callOf(profile, call, { native: fabricWith({ chaincode: 'qscc' }) });
    const operations = ['qscc', 'qscc/x', 'cscc', 'lscc', 'escc', 'vscc', '_lifecycle', '_other'].map(named);
    for (const operation of [...operations, byMeta]) {
      for (const wallet of [{}, { wallet: actor.wallet }]) {
        expect(await problemOf(actor.session.emulate({ ...wallet, operation }))).toMatchObject({
          ...{ code: 'system-contract', phase: 'emulate' },
        });
      }
      const signed = actor.session.emulateAs?.({ wallet: actor.wallet, operation });
      expect(await problemOf(signed ?? Promise.resolve())).toMatchObject({ code: 'system-contract' });
    }
    const told = await actor.session.emulate({ operation: named('qscc'), systemContracts: true });
    expect(told.result).toBeDefined();
  });

  test('if a result is not the JSON that the interface declares, it is returned as a string', async () => {
    const key = freshKey();
    await execute(actor, roleCall(profile, 'write', { key, value: 'not JSON' }));
    const operation = roleCall(profile, 'read', { key });
    const { contract, method } = operation;
    const [name = ''] = method?.name.split(':').slice(-1) ?? [];
    const parameters = method?.args.map((_, at) => ({ name: `p${at}`, schema: { type: 'string' } }));
    const own = method?.name.slice(0, -name.length - 1) ?? '';
    const transactions = [{ name, tag: ['evaluate'], parameters, returns: { type: 'object' } }];
    const contracts = {
      [own]: { default: own === '', transactions },
      another: { default: own !== '', transactions: [] },
    };
    const declared = { ...contract, interface: JSON.stringify({ contracts }) };
    const plain = await actor.session.emulate({ operation });
    expect(plain.result).toContain('not JSON');
    const shown = await actor.session.emulate({ operation: { ...operation, contract: declared } });
    expect(shown.result).toBe(plain.result);
  });

  test('emulating a write does not change the ledger', async () => {
    const key = freshKey();
    await actor.session.emulate({ operation: roleCall(profile, 'write', { key, value: 'backfill' }) });
    const read = await actor.session.emulate({ operation: roleCall(profile, 'read', { key }) }).catch(String);
    expect(JSON.stringify(read)).not.toContain('backfill');
  });
});

describe('a lookup', () => {
  test('a lookup returns the transaction as it is on the ledger', async () => {
    const key = freshKey();
    const outcome = await execute(actor, roleCall(profile, 'write', { key, value: 'looked up' }));
    const found = await actor.session.lookup(outcome.txId.toUpperCase());
    expect(found).toMatchObject({
      txId: outcome.txId,
      status: 'SUCCEEDED',
      height: outcome.height,
      receipt: {
        validationCode: 'VALID',
        chaincode: profile.chaincode,
        creator: { mspId, certificate: actor.wallet.material?.certificate },
        args: functionOf(profile, 'write', { key, value: 'looked up' })?.args,
        endorsers: expect.arrayContaining([mspId]),
      },
    });
  });
});

describe('metadata', () => {
  test.skipIf(lacks('metadata'))(
    'reads metadata from the chaincode, and validates arguments against their declared types',
    async () => {
      const text = (await actor.session.describeContract?.(address)) ?? '';
      expect(text).toContain('"contracts"');
      const operation = roleCall(
        profile,
        'write',
        { key: freshKey() },
        { contract: { address, interface: text } },
      );
      expect((await execute(actor, operation)).status).toBe('succeeded');
      const wrong = { ...operation, method: { name: operation.method?.name ?? '', args: [] } };
      expect(await problemOf(sign(actor, wrong))).toMatchObject({
        code: 'invalid-argument',
        issues: [{ pointer: '/args' }],
      });
    },
  );

  test('reading the metadata of a missing chaincode fails', async () => {
    expect(
      await problemOf(actor.session.describeContract?.(`${profile.channel}/nothere`) ?? Promise.resolve()),
    ).toMatchObject({ code: 'unknown-contract' });
  });
});
