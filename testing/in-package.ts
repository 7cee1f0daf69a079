// Setup of every test file: runs its tests in the folder of their package, regardless of where the run was
// started.
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const [folder] =
  expect
    .getState()
    .testPath?.slice(root.length)
    .match(/^[^/]+\/[^/]+/) ?? [];
if (folder === undefined) throw new TypeError('A test file must be in a package.');
process.chdir(root + folder);
