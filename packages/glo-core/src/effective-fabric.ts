import type {
  ContractLocator,
  Effective,
  FabricContent,
  Glo,
  LedgerLocator,
  NativeContent,
  Override,
} from './types.ts';

/** The effective operation on a Hyperledger Fabric ledger. */
export function fabricOperation(glo: Glo): Effective {
  const content = glo.meta?.['hyperledger-fabric']?.content ?? {};
  const native: NativeContent = { technology: 'hyperledger-fabric', ...content };
  switch (glo.type) {
    case 'transfer': {
      const { recipient, amount } = glo.options;
      return { operation: { type: 'transfer', recipient, amount, native }, overrides: [] };
    }
    case 'contract_call': {
      const { contractInstance, methodName, args } = glo.options;
      const method = { name: methodName, args };
      const resource = mergedResource(contractInstance, content);
      if (resource === undefined) {
        const operation = {
          type: 'contract_call',
          contract: contractInstance,
          method,
          value: 0n,
          native,
        } as const;
        return { operation, overrides: [] };
      }
      const { channel, chaincode, contract: name, ...left } = content;
      const merged: NativeContent = { technology: 'hyperledger-fabric', ...left };
      const same = contractInstance.type !== 'service' && contractInstance.resource === resource;
      const contract: ContractLocator = same ? contractInstance : ledgerLocator(resource);
      const overrides: Override[] = same
        ? []
        : [{ field: 'contract_instance', from: contractInstance.resource, to: resource }];
      return { operation: { type: 'contract_call', contract, method, value: 0n, native: merged }, overrides };
    }
    case 'contract_deploy': {
      const { contractSource: source, args } = glo.options;
      return { operation: { type: 'contract_deploy', source, args, value: 0n, native }, overrides: [] };
    }
  }
}

/**
 * `channel/chaincode[/contract]` after meta replaced its parts; `undefined` when meta says nothing about them or
 * the parts it leaves open are not known here.
 */
function mergedResource(locator: ContractLocator, content: FabricContent): string | undefined {
  const { channel, chaincode, contract } = content;
  if (channel === undefined && chaincode === undefined && contract === undefined) return undefined;
  const parts = locator.type === 'ledger' ? locator.resource.split('/') : [];
  const [oldChannel, oldChaincode, oldContract] = parts.length === 2 || parts.length === 3 ? parts : [];
  const [newChannel, newChaincode] = [channel ?? oldChannel, chaincode ?? oldChaincode];
  if (newChannel === undefined || newChaincode === undefined) return undefined;
  const newContract = contract ?? oldContract;
  return [newChannel, newChaincode, ...(newContract === undefined ? [] : [newContract])].join('/');
}

function ledgerLocator(resource: string): LedgerLocator {
  return { type: 'ledger', technology: 'hyperledger-fabric', resource };
}
