import { serialiseLocator } from './locator.ts';
import { ethereumQuantities, ethereumTexts, fabricTexts } from './normalise.ts';
import type { GloDocument, MetaDocument } from './schema.ts';
import type { EthereumContent, FabricContent, Glo, Meta } from './types.ts';

type Ledgers = NonNullable<MetaDocument['ledger']>;
type EthereumDocument = NonNullable<Ledgers['ethereum']>['native_transaction_content'];
type FabricDocument = NonNullable<Ledgers['hyperledger-fabric']>['native_transaction_content'];

/**
 * Writes a GLO in its canonical form, quantities as decimal text. Reading the result gives an equal GLO.
 *
 * @throws {GloError} when the contract is still `unresolved`: see `resolveContract`.
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
  const ledger: Ledgers = {};
  const { ethereum, 'hyperledger-fabric': fabric } = meta;
  if (ethereum !== undefined) {
    ledger.ethereum = {
      version: ethereum.version,
      native_transaction_content: serialiseEthereum(ethereum.content),
    };
  }
  if (fabric !== undefined) {
    ledger['hyperledger-fabric'] = {
      version: fabric.version,
      native_transaction_content: serialiseFabric(fabric.content),
    };
  }
  return { ledger };
}

function serialiseEthereum(content: EthereumContent): EthereumDocument {
  const document: EthereumDocument = {};
  for (const member of ethereumTexts) {
    const value = content[member];
    if (value !== undefined) document[member] = value;
  }
  for (const member of ethereumQuantities) {
    const value = content[member];
    if (value !== undefined) document[member] = value.toString();
  }
  if (content.accessList !== undefined) document.accessList = content.accessList;
  return document;
}

function serialiseFabric(content: FabricContent): FabricDocument {
  const document: FabricDocument = {};
  for (const member of fabricTexts) {
    const value = content[member];
    if (value !== undefined) document[member] = value;
  }
  if (content.transient !== undefined) document.transient = content.transient;
  if (content.endorsingOrganizations !== undefined) {
    document.endorsing_organizations = content.endorsingOrganizations;
  }
  if (content.endorsementPolicy !== undefined) document.endorsement_policy = content.endorsementPolicy;
  return document;
}
