import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { compileContracts } from '../scripts/compile-contracts.ts';

const folder = new URL('./contracts/', import.meta.url);

test('the committed fixtures are what the compiler makes of Fixture.sol', async () => {
  const source = await readFile(new URL('Fixture.sol', folder), 'utf8');
  expect(await readFile(new URL('fixtures.generated.json', folder), 'utf8')).toBe(compileContracts(source));
});
