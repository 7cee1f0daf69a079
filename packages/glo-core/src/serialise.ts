import { serialiseLocator } from './locator.ts';
import type { GloDocument, MetaDocument } from './schema/schema.ts';
import type { Glo, Meta } from './types.ts';

/**
 * Writes a GLO in its canonical form, quantities as decimal text. Reading the result returns an equal GLO.
 *
 * @throws {GloError} if the contract is still `unresolved`: see `resolveContract`.
 */
export function serialiseGlo(glo: Glo): GloDocument {
  const { version } = glo;
  const rest = glo.meta === undefined ? {} : { meta: serialiseMeta(glo.meta) };
  switch (glo.type) {
    case 'transfer': {
      const { recipient, amount } = glo.options;
      const options = {
        recipient: serialiseLocator(recipient, '/options/recipient'),
        amount: amount.toString(),
      };
      return { version, type: 'transfer', options, ...rest };
    }
    case 'contract_call': {
      const { contractInstance, methodName, args } = glo.options;
      const options = {
        contract_instance: serialiseLocator(contractInstance, '/options/contract_instance'),
        method_name: methodName,
        args,
      };
      return { version, type: 'contract_call', options, ...rest };
    }
    case 'contract_deploy': {
      const { contractSource, args } = glo.options;
      const options = {
        contract_source: serialiseLocator(contractSource, '/options/contract_source'),
        args,
      };
      return { version, type: 'contract_deploy', options, ...rest };
    }
  }
}

function serialiseMeta(meta: Meta): MetaDocument {
  const entries = Object.entries(meta).map(([technology, { version, content }]) => [
    technology,
    { version, native_transaction_content: content },
  ]);
  return { ledger: Object.fromEntries(entries) };
}
