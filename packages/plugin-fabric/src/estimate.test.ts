import { expect, test } from 'vitest';
import type { BlockStream } from './blocks/block-stream.ts';
import { createEstimator } from './estimate.ts';
import { planToJson } from './plan.ts';
import { defaultTiming } from './timing.ts';

/** Returns an estimator whose gateway peer has this many blocks of each channel. */
function stage(heights: Record<string, number>) {
  const followed: Pick<BlockStream, 'channel' | 'next'>[] = [];
  const clock = { now: 0 };
  const estimate = createEstimator({
    qscc: { height: async (channel) => heights[channel] ?? 0 },
    channels: { followed: () => followed },
    timing: defaultTiming,
    now: () => clock.now,
  });
  return { followed, clock, estimate, heights };
}

const wallet = { address: 'x', keyType: 'p256', publicKey: '', data: {} } as const;
const request = (channel: string, minHeight: number) => ({
  wallet,
  minHeight,
  plan: planToJson({ step: 'call', channel, chaincode: 'assets', method: 'read', args: [] }),
});

test('an operation that depends on a block waits until its endorsing peer has that block', async () => {
  const { estimate, heights, followed } = stage({ deals: 7 });
  followed.push({ channel: 'deals', next: 9 });
  expect(await estimate([request('deals', 8)])).toMatchObject([
    {
      status: 'wait',
      problem: { code: 'unavailable', detail: 'Block 8 does not exist yet: deals has 7 blocks.' },
    },
  ]);
  heights.deals = 9;
  expect(await estimate([request('deals', 8)])).toMatchObject([{ status: 'ready' }]);
});

test('an estimate does not wait for a block of another channel', async () => {
  const { estimate, followed, clock } = stage({ deals: 3, audits: 600 });
  const waiting = [request('deals', 500)];
  followed.push({ channel: 'audits', next: 500 });
  expect(await estimate(waiting)).toMatchObject([{ status: 'wait' }]);
  followed.splice(0, 1, { channel: 'audits', next: 501 });
  expect(await estimate(waiting)).toMatchObject([{ status: 'ready' }]);

  // After a restart, the session does not follow the other channel.
  followed.splice(0);
  expect(await estimate(waiting)).toMatchObject([{ status: 'wait' }]);
  clock.now += 59_999;
  expect(await estimate(waiting)).toMatchObject([{ status: 'wait' }]);
  clock.now += 1;
  expect(await estimate(waiting)).toMatchObject([{ status: 'ready' }]);
});
