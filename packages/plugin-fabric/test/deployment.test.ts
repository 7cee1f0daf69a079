import type { Outcome, ResolvedOperation } from '@ledger-ops/adapter';
import { packageChaincode, sampleChaincodes, startChaincode } from '@ledger-ops/devnet/fabric';
import { afterAll, describe, expect, test } from 'vitest';
import { openNetwork, skipped } from './network.ts';
import { memberOf, organizationAt, userOf } from './profile.ts';
import { type Actor, callOf, enter, execute, fabric, freshKey, problemOf, sign } from './stage.ts';

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

/** An administrator of an organization. */
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
    native: { ...fabric, ...(policy === undefined ? {} : { endorsementPolicy: policy }) },
  };
  return { operation, packageId, listen };
}

describe.skipIf(skipped(reason, 'deployment'))('a deployment', () => {
  test('is installed, approved and committed, organization by organization, and then called', async () => {
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

    // What is there already is said to be there; an upgrade is not taken for it.
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
    // Approved already, unchanged: it goes straight on to the commit.
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
  }, 180_000);

  test('by somebody who is no administrator is rejected by the peers, for certain', async () => {
    const { operation } = await deploymentOf(`trial${freshKey().slice(1, 9)}`);
    const user = await enter(profile, { member: userOf(profile) });
    const { txId, bytes } = await sign(user, operation);
    expect(await user.session.submit([{ txId, bytes, first: true }])).toMatchObject([
      { txId, status: 'rejected', problem: { code: 'certificate-invalid', phase: 'submit' } },
    ]);
    await user.session.close();
  });

  test('is refused when it is checked, where it cannot be', async () => {
    const admin = await enterAdmin(0);
    const { operation } = await deploymentOf('trial');
    const source = (code: string) => ({ ...operation, source: { interface: '', code } });
    const cases: [ResolvedOperation, string][] = [
      [{ ...operation, args: ['1'] }, '/args'],
      [source(Buffer.from('no gzip').toString('base64')), '/contract_source'],
      [source('0x6080'), '/contract_source'],
      [{ ...operation, native: { ...fabric, name: 'no name' } }, '/native/name'],
      [{ ...operation, native: { ...fabric, version: '1 0' } }, '/native/version'],
      [
        { ...operation, native: { ...fabric, endorsementPolicy: "OR('Org1MSP.friend')" } },
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
