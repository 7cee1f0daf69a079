import { expect, test } from 'vitest';
import { type Plan, planToJson } from '../plan.ts';
import { defaultTiming } from '../timing.ts';
import { invalidOutcome, validOutcome } from './outcome.ts';

const valid = 0;
const mvccReadConflict = 11;
const at = { txId: 'tx', channel: 'trade', block: 7 };
const content = {
  txId: 'tx',
  channel: 'trade',
  chaincode: '_lifecycle',
  result: new Uint8Array(),
  event: undefined,
};
const approval: Plan = {
  step: 'approve',
  channel: 'trade',
  name: 'goods',
  version: '1.0',
  label: 'goods',
  packageId: 'goods:00',
  sequence: 1,
};
const call: Plan = { step: 'call', channel: 'trade', chaincode: 'goods', method: 'Put', args: ['a'] };

test('a valid approval continues with the commit, and is not reported as a deployment yet', () => {
  const outcome = validOutcome({ ...at, code: valid }, content, planToJson(approval));
  expect(outcome).toMatchObject({ status: 'continue', plan: { step: 'commit' } });
  expect(outcome).not.toHaveProperty('executed');
});

test('a call with a conflict is not executed, and is retried as often as the ledger’s properties allow', () => {
  const conflict = { ...at, code: mvccReadConflict };
  const first = invalidOutcome(conflict, planToJson(call), 1, undefined, defaultTiming.conflict);
  expect(first).toMatchObject({ status: 'continue', plan: { conflicts: 1 }, delay: expect.any(Number) });
  expect(first).not.toHaveProperty('executed');
  const again = invalidOutcome(
    conflict,
    planToJson({ ...call, conflicts: 1 }),
    1,
    undefined,
    defaultTiming.conflict,
  );
  expect(again).toMatchObject({
    status: 'failed',
    problem: { code: 'invalidated', data: { validationCode: 'MVCC_READ_CONFLICT' } },
  });
});
