import { strict as assert } from 'node:assert';
import type { RemoteOperation } from '@ledger-ops/adapter/cloud-wallet';
import type { OperationType } from '@ledger-ops/glo-core';
import { all, type CloudWalletCheck, funds } from './check.ts';
import type { CloudWalletHarness } from './harness.ts';
import type { RemoteStage } from './stage.ts';

/**
 * Returns the sample of an operation type: the sample for this type if the harness has it, otherwise a
 * general sample with this type.
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
      assert.equal(
        status,
        'SUCCEEDED',
        `the plugin declares ${type}, but the operation FAILED: ${JSON.stringify(problem)}`,
      );
      if (type !== 'contract_deploy') return;
      const address = details?.contractAddress;
      assert.ok(typeof address === 'string', 'the status of the succeeded deployment has no contractAddress');
    },
  };
}

/** Checks that the plugin executes each operation type that it declares. */
export const operationChecks: readonly CloudWalletCheck[] = [
  tried('transfer', 'transfer', 'executes a transfer, if the plugin declares this type'),
  tried('contract_call', 'call', 'executes a contract call, if the plugin declares this type'),
  tried(
    'contract_deploy',
    'deploy',
    'executes a deployment and returns the contract address, if the plugin declares this type',
  ),
];
