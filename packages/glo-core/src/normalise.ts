import type { GloDocument, LocatorDocument, MetaDocument, OlderCallDocument } from './schema.ts';
import { currentGloVersion } from './schema.ts';
import type {
  ContractCallGlo,
  ContractLocator,
  EthereumContent,
  FabricContent,
  Glo,
  Locator,
  Meta,
} from './types.ts';

type EthereumDocument = NonNullable<
  NonNullable<MetaDocument['ledger']>['ethereum']
>['native_transaction_content'];
type FabricDocument = NonNullable<
  NonNullable<MetaDocument['ledger']>['hyperledger-fabric']
>['native_transaction_content'];

/** Members of Ethereum content that are texts as given. */
export const ethereumTexts = ['from', 'to', 'data'] as const;
/** Members of Ethereum content that are quantities. */
export const ethereumQuantities = [
  'chainId',
  'nonce',
  'value',
  'gasPrice',
  'gasLimit',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
] as const;
/** Members of Fabric content that are texts and have the same name in JSON. */
export const fabricTexts = ['channel', 'chaincode', 'contract', 'name', 'version'] as const;

/** Turns a canonical document, already validated, into a GLO. */
export function toGlo(document: GloDocument): Glo {
  const { version } = document;
  const meta = toMeta(document.meta);
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

/** Turns the call options of an older form, already validated, into a GLO of the current version. */
export function toCallGlo(call: OlderCallDocument, metaDocument: MetaDocument | undefined): ContractCallGlo {
  const { contractInstance: contract, methodName, args = [] } = call;
  const contractInstance: ContractLocator =
    typeof contract === 'string' ? { type: 'unresolved', resource: contract } : toLocator(contract);
  const glo: ContractCallGlo = {
    version: currentGloVersion,
    type: 'contract_call',
    options: { contractInstance, methodName, args },
  };
  const meta = toMeta(metaDocument);
  if (meta !== undefined) glo.meta = meta;
  return glo;
}

/** Turns a locator, already validated, into its normal form. */
export function toLocator({ lookup_service, resource }: LocatorDocument): Locator {
  return lookup_service.type === 'service'
    ? { type: 'service', resource }
    : { type: 'ledger', technology: lookup_service.value, resource };
}

function toMeta(document: MetaDocument | undefined): Meta | undefined {
  const ethereum = document?.ledger?.ethereum;
  const fabric = document?.ledger?.['hyperledger-fabric'];
  if (ethereum === undefined && fabric === undefined) return undefined;
  const meta: Meta = {};
  if (ethereum !== undefined) {
    meta.ethereum = {
      version: ethereum.version,
      content: toEthereumContent(ethereum.native_transaction_content),
    };
  }
  if (fabric !== undefined) {
    meta['hyperledger-fabric'] = {
      version: fabric.version,
      content: toFabricContent(fabric.native_transaction_content),
    };
  }
  return meta;
}

function toEthereumContent(document: EthereumDocument): EthereumContent {
  const content: EthereumContent = {};
  for (const member of ethereumTexts) {
    const value = document[member];
    if (value !== undefined) content[member] = value;
  }
  for (const member of ethereumQuantities) {
    const value = document[member];
    if (value !== undefined) content[member] = BigInt(value);
  }
  if (document.accessList !== undefined) content.accessList = document.accessList;
  return content;
}

function toFabricContent(document: FabricDocument): FabricContent {
  const content: FabricContent = {};
  for (const member of fabricTexts) {
    const value = document[member];
    if (value !== undefined) content[member] = value;
  }
  if (document.transient !== undefined) content.transient = document.transient;
  if (document.endorsing_organizations !== undefined) {
    content.endorsingOrganizations = document.endorsing_organizations;
  }
  if (document.endorsement_policy !== undefined) content.endorsementPolicy = document.endorsement_policy;
  return content;
}
