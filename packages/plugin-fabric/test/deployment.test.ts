import type { JsonObject, Outcome, ResolvedOperation } from '@ledger-ops/adapter';
import { packageChaincode, sampleChaincodes, startChaincode } from '@ledger-ops/devnet-fabric';
import { afterAll, describe, expect, test } from 'vitest';
import { isDevnet, openNetwork, skipped } from './network.ts';
import { memberOf, organizationAt, userOf } from './profile.ts';
import {
  type Actor,
  callOf,
  enter,
  execute,
  fabricWith,
  finish,
  freshKey,
  problemOf,
  sign,
  signPlan,
} from './stage.ts';

const network = await openNetwork();
const { profile } = network;
const { channel, chaincodeService, organizations } = profile;
afterAll(() => network.close());

const missing = [
  ...(chaincodeService === undefined ? ['the profile has no chaincodeService'] : []),
  ...(organizations.some(({ admin }) => admin === undefined) ? ['not every organization has an admin'] : []),
  ...(organizations.length < 2 ? ['there is only one organization'] : []),
];
const reason = missing.length === 0 ? undefined : missing.join('; ');

/** Returns an administrator of an organization. */
function enterAdmin(organization: number): Promise<Actor> {
  const { admin } = organizationAt(profile, organization);
  if (admin === undefined) throw new RangeError(`Organization ${organization} has no admin.`);
  return enter(profile, { organization, member: memberOf(admin) });
}

async function deploymentOf(name: string, version = '1.0', policy?: string) {
  const { address = '', listen = '' } = chaincodeService ?? {};
  const { bytes, packageId } = await packageChaincode({ label: `${name}_${version}`, address });
  const operation: ResolvedOperation & { type: 'contract_deploy' } = {
    type: 'contract_deploy',
    source: { interface: '', code: Buffer.from(bytes).toString('base64') },
    args: [],
    value: 0n,
    native: fabricWith({ ...(policy === undefined ? {} : { endorsement_policy: policy }) }),
  };
  return { operation, packageId, listen };
}

/** Returns the plan of the step after this one. */
async function following(actor: Actor, plan: JsonObject): Promise<JsonObject> {
  const outcome = await finish(actor, await signPlan(actor, plan));
  if (outcome.status !== 'continue') throw new Error(`A step ended the deployment: ${outcome.status}.`);
  return outcome.plan;
}

/** Installs and approves; returns the plan of the commit. */
async function approved(actor: Actor, operation: ResolvedOperation): Promise<JsonObject> {
  const { plan } = await actor.session.check({ wallet: actor.wallet, operation });
  return following(actor, await following(actor, plan));
}

describe.skipIf(skipped(reason, 'deployment'))('a deployment', () => {
  test('installs, approves and commits a chaincode for each organization, and calls it', async () => {
    const name = `trial${freshKey().slice(1, 9)}`;
    const policy = `AND(${organizations.map(({ mspId }) => `'${mspId}.member'`).join(', ')})`;
    const { operation, packageId, listen } = await deploymentOf(name, '1.0', policy);
    const [first, second] = [await enterAdmin(0), await enterAdmin(1)];
    const others = organizations
      .slice(1)
      .map(({ mspId }) => mspId)
      .toSorted();

    const { plan } = await first.session.check({ wallet: first.wallet, operation });
    expect(plan).toMatchObject({ step: 'install', channel, name, version: '1.0', packageId });
    expect(await problemOf(execute(first, operation))).toMatchObject({
      code: 'approvals-missing',
      phase: 'prepare',
      data: { organizations: others, packageId, sequence: 1 },
    });

    const committed: Outcome = await execute(second, operation);
    expect(committed).toMatchObject({
      status: 'succeeded',
      contractAddress: `${channel}/${name}`,
      details: { packageId, name, version: '1.0', sequence: 1 },
    });
    expect(await first.session.lookup(committed.txId)).toMatchObject({
      status: 'SUCCEEDED',
      receipt: { function: 'CommitChaincodeDefinition' },
    });

    // A definition that is committed already is reported as such. An upgrade is not.
    expect(await execute(first, operation)).toMatchObject({
      status: 'succeeded',
      contractAddress: `${channel}/${name}`,
      details: { packageId, sequence: 1, alreadyCommitted: true },
    });
    const upgrade = await deploymentOf(name, '2.0', policy);
    expect(await problemOf(execute(first, upgrade.operation))).toMatchObject({
      code: 'approvals-missing',
      data: { organizations: others, packageId: upgrade.packageId, sequence: 2 },
    });
    // The package is already approved and unchanged, so the deployment continues with the commit.
    expect(await problemOf(execute(first, upgrade.operation))).toMatchObject({ code: 'approvals-missing' });

    const service = await startChaincode({
      packageId,
      address: listen,
      contract: sampleChaincodes.assetTransfer,
    });
    try {
      const user = await enter(profile, { member: userOf(profile) });
      const key = freshKey();
      const address = `${channel}/${name}`;
      const put = callOf(profile, { name: 'Trials:Put', args: [key, 'deployed'] }, { contract: { address } });
      expect((await execute(user, put)).status).toBe('succeeded');
      const get = callOf(
        profile,
        { name: 'Get', args: [key] },
        { contract: { address: `${address}/Trials` } },
      );
      expect((await user.session.emulate({ operation: get })).result).toBe('deployed');
      await user.session.close();
    } finally {
      await service.stop();
    }
    await first.session.close();
    await second.session.close();
  }, 300_000);

  test('peers reject a deployment by a wallet that is not an administrator', async () => {
    const { operation } = await deploymentOf(`trial${freshKey().slice(1, 9)}`);
    const user = await enter(profile, { member: userOf(profile) });
    const { txId, bytes } = await sign(user, operation);
    expect(await user.session.submit([{ txId, bytes, first: true }])).toMatchObject([
      { txId, status: 'rejected', problem: { code: 'certificate-invalid', phase: 'submit' } },
    ]);
    await user.session.close();
  });

  test('rejects an impossible deployment before signing', async () => {
    const admin = await enterAdmin(0);
    const { operation } = await deploymentOf('trial');
    const source = (code: string) => ({ ...operation, source: { interface: '', code } });
    const cases: [ResolvedOperation, string][] = [
      [{ ...operation, args: ['1'] }, '/args'],
      [source(Buffer.from('no gzip').toString('base64')), '/contract_source'],
      [source('0x6080'), '/contract_source'],
      [{ ...operation, native: fabricWith({ name: 'no name' }) }, '/native/name'],
      [{ ...operation, native: fabricWith({ version: '1 0' }) }, '/native/version'],
      [
        { ...operation, native: fabricWith({ endorsement_policy: "OR('Org1MSP.friend')" }) },
        '/native/endorsement_policy',
      ],
    ];
    for (const [wrong, pointer] of cases) {
      expect(await problemOf(admin.session.check({ wallet: admin.wallet, operation: wrong }))).toMatchObject({
        code: 'invalid-argument',
        issues: [{ pointer }],
      });
    }
    await admin.session.close();
  });
});

test.skipIf(skipped(reason, 'concurrent deployments'))(
  'a commit that waits for approvals fails when a different definition is committed with the same sequence',
  async () => {
    const name = `taken${freshKey().slice(1, 9)}`;
    const { operation } = await deploymentOf(name);
    const { operation: other } = await deploymentOf(name, '1.1');
    const [first, second] = [await enterAdmin(0), await enterAdmin(1)];
    const commit = await approved(first, operation);
    expect(await problemOf(signPlan(first, commit))).toMatchObject({ code: 'approvals-missing' });
    await approved(first, other);
    const taking = await approved(second, other);
    expect((await finish(second, await signPlan(second, taking))).status).toBe('succeeded');
    expect(await problemOf(signPlan(first, commit))).toMatchObject({
      code: 'refused',
      detail: expect.stringMatching(/^Another definition of \S+ on \S+ was committed with sequence 1 /),
    });
    await first.session.close();
    await second.session.close();
  },
);

const unbroken = isDevnet ? undefined : 'tests do not delay peers of an external network';

test.skipIf(skipped(unbroken, 'late peers'))(
  'if a peer lacks the approval or the definition, a commit or call waits for that peer instead of failing',
  async () => {
    const name = `late${freshKey().slice(1, 9)}`;
    const [own, late] = [0, 1].map((organization) => organizationAt(profile, organization).mspId);
    const policy = `AND('${own}.member', '${late}.member')`;
    const { operation, packageId, listen } = await deploymentOf(name, '1.0', policy);
    const [first, second] = [await enterAdmin(0), await enterAdmin(1)];
    const faults = network.devnet?.faults;
    const commit = await approved(first, operation);
    expect(await approved(second, operation)).toEqual(commit);

    // The second organization's approval is in the last block, which its own peer lacks.
    faults?.lag(late ?? '', 100);
    expect(await problemOf(signPlan(first, commit))).toMatchObject({
      code: 'approvals-missing',
      detail: expect.stringMatching(new RegExp(`^Waiting for approvals of ${late}: `)),
      data: { organizations: [late], packageId, sequence: 1 },
    });
    faults?.clear();
    expect((await finish(first, await signPlan(first, commit))).status).toBe('succeeded');

    const service = await startChaincode({
      packageId,
      address: listen,
      contract: sampleChaincodes.assetTransfer,
    });
    try {
      // At this point, the definition is committed.
      const contract = { address: `${channel}/${name}` };
      const put = callOf(profile, { name: 'Trials:Put', args: [freshKey(), 'deployed'] }, { contract });
      if (faults !== undefined) {
        // The peer that is queried first lacks the definition, and the session has not cached it.
        faults.lag(own ?? '', 100);
        const fresh = await enterAdmin(0);
        const checked = await fresh.session.check({ wallet: fresh.wallet, operation: put });
        expect(checked.readiness).toBe('ready');
        expect(await problemOf(signPlan(fresh, checked.plan))).toMatchObject({ code: 'unavailable' });
        faults.clear();
        await fresh.session.close();
      }
      faults?.lag(late ?? '', 2);
      expect((await execute(first, put)).status).toBe('succeeded');
    } finally {
      faults?.clear();
      await service.stop();
    }
    await first.session.close();
    await second.session.close();
  },
);
