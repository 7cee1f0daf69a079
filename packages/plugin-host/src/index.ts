export { failureOf, failureWords } from './failure.ts';
export { guardDefinition } from './guard.ts';
export { importAdapter } from './import-adapter.ts';
export {
  openProcessAdapter,
  type ProcessAdapter,
  type ProcessAdapterOptions,
} from './open-process-adapter.ts';
export { createRedactor, type Redactor } from './redact.ts';
export { type ClosedPath, closedPaths } from './sandbox/closed-paths.ts';
export { findIsolation, type Isolation } from './sandbox/isolation.ts';
export type { IsolationLevel } from './sandbox/launch.ts';
export { workspaceOf } from './sandbox/workspace.ts';
export type { Log, PluginHealth } from './supervisor.ts';
export type { Timing } from './timing.ts';
