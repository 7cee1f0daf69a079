import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { slowFiles } from './slow-files.ts';

/** Starts the slowest files first, so that none is left running alone at the end; what no table knows comes last. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const secondsOf = ({ moduleId }: TestSpecification) =>
      slowFiles.get(relative(this.ctx.config.root, moduleId)) ?? 0;
    // Those with a process of their own first: a worker is kept only where the next file shares it, too.
    return files.toSorted(
      (a, b) =>
        Number(b.project.config.isolate) - Number(a.project.config.isolate) ||
        secondsOf(b) - secondsOf(a) ||
        compare(a.moduleId, b.moduleId),
    );
  }
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
