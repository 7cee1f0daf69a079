import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder for data that each process of a run would otherwise create again. */
    runFolder?: string;
  }
}

/** Creates a folder for the whole run, but not in watch mode, in which its contents would become outdated. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (project.vitest.config.watch) return async () => {};
  const folder = await mkdtemp(join(tmpdir(), 'ledger-ops-made-'));
  project.provide('runFolder', folder);
  return () => rm(folder, { recursive: true, force: true });
}
