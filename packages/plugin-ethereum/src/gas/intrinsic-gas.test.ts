import { expect, test } from 'vitest';
import { type ChargedContent, type GasRules, intrinsicGas, strictestRules } from './intrinsic-gas.ts';

const istanbul: GasRules = { initCode: false, floor: false };
const shanghai: GasRules = { initCode: true, floor: false };
const prague = strictestRules;
const zeros = (count: number) => '00'.repeat(count);
const others = (count: number) => 'ff'.repeat(count);
const entries = (addresses: number, keys: number) =>
  Array.from({ length: addresses }, () => ({
    address: `0x${'1'.repeat(40)}`,
    storageKeys: Array.from({ length: keys }, () => `0x${'2'.repeat(64)}`),
  }));
const content = (more: Partial<ChargedContent>): ChargedContent => ({
  creation: false,
  data: '0x',
  accessList: undefined,
  ...more,
});

// Computed by hand from the formulas of the EIPs.
const vectors: [what: string, of: ChargedContent, rules: GasRules, gas: bigint][] = [
  ['a transfer', content({}), prague, 21_000n],
  ['an empty creation (EIP-2)', content({ creation: true }), prague, 53_000n],
  ['zero bytes: 4 each (EIP-2028)', content({ data: `0x${zeros(100)}` }), shanghai, 21_400n],
  ['other bytes: 16 each (EIP-2028)', content({ data: `0x${others(100)}` }), shanghai, 22_600n],
  ['zero bytes: floor of 10 (EIP-7623)', content({ data: `0x${zeros(100)}` }), prague, 22_000n],
  ['other bytes: floor of 40 (EIP-7623)', content({ data: `0x${others(100)}` }), prague, 25_000n],
  ['10 other bytes and 11 zero ones', content({ data: `0x${others(10)}${zeros(11)}` }), prague, 21_510n],
  ['an address in the list (EIP-2930)', content({ accessList: entries(1, 0) }), prague, 23_400n],
  ['120 addresses in the list', content({ accessList: entries(120, 0) }), prague, 309_000n],
  ['2 addresses with 3 keys each', content({ accessList: entries(2, 3) }), prague, 37_200n],
  [
    'a list does not count toward the floor',
    content({ data: `0x${others(100)}`, accessList: entries(1, 0) }),
    prague,
    25_000n,
  ],
  [
    'a list that costs more than the floor',
    content({ data: `0x${others(100)}`, accessList: entries(1, 1) }),
    prague,
    26_900n,
  ],
  ['creation before Shanghai', content({ creation: true, data: `0x${others(64)}` }), istanbul, 54_024n],
  [
    'creation: 2 for each started word (EIP-3860)',
    content({ creation: true, data: `0x${others(65)}` }),
    shanghai,
    54_046n,
  ],
  ['largest creation code', content({ creation: true, data: `0x${zeros(49_152)}` }), prague, 512_520n],
  [
    'largest creation code before Prague',
    content({ creation: true, data: `0x${zeros(49_152)}` }),
    shanghai,
    252_680n,
  ],
];

test.each(vectors)('computes the minimum gas: %s', (_, of, rules, gas) => {
  expect(intrinsicGas(of, rules)).toBe(gas);
});

test('gas that satisfies the strictest rules satisfies every other set of rules', () => {
  for (const [, of, rules, gas] of vectors)
    expect(intrinsicGas(of, strictestRules), String(rules)).toBeGreaterThanOrEqual(gas);
});
