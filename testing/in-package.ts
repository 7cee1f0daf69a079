// Set-up of every test file: its tests run in the folder of their package, wherever the run was started.
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const [folder] =
  expect
    .getState()
    .testPath?.slice(root.length)
    .match(/^[^/]+\/[^/]+/) ?? [];
if (folder === undefined) throw new TypeError('A test stands in a package.');
process.chdir(root + folder);
