import { expect, it } from 'vitest';
import { keccak256 } from './keccak.ts';

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

it.each([
  ['', 'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'],
  ['abc', '4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45'],
  ['a'.repeat(200), '96ea54061def936c4be90b518992fdc6f12f535068a256229aca54267b4d084d'],
])('hashes %j as Ethereum does', (text, hash) => {
  expect(hexOf(keccak256(Buffer.from(text)))).toBe(hash);
});

it('the bytes of a hash do not change when other values are hashed', () => {
  const first = keccak256(Buffer.from('abc'));
  const text = hexOf(first);
  keccak256(Buffer.from('another'));
  expect(hexOf(first)).toBe(text);
});
