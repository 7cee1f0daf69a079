import { expect, test } from 'vitest';
import { NodeLatency } from './node-latency.ts';

test('node latency is unknown until a node responds', () => {
  const latency = new NodeLatency();
  latency.note('timeout', 30_000);
  latency.note('unavailable', 1);
  expect(latency.median()).toBeNull();
});

test('node latency is the median of the latest requests', () => {
  const latency = new NodeLatency();
  for (let n = 0; n < 100; n += 1) latency.note('ok', 5_000);
  for (let n = 0; n < 64; n += 1) latency.note(n % 2 === 0 ? 'ok' : 'refused', n + 0.4);
  expect(latency.median()).toBe(32);
});
