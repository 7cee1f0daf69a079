// Compiles contracts/Token.sol to src/token.generated.ts.
import { readFile, writeFile } from 'node:fs/promises';
import { tokenModule } from './token-module.ts';

const here = new URL('..', import.meta.url);
const source = await readFile(new URL('contracts/Token.sol', here), 'utf8');
await writeFile(new URL('src/token.generated.ts', here), await tokenModule(source));
