export { type ProblemName, problemCatalogue } from './catalogue.ts';
export {
  invalidRequest,
  Problem,
  type ProblemDocument,
  type ProblemIssue,
  type ProblemOptions,
  problemType,
} from './problem.ts';
export { createMasterKey, type MasterKey, SealError, seal, unseal } from './sealer.ts';
export { Secret } from './secret.ts';
