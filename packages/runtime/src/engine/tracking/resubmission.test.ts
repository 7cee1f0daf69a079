import { expect, test } from 'vitest';
import { type LiveAction, noPendingReason } from '../../rows/model.ts';
import { defaultTiming } from '../../timing.ts';
import { Resubmission } from './resubmission.ts';

function signed(id: string, sequence: number, at: number): LiveAction {
  return {
    ...{ id, ledgerUid: 'ledger', plugin: null, trace: null, address: 'account', shard: 0, sequence },
    attempts: [],
    ...{ signedAt: at, released: 0, releasedAt: at, sentAt: at, pendingReason: noPendingReason() },
  };
}

function resubmissionOf(actions: readonly LiveAction[], clock: { at: number }) {
  const live = new Map(actions.map((action) => [action.id, action]));
  const sent: string[] = [];
  const release = (action: LiveAction) => {
    action.sentAt = clock.at;
    sent.push(action.id);
  };
  const resubmission = new Resubmission({ now: () => clock.at, timing: defaultTiming }, { live, release });
  return { resubmission, sent };
}

test('resends unmined transactions in the order of their sequences, even after the clock was moved back', () => {
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

test('resends a transaction below the minimum fee of every mempool only after a long time', () => {
  const clock = { at: 10_000_000 };
  const action = signed('one', 1, clock.at);
  const attempt = { txId: 'tx', n: 0, kind: 'main', bytes: new Uint8Array(1), cost: 0n } as const;
  action.attempts.push({ ...attempt, note: null, unsent: false, feeTooLow: 'minimum' });
  const { resubmission, sent } = resubmissionOf([action], clock);
  clock.at += defaultTiming.idlePatience - 1;
  resubmission.resend();
  expect(sent).toEqual([]);
  clock.at += 1;
  resubmission.resend();
  expect(sent).toEqual(['one']);
});

test('reports only the oldest action of an account as stuck, and only after some time', () => {
  const clock = { at: 10_000_000 };
  const { resubmission } = resubmissionOf([signed('two', 2, clock.at), signed('one', 1, clock.at)], clock);
  clock.at += 9_000;
  expect(resubmission.stuck()).toEqual([]);
  clock.at += 1_000;
  expect(resubmission.stuck().map(({ id }) => id)).toEqual(['one']);
  expect(resubmission.stuck()).toEqual([]);
});
