import { fileURLToPath } from 'node:url';

/**
 * Sample chaincodes for `startChaincode({ contract })`: `assetTransfer` and `token` use fabric-contract-api,
 * `raw` only fabric-shim. See chaincode/README.md.
 */
export const sampleChaincodes = {
  assetTransfer: path('asset-transfer'),
  token: path('token'),
  raw: path('raw/index.js'),
} as const;

/** The path is the same from `src` and from `dist`, because both have the same depth. */
function path(name: string): string {
  return fileURLToPath(new URL(`../../chaincode/${name}`, import.meta.url));
}
