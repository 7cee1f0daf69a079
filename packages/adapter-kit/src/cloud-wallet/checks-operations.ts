import { strict as assert } from 'node:assert';
import type { RemoteOperation } from '@ledger-ops/adapter/cloud-wallet';
import type { OperationType } from '@ledger-ops/glo-core';
import { all, type CloudWalletCheck, funds } from './check.ts';
import type { CloudWalletHarness } from './harness.ts';
import type { RemoteStage } from './stage.ts';

/**
 * Returns the sample of an operation type: its own sample if there is one, otherwise one of the common
 * samples with this type.
 */
function sampleOf(
  { transfer, call, deploy, operation, other }: CloudWalletHarness['samples'],
  type: OperationType,
): RemoteOperation | undefined {
  const own = { transfer, contract_call: call, contract_deploy: deploy }[type];
  return own ?? [operation, other].find(({ glo }) => glo.type === type);
}

const declared = (type: OperationType) => (stage: RemoteStage) =>
  stage.plugin.capabilities.operations.includes(type) ? undefined : `the plugin does not declare ${type}`;

const sampled = (type: OperationType, sample: string) => (stage: RemoteStage) =>
  sampleOf(stage.harness.samples, type) === undefined
    ? `the harness has no sample '${sample}' of the type ${type}`
    : undefined;

function tried(type: OperationType, sample: string, name: string): CloudWalletCheck {
  return {
    name,
    operation: type,
    missing: all(declared(type), sampled(type, sample), funds),
    async run(stage) {
      const operation = sampleOf(stage.harness.samples, type);
      assert.ok(operation !== undefined);
      assert.equal(
        operation.glo.type,
        type,
        `the sample '${sample}' has the type ${operation.glo.type} instead of ${type}`,
      );
      const wallet = await stage.fundedWallet();
      const { txId } = await stage.send(stage.sending(wallet, operation));
      const { status, details, problem } = await stage.settled(txId);
      assert.equal(status, 'SUCCEEDED', `a declared ${type} FAILED: ${JSON.stringify(problem)}`);
      if (type !== 'contract_deploy') return;
      const address = details?.contractAddress;
      assert.ok(typeof address === 'string', 'a deployment that SUCCEEDED has no contractAddress');
    },
  };
}

/** Each operation type that the plugin declares is executed. */
export const operationChecks: readonly CloudWalletCheck[] = [
  tried('transfer', 'transfer', 'a declared transfer is executed'),
  tried('contract_call', 'call', 'a declared contract call is executed'),
  tried('contract_deploy', 'deploy', 'a declared deployment is executed and returns its contract address'),
];
