import { fileURLToPath } from 'node:url';

/**
 * Sample chaincodes, to be started with `startChaincode({ contract })`: `assetTransfer` and `token` on
 * fabric-contract-api, `raw` on fabric-shim alone. What they do stands in chaincode/README.md.
 */
export const sampleChaincodes = {
  assetTransfer: path('asset-transfer'),
  token: path('token'),
  raw: path('raw/index.js'),
} as const;

/** This file lies as deep in `src` as what is built of it lies in `dist`. */
function path(name: string): string {
  return fileURLToPath(new URL(`../../chaincode/${name}`, import.meta.url));
}
