import type { Glo, Locator } from './types.ts';

/**
 * Resolves the contract locator of a call in an older form: to a service locator if a contract with that id is
 * registered, otherwise to a ledger locator. Returns a GLO without unresolved locators unchanged.
 */
export function resolveContract(glo: Glo, locator: Locator): Glo {
  if (glo.type !== 'contract_call' || glo.options.contractInstance.type !== 'unresolved') return glo;
  return { ...glo, options: { ...glo.options, contractInstance: locator } };
}
