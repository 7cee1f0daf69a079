import type { ResolvedOperation } from '@ledger-ops/adapter';
import type { SampleOperations } from '@ledger-ops/adapter-kit/conformance';
import { packageChaincode, sampleChaincodes } from '@ledger-ops/devnet-fabric';
import { evaluateDirectly } from './direct.ts';
import { skipped, type TestNetwork } from './network.ts';
import { type Member, memberOf, organizationAt, userOf } from './profile.ts';
import { callOf, enter, execute, fabric, freshKey, needsOthers, problemOf, roleCall } from './stage.ts';

/** Samples of the network, for all its harnesses. */
export interface Prepared {
  /** The wallet's owner. It is an administrator if the profile has one, because only administrators can deploy. */
  member: Member;
  /** Whether one organization's endorsement does not suffice for the chaincode. */
  failing: boolean;
  deployment: (ResolvedOperation & { type: 'contract_deploy' }) | undefined;
  view: NonNullable<SampleOperations['view']>;
  /** A token chaincode in which the member and another user have tokens: its address and their addresses. */
  token: { address: string; holder: string; somebody: string } | undefined;
}

/** Creates on the network the chaincode and tokens that the samples need. Prints once what the network lacks. */
export async function prepareNetwork(network: TestNetwork): Promise<Prepared> {
  const { profile } = network;
  const { admin } = organizationAt(profile);
  const member = admin === undefined ? userOf(profile) : memberOf(admin);
  return {
    member,
    failing: await needsOthers(profile),
    deployment: await approvedElsewhere(network),
    view: await viewOf(network, member),
    token: await tokenOf(network, member),
  };
}

/**
 * Returns a deployment that the other organizations have approved, so that the first organization can
 * complete it.
 */
async function approvedElsewhere({ profile }: TestNetwork): Promise<Prepared['deployment']> {
  const { organizations, chaincodeService } = profile;
  const reason = organizations.some(({ admin }) => admin === undefined)
    ? 'not every organization of the profile has an admin'
    : undefined;
  if (skipped(reason, "the samples 'deploy' and 'steps'")) return undefined;
  const label = `trial${freshKey().slice(1, 9)}_1.0`;
  const { bytes } = await packageChaincode({ label, address: chaincodeService?.address ?? '127.0.0.1:1' });
  const operation: Prepared['deployment'] = {
    type: 'contract_deploy',
    source: { interface: '', code: Buffer.from(bytes).toString('base64') },
    args: [],
    value: 0n,
    native: fabric,
  };
  for (const [at, { admin }] of organizations.entries()) {
    if (at === 0 || admin === undefined) continue;
    const actor = await enter(profile, { organization: at, member: memberOf(admin) });
    const problem = await problemOf(execute(actor, operation));
    if (!('code' in Object(problem)) || Object(problem).code !== 'approvals-missing') {
      throw new Error(`Organization ${at} did not approve: ${JSON.stringify(problem)}`);
    }
    await actor.session.close();
  }
  return operation;
}

/** Returns a read-only function, and the result that a plain gateway client gets from it. */
async function viewOf({ profile }: TestNetwork, member: Member): Promise<Prepared['view']> {
  const key = freshKey();
  const actor = await enter(profile, { member });
  await execute(actor, roleCall(profile, 'write', { key, value: 'seen' }));
  await actor.session.close();
  const operation = roleCall(profile, 'read', { key });
  const { name = '', args = [] } = operation.method ?? {};
  return { operation, result: await evaluateDirectly(profile, name, args) };
}

/** Deploys a token chaincode in which the member has a million, and another user a thousand. */
async function tokenOf({ profile, devnet }: TestNetwork, member: Member): Promise<Prepared['token']> {
  if (
    skipped(devnet === undefined ? 'a profile names no token chaincode' : undefined, "the sample 'transfer'")
  )
    return undefined;
  await devnet?.deployChaincode({ name: 'token', contract: sampleChaincodes.token });
  const address = `${profile.channel}/token`;
  const minter = await enter(profile, { member });
  const call = (name: string, args: string[]) => callOf(profile, { name, args }, { contract: { address } });
  const somebody = await enter(profile, { member: userOf(profile, 0, 1) });
  for (const [name, args] of [
    ['Initialize', ['Coins', 'C', '0']],
    ['Mint', ['1000000']],
    ['Transfer', [somebody.wallet.address, '1000']],
  ] as const) {
    const { status } = await execute(minter, call(name, [...args]));
    if (status !== 'succeeded') throw new Error(`${name} ended with the status ${status}.`);
  }
  await minter.session.close();
  await somebody.session.close();
  return { address, holder: minter.wallet.address, somebody: somebody.wallet.address };
}
