export { contentLimits } from './content-limits.ts';
export type { ContentIssue, Reading } from './content-run.ts';
export type { ContentSchema, JsonSchema } from './content-schema.ts';
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
export type { Json, JsonObject } from './json-values.ts';
export { gloLimits } from './limits.ts';
export { parseLocator, serialiseLocator } from './locator.ts';
export { checkContent } from './meta.ts';
export { operationKey, withoutSecrets } from './operation-key.ts';
export { type GloParseOptions, type ParseOptions, parseGlo } from './parse.ts';
export { parseQuantity, parseQuantityAt } from './quantity.ts';
export { readSchema, readTechnology } from './read-technology.ts';
export { resolveContract } from './resolve-contract.ts';
export type { GloDocument, LocatorDocument, MetaDocument } from './schema.ts';
export { serialiseGlo } from './serialise.ts';
export {
  type AccessListEntry,
  type EthereumContent,
  ethereum,
  ethereumGloContent,
  readEthereumContent,
} from './specified/ethereum.ts';
export {
  type FabricContent,
  fabricGloContent,
  hyperledgerFabric,
  readFabricContent,
} from './specified/fabric.ts';
export { specifiedTechnologies, type Technology, technologies, technologyNamed } from './specified/index.ts';
export {
  type ContentOverrides,
  type GloContent,
  type GloTechnology,
  isTechnologyName,
} from './technology.ts';
export type {
  ContractCallGlo,
  ContractCallOperation,
  ContractDeployGlo,
  ContractDeployOperation,
  ContractLocator,
  Effective,
  Glo,
  LedgerLocator,
  LedgerMeta,
  Locator,
  Meta,
  NativeContent,
  Operation,
  OperationType,
  Override,
  ServiceLocator,
  TransferGlo,
  TransferOperation,
  UnresolvedLocator,
} from './types.ts';
export { operationTypes } from './types.ts';
export { currentGloVersion } from './version.ts';
