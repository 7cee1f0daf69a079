import type { Auth } from '@ledger-ops/auth';
import type { ContractRecord, Registry } from '@ledger-ops/registry';
import { type Ledgers, problemFrom } from '@ledger-ops/runtime';
import type { ContractArguments } from '../routes/contracts/contract-arguments.ts';

export interface ContractMethodsOptions {
  readonly auth: Pick<Auth, 'decide'>;
  readonly registry: Pick<Registry, 'contract'>;
  readonly ledgers: Pick<Ledgers, 'open'>;
}

/** Reads the methods of registered contracts through the plugins of their ledgers. */
export function createContractMethods({
  auth,
  registry,
  ledgers,
}: ContractMethodsOptions): ContractArguments {
  async function interfaceOf({ ledgerUid, projectUid, parsedInterface }: ContractRecord) {
    const { definition } = await ledgers.open(ledgerUid, { projectUid });
    return await definition.readInterface(parsedInterface).catch((error: unknown) => {
      throw problemFrom(error, () => '/contractId');
    });
  }

  return {
    interfaceOf,
    async accountForm({ ledgerUid, projectUid }) {
      const { definition } = await ledgers.open(ledgerUid, { projectUid });
      return definition.description?.addresses.account;
    },
    async methods(principal, contractId) {
      const found = await registry.contract(principal.projectUid, contractId);
      if (found === null) return null;
      const { result } = await auth.decide(principal, ['smart-contract-instance:read'], found.uid);
      return result ? (await interfaceOf(found)).methods : null;
    },
  };
}
