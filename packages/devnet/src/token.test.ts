import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { tokenModule } from '../scripts/token-module.ts';
import { tokenTemplate } from './token.ts';

const here = new URL('..', import.meta.url);

test('the generated token is what the compiler makes of contracts/Token.sol', async () => {
  const source = await readFile(new URL('contracts/Token.sol', here), 'utf8');
  expect(await readFile(new URL('src/token.generated.ts', here), 'utf8')).toBe(await tokenModule(source));
});

test('the token template holds interface, creation code and source', () => {
  const abi: { name?: string }[] = JSON.parse(tokenTemplate.interface);
  expect(abi.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['transfer', 'balanceOf', 'InsufficientBalance']),
  );
  expect(tokenTemplate.code).toMatch(/^0x[0-9a-f]{100,}$/);
  expect(tokenTemplate.source).toContain('contract Token');
});
