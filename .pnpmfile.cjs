/** What pnpm reads of packages, where they say something that does not fit here. */
function readPackage(manifest) {
  if (manifest.name === 'openapi-typescript') {
    // It prints types with the JavaScript interface of TypeScript 5, which TypeScript 7 has not. As a peer it would
    // be given ours.
    delete manifest.peerDependencies;
    manifest.dependencies.typescript = '5.9.3';
  }
  return manifest;
}

module.exports = { hooks: { readPackage } };
