export { amountText } from './amount-text.ts';
export {
  type Argon2Cost,
  type Argon2Parameters,
  currentArgon2Cost,
  derivePasswordKey,
  isOutdatedArgon2,
  newArgon2Parameters,
  normalPassword,
  readArgon2Parameters,
} from './argon2.ts';
export { type ProblemName, problemCatalogue } from './catalogue.ts';
export { type Cursors, createCursors } from './cursors.ts';
export { isMisleading, misleadingDetail, withoutMisleading } from './displayed-text.ts';
export { createFairQueue, type FairQueue, type FairQueueOptions } from './fair-queue.ts';
export { createFairShares, type FairShares, type Holder } from './fair-shares.ts';
export { parseInstant } from './instant.ts';
export {
  type ListResult,
  type PageBody,
  type Paging,
  pageBody,
  pageSchema,
  pagingParameters,
  type SortKey,
  unknownSortKey,
} from './paging.ts';
export {
  invalidRequest,
  namingTheSetting,
  Problem,
  type ProblemDocument,
  type ProblemIssue,
  type ProblemOptions,
  problemType,
} from './problem.ts';
export { createMasterKey, type MasterKey, SealError, seal, unseal } from './sealer.ts';
export { Secret } from './secret.ts';
