import { expect, test } from 'vitest';
import { AnswerBudget } from './budget.ts';
import type { ExchangeError } from './exchange-error.ts';

const kibibyte = 1_024;
/** The first bytes of each answer are free. */
const free = 64 * kibibyte;
const size = (steps: number) => free + steps * 256 * kibibyte;

function make(waitMs = 60_000) {
  const budget = new AnswerBudget({ total: size(8) - free, perTenant: size(4) - free, waitMs });
  const revoked: string[] = [];
  const open = (tenant: string) => {
    const lease = budget.open(tenant, (error: ExchangeError) => {
      revoked.push(`${tenant}: ${error.failure}`);
      lease.release();
    });
    return lease;
  };
  return { budget, open, revoked };
}

test('small answers reserve no memory', () => {
  const { budget, open } = make();
  expect(open('a').grow(free)).toBeUndefined();
  expect(budget.used).toBe(0);
});

test('releasing an answer frees all memory that it reserved', () => {
  const { budget, open } = make();
  const lease = open('a');
  expect(lease.grow(size(1))).toBeUndefined();
  expect(lease.grow(size(3))).toBeUndefined();
  expect(budget.used).toBe(size(3) - free);
  lease.release();
  lease.release();
  expect(budget.used).toBe(0);
});

test('an answer that is released while it waits for memory reserves no memory', async () => {
  const { budget, open } = make();
  const lease = open('a');
  lease.grow(size(3));
  const growing = lease.grow(size(5));
  lease.release();
  await expect(growing).rejects.toThrow('before the request was aborted');
  expect(budget.used).toBe(0);
});

test('an answer beyond its tenant’s share waits until another answer of the same tenant is released', async () => {
  const { open, revoked } = make();
  const first = open('a');
  const second = open('a');
  first.grow(size(3));
  const waiting = second.grow(size(2));
  expect(waiting).toBeInstanceOf(Promise);
  // Other tenants can still use their shares.
  expect(open('b').grow(size(4))).toBeUndefined();
  first.release();
  await waiting;
  expect(second.reserved).toBe(size(2) - free);
  expect(revoked).toEqual([]);
});

test('an answer that waits too long for memory fails with a retryable error', async () => {
  const { budget, open } = make(5);
  const first = open('a');
  const second = open('a');
  first.grow(size(4));
  await expect(second.grow(size(1))).rejects.toMatchObject({
    failure: 'busy',
    message: expect.stringContaining('try again'),
  });
  second.release();
  first.release();
  expect(budget.used).toBe(0);
  expect(open('a').grow(size(4))).toBeUndefined();
});

test('when all memory is in use, the tenant that uses the most loses its largest answer', async () => {
  const { open, revoked } = make();
  for (const tenant of ['greedy', 'greedy', 'other', 'other']) open(tenant).grow(size(2));
  const waiting = open('third').grow(size(1));
  await waiting;
  expect(revoked).toEqual(['greedy: busy']);
});

test("a tenant's request does not take memory from others if the tenant would then use at least as much as they do", async () => {
  const { open, revoked } = make(5);
  for (const tenant of ['a', 'b', 'c', 'd']) open(tenant).grow(size(2));
  await expect(open('e').grow(size(2))).rejects.toMatchObject({ failure: 'busy' });
  expect(revoked).toEqual([]);
});

test('releasing an answer that waits for memory ends its wait with an error', async () => {
  const { budget, open } = make();
  open('a').grow(size(4));
  const second = open('a');
  const waiting = second.grow(size(1));
  second.release();
  await expect(waiting).rejects.toMatchObject({ failure: 'busy' });
  expect(budget.used).toBe(size(4) - free);
});
