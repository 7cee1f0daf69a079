import type { JsonObject } from '@ledger-ops/adapter';
import { expect, test } from 'vitest';
import { prepareOne } from './prepare.ts';
import { readProperties } from './properties.ts';
import { readUnsigned } from './transactions/transaction.ts';

const address = `0x${'11'.repeat(20)}`;
const gwei = 1_000_000_000n;

function attemptsOf(properties: JsonObject, given: JsonObject) {
  const ledger = { ledgerId: 'l', technology: 'ethereum', nodes: [] } as const;
  const prepared = prepareOne(
    {
      actionId: 'a',
      wallet: { address },
      sequence: 0n,
      plan: {
        ...{ v: 1, type: 'transfer', chainId: '1', to: `0x${'22'.repeat(20)}`, value: '1', data: '0x' },
        ...{ gas: '21000', maxFeePerGas: String(9n * gwei), maxPriorityFeePerGas: String(gwei), given },
      },
    },
    readProperties({ ...ledger, properties: { presigned_replacements: true, max_bumps: 1, ...properties } }),
    'fixed',
  );
  if (prepared.status !== 'prepared') throw new Error(JSON.stringify(prepared));
  return prepared.attempts.map(({ kind, round }) => {
    if (round.done) throw new Error('It needs a signature.');
    return { kind, cost: readUnsigned(round.state).cost };
  });
}

test("a no-op signed in advance pays more than the user's maximum fee, so that later transactions do not wait", () => {
  const attempts = attemptsOf({}, { maxFeePerGas: String(9n * gwei) });
  expect(attempts.map(({ kind }) => kind)).toEqual(['main', 'noop']);
  expect(attempts[1]?.cost).toBeGreaterThanOrEqual((21_000n * 9n * gwei * 9n) / 8n);
});

test("a no-op signed in advance stays below the ledger's fee cap", () => {
  const attempts = attemptsOf({ max_fee_cap: String(9n * gwei) }, { maxFeePerGas: String(9n * gwei) });
  expect(attempts).toEqual([
    { kind: 'main', cost: 21_000n * 9n * gwei + 1n },
    { kind: 'noop', cost: 21_001n * 9n * gwei },
  ]);
});
