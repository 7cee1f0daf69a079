import { expect, test } from 'vitest';
import { chainBase, chainIdOf, chainKey, isOfChain } from './chain-key.ts';

const hash = `0x${'ab'.repeat(32)}`;

test.each([
  ['eip155:1', hash, `eip155:1/${'ab'.repeat(8)}`],
  ['fabric:channel', 'ab'.repeat(32), `fabric:channel/${'ab'.repeat(8)}`],
  ['memory:1', '0x00', 'memory:1/00'],
  ['toy:main', 'remote', 'toy:main/remote'],
])('the key of the chain %s with the first block %s is %s', (id, genesis, key) => {
  expect(chainKey({ id, genesis }, 0)).toBe(key);
  expect(chainKey({ id, genesis }, 2)).toBe(`${key}/2`);
});

test.each(['eip155:1', 'ink:harbour/one', 'ink:100%2Fpure', 'ink:a/b/7', 'ink:%'])(
  'the chain id %s can be read from a chain key, for any first block',
  (id) => {
    for (const genesis of [hash, 'a/b', 'x/1', 'a first block with a long name/2']) {
      for (const resets of [0, 3]) expect(chainIdOf(chainKey({ id, genesis }, resets))).toBe(id);
    }
  },
);

test('chains whose first blocks have similar names get different keys', () => {
  const names = [
    'first block of harbour one',
    'first block of harbour two',
    'first',
    'firs',
    'first/1',
    hash,
  ];
  const bases = names.map((genesis) => chainBase({ id: 'ink:1', genesis }));
  expect(new Set(bases).size).toBe(names.length);
  for (const base of bases) {
    const keys = names.map((genesis) => chainKey({ id: 'ink:1', genesis }, 1));
    expect(keys.filter((key) => isOfChain(key, base))).toEqual([`${base}/1`]);
  }
});
