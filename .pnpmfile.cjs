/** Corrects package manifests that do not fit this repository. */
function readPackage(manifest) {
  if (manifest.name === 'openapi-typescript') {
    // openapi-typescript uses the JavaScript API of TypeScript 5, which TypeScript 7 does not have. As a peer dependency,
    // `typescript` would resolve to this repository's TypeScript 7.
    delete manifest.peerDependencies;
    manifest.dependencies.typescript = '5.9.3';
  }
  return manifest;
}

module.exports = { hooks: { readPackage } };
