import type { Glo, Locator } from './types.ts';

/**
 * Replaces the unresolved contract locator of a call in a deprecated form (see `parseGlo`). Pass a service locator
 * if a contract with that id is registered, otherwise a ledger locator. Returns any other GLO unchanged.
 */
export function resolveContract(glo: Glo, locator: Locator): Glo {
  if (glo.type !== 'contract_call' || glo.options.contractInstance.type !== 'unresolved') return glo;
  return { ...glo, options: { ...glo.options, contractInstance: locator } };
}
