// Set-up of every test file: its tests run in the folder of their package, wherever the run was started.
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the package that is tested. */
    packageFolder: string;
  }
}

process.chdir(inject('packageFolder'));
