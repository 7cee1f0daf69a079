// Prints type resolution problems of packed packages as JSON: `check-types.mjs <tarball> …`. A separate program,
// because with the export condition `development` of test runs, Node would import the library's TypeScript sources.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';

// These packages are ES modules with `exports`. Resolution modes that support neither are ignored.
const ignoredModes = ['node10', 'node16-cjs'];

const found = {};
for (const tarball of process.argv.slice(2)) {
  const packed = createPackageFromTarballData(new Uint8Array(readFileSync(tarball)));
  const manifest = JSON.parse(packed.readFile(`/node_modules/${packed.packageName}/package.json`));
  // Packages that contain only commands or pages have no exports to import.
  if (Object.keys(manifest.exports ?? {}).every((entry) => entry.endsWith('.html'))) continue;
  const { types, problems = [] } = await checkPackage(packed);
  const reported = problems.filter(({ resolutionKind }) => !ignoredModes.includes(resolutionKind));
  found[basename(tarball)] = types === false ? ['The package has no types.'] : reported;
}
console.log(JSON.stringify(found));
