export { type AdapterCheck, missingNeeds, type Need } from './check.ts';
export { adapterChecks } from './checks/index.ts';
export { type DescribedAdapter, describeAdapter } from './describe-adapter.ts';
export {
  finishRounds,
  prepareAndSign,
  type Sign,
  type SignedAttempt,
  signAttempt,
} from './drive.ts';
export type {
  ConformanceHarness,
  FaultHooks,
  HarnessSigner,
  InvalidOperation,
  SampleOperations,
} from './harness.ts';
export { type CheckResult, runCheck } from './run-check.ts';
export type { Actor, Stage } from './stage.ts';
export { createTestSigner, type TestSigner } from './test-signer.ts';
