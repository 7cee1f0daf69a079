export { contentLimits } from './content/content-limits.ts';
export type { ContentIssue, Reading } from './content/content-run.ts';
export type { ContentSchema, JsonSchema } from './content/content-schema.ts';
export { linearPattern } from './content/linear-pattern.ts';
export type { Pattern } from './content/pattern.ts';
export { patternsWeight, tooHeavy } from './content/pattern-weight.ts';
export { effectiveOperation } from './effective.ts';
export { GloError, type GloErrorCode, type GloIssue } from './errors.ts';
export {
  type JsonLimits,
  jsonLimits,
  maxJsonDepth,
  parseJson,
  parseJsonInSlices,
  scanJson,
} from './json/json.ts';
export { JsonError, type JsonErrorReason } from './json/json-error.ts';
export type { Json, JsonObject } from './json/json-values.ts';
export { type AnswerReading, parseAnswer } from './json/parse-answer.ts';
export { gloLimits } from './limits.ts';
export { parseLocator, serialiseLocator } from './locator.ts';
export { checkContent } from './meta.ts';
export { operationKey, withoutSecrets } from './operation-key.ts';
export { type GloParseOptions, type ParseOptions, parseGlo } from './parse.ts';
export { parseQuantity, parseQuantityAt } from './quantity.ts';
export { resolveContract } from './resolve-contract.ts';
export { gloJsonSchema } from './schema/json-schema.ts';
export type { GloDocument, LocatorDocument, MetaDocument } from './schema/schema.ts';
export { serialiseGlo } from './serialise.ts';
export { Slices, slices } from './slices.ts';
export { mostTarEntries, readTar } from './tar.ts';
export { readSchema, readTechnology } from './technologies/read-technology.ts';
export {
  type AccessListEntry,
  type EthereumContent,
  ethereum,
  ethereumGloContent,
  readEthereumContent,
} from './technologies/specified/ethereum.ts';
export {
  type FabricContent,
  fabricGloContent,
  hyperledgerFabric,
  readFabricContent,
} from './technologies/specified/fabric.ts';
export {
  specifiedTechnologies,
  technologyNamed,
} from './technologies/specified/index.ts';
export {
  type ContentOverrides,
  type GloContent,
  type GloTechnology,
  isTechnologyName,
  technologyName,
} from './technologies/technology.ts';
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
export { decodeUtf8 } from './utf8.ts';
export { currentGloVersion } from './version.ts';
