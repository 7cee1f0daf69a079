import { strict as assert } from 'node:assert';
import { expect, test } from 'vitest';
import { lines, prove } from './report.ts';

test('a failed comparison shows its message and both values once', async () => {
  const finding = await prove({
    name: 'the ledger contains the effects exactly once',
    steps: () => ['POST /v1/cloud-wallet/transactions: 200'],
    prove: async () => {
      assert.equal(994n, 997n, 'the ledger shows 994, but 997 is expected');
      return { status: 'passed' };
    },
  });
  expect(lines(finding)).toBe(`FAIL  the ledger contains the effects exactly once
      the ledger shows 994, but 997 is expected
      expected: 997
      actual:   994
      look at: POST /v1/cloud-wallet/transactions: 200`);
});
