import type { JsonObject, ResolvedOperation } from '@ledger-ops/adapter';
import type { RemoteOperation } from '@ledger-ops/cloud-wallet';
import {
  type ContractDeployGlo,
  currentGloVersion,
  type Glo,
  type GloTechnology,
  type LedgerLocator,
  type Meta,
  serialiseGlo,
} from '@ledger-ops/glo-core';

/**
 * Converts an operation to the form of the cloud wallet protocol: a canonical GLO whose locators are ledger addresses.
 */
export function operationMessage(operation: ResolvedOperation, technology: GloTechnology): RemoteOperation {
  const glo = serialiseGlo(gloOf(operation, technology)) as JsonObject;
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

function gloOf(operation: ResolvedOperation, known: GloTechnology): Glo {
  const meta = metaOf(operation, known);
  const version = currentGloVersion;
  const rest = meta === undefined ? { version } : { version, meta };
  const { technology } = known;
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
          // If meta contains the call data, it is used instead of the method's name and arguments.
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

/** Returns meta with the content of an operation that is not in its options. */
function metaOf(operation: ResolvedOperation, { technology, overrides }: GloTechnology): Meta | undefined {
  const content = { ...operation.native.content };
  if (operation.data !== undefined && overrides.data !== undefined) content[overrides.data] = operation.data;
  if (operation.type !== 'transfer' && operation.value > 0n && overrides.amount !== undefined) {
    content[overrides.amount] = operation.value.toString();
  }
  if (Object.keys(content).length === 0) return undefined;
  // The version is missing only in operations that an older server accepted.
  return { [technology]: { version: operation.native.version ?? currentGloVersion, content } };
}
