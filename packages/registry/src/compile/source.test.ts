import { expect, test } from 'vitest';
import { readSource } from './source.ts';

test('accepts Standard JSON as a string, but rejects it if it has more values than a request body may have', () => {
  const given = { language: 'Solidity', sources: { 'A.sol': { content: 'contract A {}' } } };
  expect(readSource(JSON.stringify(given), '/source')).toBe(readSource(given, '/source'));
  const wide = `{"language":"Solidity","sources":{},"settings":[${'{},'.repeat(60_000)}{}]}`;
  expect(() => readSource(wide, '/source')).toThrow('must be Standard JSON or Solidity');
});
