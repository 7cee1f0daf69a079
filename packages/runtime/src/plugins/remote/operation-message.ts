import type { JsonObject, ResolvedOperation } from '@ledger-ops/adapter';
import type { RemoteOperation } from '@ledger-ops/cloud-wallet';
import {
  type ContractDeployGlo,
  type Glo,
  type LedgerLocator,
  type Meta,
  type NativeContent,
  serialiseGlo,
} from '@ledger-ops/glo-core';

const version = '0.1.0';

/** An operation as the cloud wallet protocol says it: a canonical GLO whose locators are the ledger's own. */
export function operationMessage(operation: ResolvedOperation): RemoteOperation {
  const glo = serialiseGlo(gloOf(operation)) as JsonObject;
  switch (operation.type) {
    case 'transfer':
      return { glo };
    case 'contract_call': {
      const { interface: contractInterface } = operation.contract;
      return contractInterface === undefined ? { glo } : { glo, contractInterface };
    }
    case 'contract_deploy': {
      const { source } = operation;
      if (source === undefined) return { glo };
      return { glo, contractSource: { interface: source.interface, code: source.code } };
    }
  }
}

function gloOf(operation: ResolvedOperation): Glo {
  const meta = metaOf(operation);
  const rest = meta === undefined ? { version } : { version, meta };
  const { technology } = operation.native;
  const at = (resource: string): LedgerLocator => ({ type: 'ledger', technology, resource });
  switch (operation.type) {
    case 'transfer': {
      const { recipient, amount } = operation;
      return { ...rest, type: 'transfer', options: { recipient: at(recipient), amount } };
    }
    case 'contract_call': {
      const { contract, method } = operation;
      return {
        ...rest,
        type: 'contract_call',
        options: {
          contractInstance: at(contract.address ?? ''),
          // Where meta holds the call's data, it wins over both.
          methodName: method?.name ?? 'data',
          args: method?.args ?? [],
        },
      };
    }
    case 'contract_deploy': {
      const contractSource: ContractDeployGlo['options']['contractSource'] = {
        type: 'service',
        resource: operation.source?.resource ?? 'data:0',
      };
      return { ...rest, type: 'contract_deploy', options: { contractSource, args: operation.args } };
    }
  }
}

/** The operation's content beyond its options, back in meta. */
function metaOf(operation: ResolvedOperation): Meta | undefined {
  const { technology, ...native }: NativeContent = operation.native;
  const more: Record<string, unknown> = { ...native };
  if (operation.data !== undefined) more.data = operation.data;
  if (operation.type !== 'transfer' && operation.value > 0n) more.value = operation.value;
  if (Object.keys(more).length === 0) return undefined;
  return { [technology]: { version, content: more } };
}
