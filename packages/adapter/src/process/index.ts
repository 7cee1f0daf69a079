export { plainProblem, plainWords, wordLimits } from '../words.ts';
export { type ClosedPath, closedPaths } from './closed-paths.ts';
export { type DefinitionMembers, isCompatibleInterface } from './definition.ts';
export { failureOf, failureWords } from './failure.ts';
export { guardDefinition } from './guard.ts';
export { importAdapter } from './import-adapter.ts';
export { findIsolation, type Isolation } from './isolation.ts';
export type { IsolationLevel } from './launch.ts';
export {
  openProcessAdapter,
  type ProcessAdapter,
  type ProcessAdapterOptions,
} from './open-process-adapter.ts';
export { createRedactor, type Redactor } from './redact.ts';
export type { Log, PluginHealth, RestartBackoff } from './supervisor.ts';
export { workspaceOf } from './workspace.ts';
