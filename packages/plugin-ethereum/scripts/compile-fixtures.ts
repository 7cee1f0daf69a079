// Compiles test/contracts/Fixture.sol to test/contracts/fixtures.generated.json.
import { readFile, writeFile } from 'node:fs/promises';
import { compileContracts } from './compile-contracts.ts';

const folder = new URL('../test/contracts/', import.meta.url);
const source = await readFile(new URL('Fixture.sol', folder), 'utf8');
await writeFile(new URL('fixtures.generated.json', folder), compileContracts(source));
