import { Secret } from '@ledger-ops/base';
import { expect, it } from 'vitest';
import { hashPassword, isOutdated, isPassword, nobodysPassword } from './password-hash.ts';

const cost = { memory: 64, passes: 1, parallelism: 1 };

it('verifies only the right password, and salts each hash separately', async () => {
  const password = new Secret('one of many passwords');
  const [stored, again] = [await hashPassword(password, cost), await hashPassword(password, cost)];
  expect(stored.hash).not.toBe(again.hash);
  for (const each of [stored, again]) expect(await isPassword(password, each)).toBe(true);
  expect(await isPassword(new Secret('one of many passwordS'), stored)).toBe(false);
  expect(await isPassword(password, nobodysPassword(cost))).toBe(false);
});

it('reports a hash as outdated if any of its costs is too low', async () => {
  const stored = await hashPassword(new Secret('x'), cost);
  expect(isOutdated(stored, cost)).toBe(false);
  for (const more of [{ memory: 65 }, { passes: 2 }, { parallelism: 2 }]) {
    expect(isOutdated(stored, { ...cost, ...more })).toBe(true);
  }
});

it('refuses a stored hash whose parameters would exhaust the memory', async () => {
  const { hash, params } = await hashPassword(new Secret('x'), cost);
  const huge = JSON.stringify({ ...JSON.parse(params), memory: 2 ** 30 });
  await expect(isPassword(new Secret('x'), { hash, params: huge })).rejects.toThrow();
});
