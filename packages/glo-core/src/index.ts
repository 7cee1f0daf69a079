export { effectiveOperation } from './effective.ts';
export { GloError, type GloErrorCode, type GloIssue } from './errors.ts';
export {
  type JsonLimits,
  jsonLimits,
  maxJsonDepth,
  parseJson,
  parseJsonInSlices,
  scanJson,
} from './json.ts';
export { JsonError, type JsonErrorReason } from './json-error.ts';
export { gloJsonSchema } from './json-schema.ts';
export { gloLimits } from './limits.ts';
export { parseLocator, serialiseLocator } from './locator.ts';
export { operationKey, withoutSecrets } from './operation-key.ts';
export { type ParseOptions, parseGlo } from './parse.ts';
export { parseQuantity, parseQuantityAt } from './quantity.ts';
export { resolveContract } from './resolve-contract.ts';
export { currentGloVersion, type GloDocument, type LocatorDocument, type MetaDocument } from './schema.ts';
export { serialiseGlo } from './serialise.ts';
export type {
  AccessListEntry,
  ContractCallGlo,
  ContractCallOperation,
  ContractDeployGlo,
  ContractDeployOperation,
  ContractLocator,
  Effective,
  EthereumContent,
  FabricContent,
  Glo,
  LedgerLocator,
  Locator,
  Meta,
  NativeContent,
  Operation,
  OperationType,
  Override,
  ServiceLocator,
  Technology,
  TransferGlo,
  TransferOperation,
  UnresolvedLocator,
} from './types.ts';
export { operationTypes, technologies } from './types.ts';
