import type { GloDocument, LocatorDocument, OlderCallDocument } from './schema/schema.ts';
import type { ContractCallGlo, ContractLocator, Glo, Locator, Meta } from './types.ts';
import { currentGloVersion } from './version.ts';

/** Converts a validated canonical document to a GLO. */
export function toGlo(document: GloDocument, meta: Meta | undefined): Glo {
  const { version } = document;
  const rest = meta === undefined ? {} : { meta };
  switch (document.type) {
    case 'transfer': {
      const { recipient, amount } = document.options;
      return {
        version,
        type: 'transfer',
        options: { recipient: toLocator(recipient), amount: BigInt(amount) },
        ...rest,
      };
    }
    case 'contract_call': {
      const { contract_instance, method_name, args = [] } = document.options;
      const contractInstance = toLocator(contract_instance);
      return {
        version,
        type: 'contract_call',
        options: { contractInstance, methodName: method_name, args },
        ...rest,
      };
    }
    case 'contract_deploy': {
      const { contract_source, args = [] } = document.options;
      return {
        version,
        type: 'contract_deploy',
        options: { contractSource: toLocator(contract_source), args },
        ...rest,
      };
    }
  }
}

/** Converts validated call options, from `{type, params}` or `{type, options}`, to a GLO of the current version. */
export function toCallGlo(call: OlderCallDocument, meta: Meta | undefined): ContractCallGlo {
  const { contractInstance: contract, methodName, args = [] } = call;
  const contractInstance: ContractLocator =
    typeof contract === 'string' ? { type: 'unresolved', resource: contract } : toLocator(contract);
  const glo: ContractCallGlo = {
    version: currentGloVersion,
    type: 'contract_call',
    options: { contractInstance, methodName, args },
  };
  if (meta !== undefined) glo.meta = meta;
  return glo;
}

/** Converts a validated locator to its normalized form. */
export function toLocator({ lookup_service, resource }: LocatorDocument): Locator {
  return lookup_service.type === 'service'
    ? { type: 'service', resource }
    : { type: 'ledger', technology: lookup_service.value, resource };
}
