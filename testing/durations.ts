import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { type FileDuration, printSlowest } from './slowest.ts';

/** A run of at most this many files is partial: its durations are not stored. */
const maxPartialFiles = 20;

/** Writes the duration of each file and prints the twenty slowest. Does nothing after a partial run. */
export function createDurations(path: string, root: string): Reporter {
  return {
    onTestRunEnd(modules) {
      if (modules.length <= maxPartialFiles) return;
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
