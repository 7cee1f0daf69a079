import { expect, test } from 'vitest';
import { stepsOf } from './steps.ts';

const steps = { accepted: '2026-11-20T12:00:00Z', signed: null, sent: null, ended: null };
const action = { steps, status: 'PENDING' as const, locator: null };
const ended = { ...steps, ended: '2026-11-20T12:00:05Z' };
const problem = (name: string) => ({ type: `urn:ledger-ops:problem:${name}` });
const names = (given: Partial<Parameters<typeof stepsOf>[0]>) =>
  stepsOf({ ...action, ...given }).map(({ name, state }) => `${name} ${state}`);

test('a pending action has all steps, and its first unfinished step is in progress', () => {
  expect(names({})).toEqual(['Accepted done', 'Signed next', 'Sent later', 'Confirmed later']);
});

test('an action that failed before it was signed omits the steps that it never reached', () => {
  expect(names({ status: 'FAILED', steps: ended, problem: problem('reverted') })).toEqual([
    'Accepted done',
    'Failed done',
  ]);
});

test('a canceled action is shown as canceled, not as failed', () => {
  expect(names({ status: 'FAILED', steps: ended, problem: problem('cancelled') })).toEqual([
    'Accepted done',
    'Canceled done',
  ]);
});

test('the last step of an action whose result a reorg removed is Retracted', () => {
  const retracted = { at: '2026-11-20T12:01:05Z', detail: 'The block was removed.' };
  const shown = stepsOf({ ...action, status: 'SUCCEEDED', steps: ended, locator: '0x01', retracted });
  expect(shown.at(-1)).toEqual({ name: 'Retracted', at: retracted.at, since: ended.ended, state: 'done' });
});

test('if the ledger executed a transaction, the step “sent” is reached even if its time is unknown', () => {
  const signed = { ...ended, signed: '2026-11-20T12:00:01Z' };
  const [, , sent, confirmed] = stepsOf({ ...action, status: 'SUCCEEDED', steps: signed, locator: '0x01' });
  expect(sent).toEqual({ name: 'Sent', at: null, since: signed.signed, state: 'done' });
  expect(confirmed).toMatchObject({ name: 'Confirmed', since: signed.signed });
});
