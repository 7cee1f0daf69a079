import { writeFileSync } from 'node:fs';
import { cloudWalletOpenApi } from '../src/openapi.ts';

/** Writes the published document of the cloud wallet protocol; a test finds drift. */
const file = new URL('../openapi/cloud-wallet.generated.json', import.meta.url);
writeFileSync(file, `${JSON.stringify(cloudWalletOpenApi(), null, 2)}\n`);
