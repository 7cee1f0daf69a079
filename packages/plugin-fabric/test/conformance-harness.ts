import type { ConformanceHarness } from '@ledger-ops/adapter/conformance';
import type { TestNetwork } from './network.ts';
import { functionOf, ledgerOf, organizationAt, userOf } from './profile.ts';
import { callOf, fabric, freshKey, needsOthers, openSession, roleCall } from './stage.ts';

let others: Promise<boolean> | undefined;

/** A harness on a network; what its profile lacks, the kit skips with the reason. */
export async function openHarness({ profile, devnet }: TestNetwork): Promise<ConformanceHarness> {
  const member = userOf(profile);
  const ledger = ledgerOf(profile);
  const { mspId } = organizationAt(profile);
  const address = `${profile.channel}/${profile.chaincode}`;
  const reader = await openSession(ledger);
  const key = freshKey();
  const text = (await reader.session.describeContract?.(address)) ?? undefined;
  const contract = text === undefined ? { address } : { address, interface: text };
  const write = roleCall(profile, 'write', { key, value: 'v' }, { contract });
  const fail = functionOf(profile, 'fail', { key, value: 'no' });
  others ??= needsOthers(profile);
  const failing = await others;
  return {
    ledger,
    signer: member.signer,
    walletParameters: { certificate: member.certificate },
    patience: 40_000,
    samples: {
      call: write,
      secret: {
        operation: {
          ...write,
          native: { ...fabric, transient: { hidden: Buffer.from('hidden words').toString('base64') } },
        },
        text: 'hidden words',
      },
      ...(fail === undefined ? {} : { refusedCall: callOf(profile, fail, { contract }) }),
      // One organization's endorsement is too little.
      ...(!failing ? {} : { failing: { ...write, native: { ...fabric, endorsingOrganizations: [mspId] } } }),
      invalid: [
        {
          why: 'an address that is none',
          operation: { ...write, contract: { address: 'chaincode-alone' } },
          code: 'invalid-argument',
          pointer: '/contract_instance/resource',
        },
        {
          why: 'transient data that is no base64',
          operation: { ...write, native: { ...fabric, transient: { secret: 'no base64!' } } },
          code: 'invalid-argument',
          pointer: '/native/transient/secret',
        },
        {
          why: 'a chaincode that is not there',
          operation: { ...write, contract: { address: `${profile.channel}/nothere` } },
          code: 'unknown-contract',
        },
        {
          why: 'a channel that is not there',
          operation: { ...write, contract: { address: `nothere/${profile.chaincode}` } },
          code: 'unknown-contract',
        },
        {
          why: 'a transfer where no token chaincode is named',
          operation: { type: 'transfer', recipient: `${mspId}/x`, amount: 1n, native: fabric },
          code: 'unsupported-operation',
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
        return (await reader.session.lookup(txId))?.status === 'SUCCEEDED' ? 1 : 0;
      },
      ...(devnet === undefined
        ? {}
        : {
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
      await reader.session.close();
      if (devnet === undefined) return;
      devnet.faults.clear();
      for (const one of devnet.organizations) if (!one.running()) await one.start();
    },
  };
}
