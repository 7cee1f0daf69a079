import { expect, test } from 'vitest';
import { readSource } from './source.ts';

test('Standard JSON is read as a text, too, and not one of more values than a body may have', () => {
  const given = { language: 'Solidity', sources: { 'A.sol': { content: 'contract A {}' } } };
  expect(readSource(JSON.stringify(given), '/source')).toBe(readSource(given, '/source'));
  const wide = `{"language":"Solidity","sources":{},"settings":[${'{},'.repeat(60_000)}{}]}`;
  expect(() => readSource(wide, '/source')).toThrow('is neither Standard JSON nor Solidity');
});
