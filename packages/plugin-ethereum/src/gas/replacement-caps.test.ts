import { expect, test } from 'vitest';
import { type CapSources, lowestCap, replacementCaps } from './replacement-caps.ts';

const gwei = 1_000_000_000n;
const none: CapSources = {
  kind: 'bump',
  ledger: undefined,
  user: undefined,
  request: undefined,
  first: 3n * gwei,
};
const user = { price: 9n * gwei, name: 'the maxFeePerGas of the operation' };
const most = (sources: Partial<CapSources>) => lowestCap(replacementCaps({ ...none, ...sources }));

test("without a fee cap, replacements offer at most 100 times the first fee, and the limit's name mentions max_fee_cap", () => {
  expect(most({})).toEqual({ limit: 300n * gwei, name: expect.stringContaining('max_fee_cap') });
  expect(most({ kind: 'noop' })).toMatchObject({ limit: 300n * gwei });
});

test('on a nearly free chain, replacements offer a gas price of at most 100 gwei', () => {
  expect(most({ first: 0n })).toMatchObject({ limit: 100n * gwei });
  expect(most({ first: 7n })).toMatchObject({ limit: 100n * gwei });
});

test('a fee cap of the ledger or the request replaces the default cap, even if it is higher', () => {
  expect(most({ ledger: 9_000n * gwei })).toEqual({ limit: 9_000n * gwei, name: "the ledger's max_fee_cap" });
  expect(most({ request: 9_000n * gwei })).toMatchObject({ limit: 9_000n * gwei });
});

test("the user's maximum fee limits fee bumps of the operation, but not the no-op that abandons it", () => {
  expect(most({ user })).toEqual({ limit: user.price, name: user.name });
  expect(most({ user, kind: 'noop' })).toMatchObject({ limit: 300n * gwei });
});

test('the lowest of several caps applies', () => {
  expect(most({ user, ledger: 8n * gwei, request: 7n * gwei })).toMatchObject({ limit: 7n * gwei });
});

test('a no-op has no default fee cap if no transaction was signed', () => {
  expect(most({ first: undefined, kind: 'noop' })).toBeUndefined();
});
