// Writes the published document of the cloud wallet protocol.
import { writeFileSync } from 'node:fs';
import { cloudWalletOpenApi } from '../src/openapi.ts';

const file = new URL('../dist/openapi.json', import.meta.url);
writeFileSync(file, `${JSON.stringify(cloudWalletOpenApi(), null, 2)}\n`);
