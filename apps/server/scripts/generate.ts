// Generates two modules of the API reference (/docs): its guide and its browser script.
import { writeFileSync } from 'node:fs';
import { guideModule, scriptModule } from './reference-text.ts';

const reference = new URL('../src/reference/', import.meta.url);
writeFileSync(new URL('guide.generated.ts', reference), guideModule());
writeFileSync(new URL('script.generated.ts', reference), scriptModule());
