import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { slowFiles } from './slow-files.ts';

/** Starts the slowest files first, so that none runs alone at the end. Files without a known duration come last. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const secondsOf = ({ moduleId }: TestSpecification) =>
      slowFiles.get(relative(this.ctx.config.root, moduleId)) ?? 0;
    // Files with their own process come first, because a worker is reused only if the next file shares its
    // process.
    return files.toSorted(
      (a, b) =>
        Number(b.project.config.isolate) - Number(a.project.config.isolate) ||
        secondsOf(b) - secondsOf(a) ||
        compare(a.moduleId, b.moduleId),
    );
  }
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
