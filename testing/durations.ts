import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { type FileDuration, printSlowest } from './slowest.ts';

/** Durations are not stored if a run has fewer files than this. */
const many = 20;

/**
 * Writes the duration of each file and prints the twenty slowest. Does nothing if only some files were run.
 */
export function createDurations(path: string, root: string): Reporter {
  return {
    onTestRunEnd(modules) {
      if (modules.length <= many) return;
      const files = modules.map((module) => durationOf(module, root));
      writeFileSync(path, JSON.stringify(files, null, 1));
      printSlowest(files);
    },
  };
}

function durationOf(module: TestModule, root: string): FileDuration {
  const { collectDuration, setupDuration, duration } = module.diagnostic();
  const { own = 0, children = 0 } = module.meta().processor ?? {};
  return {
    file: relative(root, module.moduleId),
    seconds: (collectDuration + setupDuration + duration) / 1000,
    importing: (collectDuration + setupDuration) / 1000,
    own,
    children,
    tests: [...module.children.allTests()].length,
  };
}
