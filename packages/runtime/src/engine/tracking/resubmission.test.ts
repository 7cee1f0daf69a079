import { expect, test } from 'vitest';
import type { LiveAction } from '../../rows/model.ts';
import { defaultTiming } from '../../timing.ts';
import { createResubmission } from './resubmission.ts';

function signed(id: string, sequence: number, at: number): LiveAction {
  return {
    ...{ id, ledgerUid: 'ledger', plugin: null, trace: null, address: 'account', shard: 0, sequence },
    attempts: [],
    ...{ signedAt: at, released: 0, releasedAt: at, sentAt: at, complaint: null },
  };
}

function resubmissionOf(actions: readonly LiveAction[], clock: { at: number }) {
  const live = new Map(actions.map((action) => [action.id, action]));
  const sent: string[] = [];
  const release = (action: LiveAction) => {
    action.sentAt = clock.at;
    sent.push(action.id);
  };
  const resubmission = createResubmission({ now: () => clock.at, timing: defaultTiming }, { live, release });
  return { resubmission, sent };
}

test('what is unmined goes out again in the order of sequences, also when the clock was set back', () => {
  const clock = { at: 10_000_000 };
  const { resubmission, sent } = resubmissionOf(
    [signed('two', 2, clock.at), signed('one', 1, clock.at)],
    clock,
  );
  resubmission.resend();
  expect(sent).toEqual([]);
  clock.at -= 3_600_000;
  resubmission.resend();
  expect(sent).toEqual([]);
  clock.at += 3_000;
  resubmission.resend();
  expect(sent).toEqual(['one', 'two']);
});

test('only the first of an account is stuck, and not before it has been that for long', () => {
  const clock = { at: 10_000_000 };
  const { resubmission } = resubmissionOf([signed('two', 2, clock.at), signed('one', 1, clock.at)], clock);
  clock.at += 9_000;
  expect(resubmission.stuck()).toEqual([]);
  clock.at += 1_000;
  expect(resubmission.stuck().map(({ id }) => id)).toEqual(['one']);
  expect(resubmission.stuck()).toEqual([]);
});
