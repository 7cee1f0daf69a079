import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** For what each process of a run would make anew, and make the same. */
    runFolder?: string;
  }
}

/** A folder of the whole run. None while tests are run again as sources change: nothing in it would be made anew. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (project.vitest.config.watch) return async () => {};
  const folder = await mkdtemp(join(tmpdir(), 'ledger-ops-made-'));
  project.provide('runFolder', folder);
  return () => rm(folder, { recursive: true, force: true });
}
