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
const user = { price: 9n * gwei, name: 'the maxFeePerGas that the operation gives' };
const most = (sources: Partial<CapSources>) => lowestCap(replacementCaps({ ...none, ...sources }));

test('where nobody names the most, a hundred times the first offer is it, and what to set is named', () => {
  expect(most({})).toEqual({ limit: 300n * gwei, name: expect.stringContaining('max_fee_cap') });
  expect(most({ kind: 'noop' })).toMatchObject({ limit: 300n * gwei });
});

test('of a chain that is almost free, a hundred gwei', () => {
  expect(most({ first: 0n })).toMatchObject({ limit: 100n * gwei });
  expect(most({ first: 7n })).toMatchObject({ limit: 100n * gwei });
});

test("a ledger's cap, or that of a request, stands in its place, also when it is higher", () => {
  expect(most({ ledger: 9_000n * gwei })).toEqual({ limit: 9_000n * gwei, name: "the ledger's max_fee_cap" });
  expect(most({ request: 9_000n * gwei })).toMatchObject({ limit: 9_000n * gwei });
});

test("the user's price holds for the operation, and not for the no-op that gives it up", () => {
  expect(most({ user })).toEqual({ limit: user.price, name: user.name });
  expect(most({ user, kind: 'noop' })).toMatchObject({ limit: 300n * gwei });
});

test('the lowest of several counts', () => {
  expect(most({ user, ledger: 8n * gwei, request: 7n * gwei })).toMatchObject({ limit: 7n * gwei });
});

test('where nothing is signed, nothing was offered that could be multiplied', () => {
  expect(most({ first: undefined, kind: 'noop' })).toBeUndefined();
});
