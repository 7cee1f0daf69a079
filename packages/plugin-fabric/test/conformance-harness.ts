import type { ConformanceHarness } from '@ledger-ops/adapter-kit/conformance';
import { holdBlocks } from './block-maker.ts';
import { type Prepared, prepareNetwork } from './conformance-samples.ts';
import type { TestNetwork } from './network.ts';
import { functionOf, ledgerOf, organizationAt, userOf } from './profile.ts';
import {
  callOf,
  enter,
  fabric,
  fabricWith,
  freshKey,
  importWallet,
  openSession,
  roleCall,
  sign,
} from './stage.ts';

const prepared = new WeakMap<TestNetwork, Promise<Prepared>>();

/**
 * Opens a harness on a network. The conformance kit skips checks that need something that the profile lacks,
 * and prints the reason.
 */
export async function openHarness(network: TestNetwork): Promise<ConformanceHarness> {
  const { profile, devnet } = network;
  const once = prepared.get(network) ?? prepareNetwork(network);
  prepared.set(network, once);
  const { member, failing, deployment, view, token } = await once;
  // A transfer reads and writes token balances, so one of two transfers in a block is proposed again.
  const properties = {
    commit_timeout: devnet === undefined ? 2_000 : 500,
    ...(token === undefined ? {} : { transfer_contract: token.address, retry_conflicts: 5 }),
  };
  const ledger = ledgerOf(profile, { properties });
  const { mspId } = organizationAt(profile);
  const address = `${profile.channel}/${profile.chaincode}`;
  const queries = await openSession(ledger);
  const key = freshKey();
  const text = (await queries.session.describeContract?.(address)) ?? undefined;
  const contract = text === undefined ? { address } : { address, interface: text };
  const write = roleCall(profile, 'write', { key, value: 'v' }, { contract });
  const fail = functionOf(profile, 'fail', { key, value: 'no' });
  const blocks = devnet === undefined ? undefined : await holdBlocks(network, devnet);
  const transfer = {
    type: 'transfer',
    recipient: `${mspId}/${freshKey()}`,
    amount: 1n,
    native: fabric,
  } as const;
  return {
    ledger,
    signer: member.signer,
    walletParameters: { certificate: member.certificate },
    patience: 40_000,
    finalAtOnce: true,
    samples: {
      call: write,
      view,
      systemCall: callOf(
        profile,
        { name: 'GetChainInfo', args: [profile.channel] },
        { contract: { address: `${profile.channel}/qscc` } },
      ),
      ...(token === undefined
        ? {}
        : {
            transfer,
            emitting: {
              operation: callOf(
                profile,
                { name: 'Transfer', args: [token.somebody, '1'] },
                { contract: { address: token.address } },
              ),
              event: { name: 'Transfer', args: { from: token.holder, to: token.somebody, value: '1' } },
            },
          }),
      ...(deployment === undefined ? {} : { deploy: deployment, steps: deployment }),
      secret: {
        operation: {
          ...write,
          native: fabricWith({ transient: { hidden: Buffer.from('hidden words').toString('base64') } }),
        },
        text: 'hidden words',
      },
      ...(fail === undefined ? {} : { refusedCall: callOf(profile, fail, { contract }) }),
      // The endorsement of one organization does not suffice.
      ...(!failing
        ? {}
        : { failing: { ...write, native: fabricWith({ endorsing_organizations: [mspId] }) } }),
      invalid: [
        {
          why: 'an invalid address',
          operation: { ...write, contract: { address: 'chaincode-alone' } },
          code: 'invalid-argument',
          pointer: '/contract_instance/resource',
        },
        {
          why: 'transient data that is not base64',
          operation: { ...write, native: fabricWith({ transient: { secret: 'no base64!' } }) },
          code: 'invalid-argument',
          pointer: '/native/transient/secret',
        },
        {
          why: 'a chaincode that does not exist',
          operation: { ...write, contract: { address: `${profile.channel}/nothere` } },
          code: 'unknown-contract',
        },
        {
          why: 'a channel that does not exist',
          operation: { ...write, contract: { address: `nothere/${profile.chaincode}` } },
          code: 'unknown-contract',
        },
        token === undefined
          ? {
              why: 'a transfer without a token chaincode',
              operation: transfer,
              code: 'unsupported-operation',
            }
          : {
              why: 'a recipient that is not an account',
              operation: { ...transfer, recipient: 'somebody' },
              code: 'invalid-argument',
              pointer: '/recipient/resource',
            },
        {
          why: 'an endorsing organization that is not a member',
          operation: { ...write, native: fabricWith({ endorsing_organizations: ['NobodyMSP'] }) },
          code: 'invalid-argument',
          pointer: '/native/endorsing_organizations/0',
        },
      ],
      ...(text === undefined ? {} : { interfaces: { good: [text], bad: ['{}', '[]', '{"contracts": 1}'] } }),
      addresses: {
        good: [
          { given: 'Org1MSP/alice@example.com', normal: 'Org1MSP/alice@example.com' },
          { given: 'x509::/CN=alice::/CN=ca', normal: 'x509::/CN=alice::/CN=ca' },
        ],
        bad: ['alice', 'Org1MSP/', '/alice', 'x509::alice', 'Org1MSP/a\nb'],
      },
    },
    hooks: {
      async executions(txId) {
        return (await queries.session.lookup(txId))?.status === 'SUCCEEDED' ? 1 : 0;
      },
      ...(devnet === undefined || blocks === undefined
        ? {}
        : {
            mine: blocks.mine,
            async rejectForCertain() {
              devnet.faults.ordererRefuses = true;
            },
            /** Pays the wallet from another account, so its balance differs from the endorsed one. */
            async invalidate() {
              const somebody = await enter(profile, { properties, member: userOf(profile, 0, 1) });
              const { address } = await importWallet(somebody.session, member);
              const signed = await sign(somebody, { ...transfer, recipient: address });
              await somebody.session.submit([{ ...signed, first: true }]);
              await blocks.mine(1);
              await somebody.session.close();
            },
            async goDown() {
              for (const one of devnet.organizations) await one.stop();
            },
            async comeUp() {
              for (const one of devnet.organizations) if (!one.running()) await one.start();
            },
            async hang() {
              devnet.faults.delays = { evaluate: 60_000 };
            },
          }),
    },
    async close() {
      await queries.session.close();
      await blocks?.close();
      if (devnet === undefined) return;
      devnet.faults.clear();
      for (const one of devnet.organizations) if (!one.running()) await one.start();
    },
  };
}
