import { expect, test } from 'vitest';
import { readSource } from './source.ts';

test('accepts Standard JSON as text, but not with more values than a request body may have', () => {
  const given = { language: 'Solidity', sources: { 'A.sol': { content: 'contract A {}' } } };
  expect(readSource(JSON.stringify(given), '/source')).toBe(readSource(given, '/source'));
  const wide = `{"language":"Solidity","sources":{},"settings":[${'{},'.repeat(60_000)}{}]}`;
  expect(() => readSource(wide, '/source')).toThrow('is neither Standard JSON nor Solidity');
});
