import { expect, test } from 'vitest';
import { tokenTemplate } from './token.ts';

test('the token template contains the interface, the creation code and the source', () => {
  const abi: { name?: string }[] = JSON.parse(tokenTemplate.interface);
  expect(abi.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['transfer', 'balanceOf', 'InsufficientBalance']),
  );
  expect(tokenTemplate.code).toMatch(/^0x[0-9a-f]{100,}$/);
  expect(tokenTemplate.source).toContain('contract Token');
});
