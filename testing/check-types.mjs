// Tells as JSON what compilers would miss in packed packages: `check-types.mjs <tarball> …`. A program of its own, since
// under the conditions of tests the library resolves to its sources.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';

// Packages here are ES modules with `exports`; what reads neither is not served.
const unserved = ['node10', 'node16-cjs'];

const found = {};
for (const tarball of process.argv.slice(2)) {
  const packed = createPackageFromTarballData(new Uint8Array(readFileSync(tarball)));
  const manifest = JSON.parse(packed.readFile(`/node_modules/${packed.packageName}/package.json`));
  // Commands and pages have nothing to import.
  if (Object.keys(manifest.exports ?? {}).every((entry) => entry.endsWith('.html'))) continue;
  const { types, problems = [] } = await checkPackage(packed);
  const told = problems.filter(({ resolutionKind }) => !unserved.includes(resolutionKind));
  found[basename(tarball)] = types === false ? ['There are no types.'] : told;
}
console.log(JSON.stringify(found));
