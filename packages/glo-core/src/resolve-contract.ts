import type { Glo, Locator } from './types.ts';

/**
 * Gives a call that was read from an older form the locator of its contract: a service locator when a contract
 * with that id is registered, else a ledger locator. A GLO that has nothing unresolved is returned as it is.
 */
export function resolveContract(glo: Glo, locator: Locator): Glo {
  if (glo.type !== 'contract_call' || glo.options.contractInstance.type !== 'unresolved') return glo;
  return { ...glo, options: { ...glo.options, contractInstance: locator } };
}
