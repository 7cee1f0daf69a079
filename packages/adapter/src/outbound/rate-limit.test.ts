import { expect, test } from 'vitest';
import { RateLimit, rateLimitRefusal, retryAfterMsOf } from './rate-limit.ts';

const now = Date.parse('2026-01-01T00:00:00Z');

test.each([
  ['seconds', '2', 2_000],
  ['a date', 'Thu, 01 Jan 2026 00:00:05 GMT', 5_000],
  ['a date in the past', 'Wed, 31 Dec 2025 00:00:00 GMT', 0],
  ['more than the maximum', '86400', 60_000],
  ['a number with too many digits', '9'.repeat(60), 60_000],
  ['empty', '', undefined],
  ['something else', 'soon', undefined],
])('reads a Retry-After that is %s', (_, text, wait) => {
  expect(retryAfterMsOf({ 'retry-after': text }, () => now)).toBe(wait);
});

test.each([
  [{ code: 429, message: 'exceeded', data: undefined }, undefined],
  [{ code: -32005, message: 'limit exceeded' }, undefined],
  [
    { code: -32005, message: 'project ID request rate exceeded', data: { rate: { backoff_seconds: 24 } } },
    24_000,
  ],
  [{ code: -32097, message: 'Rate limit reached' }, undefined],
  [{ code: -32016, message: 'over rate limit' }, undefined],
  [{ code: -32090, message: 'Too many requests, reason: call rate limit exhausted, retry in 10s' }, 10_000],
  [{ code: -32007, message: '50/second request limit reached - reduce calls per second' }, undefined],
  [{ code: -32000, message: 'Too many requests for a specific RPC call' }, undefined],
  [{ code: -32000, message: "You've exceeded the rps limit available on the current plan" }, undefined],
  [{ code: -32052, message: 'API key is over its credit quota' }, undefined],
  [{ code: -33200, message: 'Usage limit exceeded' }, undefined],
  ['Too many requests, retry in 5s', 5_000],
  [{ code: 429n, message: 'Too many requests, try again in 500ms' }, 500],
])('recognizes a rate limit in an answer with status 200 (%#)', (error, retryAfterMs) => {
  expect(rateLimitRefusal({ jsonrpc: '2.0', id: null, error })).toEqual({ retryAfterMs });
  expect(
    rateLimitRefusal([
      { id: 1, result: '0x1' },
      { id: 2, error },
    ]),
  ).toEqual({ retryAfterMs });
});

test.each([
  { code: -32005, message: 'query returned more than 10000 results' },
  { code: -32005, message: 'Node is behind by 42 slots' },
  { code: -32016, message: 'Minimum context slot has not been reached' },
  { code: -32005, message: 'batch limit exceeded' },
  { code: -32000, message: 'exceeds block gas limit' },
  { code: 3, message: 'execution reverted: rate limit exceeded' },
  { code: -32000, message: 'execution reverted: RateLimitReached' },
  { code: -32000, message: 'too many requests', data: `0x08c379a0${'00'.repeat(64)}` },
  { code: -32000, message: 'nonce too low' },
  'the daily price limit of the contract',
])('does not treat the error %j as a rate limit', (error) => {
  expect(rateLimitRefusal({ jsonrpc: '2.0', id: 1, error })).toBeUndefined();
});

test('recognizes a rate limit in JSON that is not JSON-RPC', () => {
  expect(rateLimitRefusal({ code: 429, message: 'exceeded' })).toEqual({ retryAfterMs: undefined });
  expect(rateLimitRefusal({ message: 'Too many requests, retry in 5s' })).toEqual({ retryAfterMs: 5_000 });
  expect(rateLimitRefusal({ result: null, error: { code: 429 } })).toEqual({ retryAfterMs: undefined });
  expect(rateLimitRefusal({ result: 'rate limit', code: 429 })).toBeUndefined();
});

test('pauses requests for the time that the node requested', () => {
  let at = now;
  const limit = new RateLimit(() => at);
  expect(limit.remainingMs).toBe(0);
  expect(limit.refused(2_000)).toBe(2_000);
  at += 1_999;
  expect(limit.remainingMs).toBe(1);
  at += 1;
  expect(limit.remainingMs).toBe(0);
});

test('without a Retry-After, pauses longer after each refusal until the node answers again', () => {
  let at = now;
  const limit = new RateLimit(() => at);
  const rests: number[] = [];
  for (let times = 0; times < 7; times += 1) {
    rests.push(limit.refused(undefined));
    // This request was sent before the refusal arrived.
    limit.refused(undefined);
    at += limit.remainingMs;
  }
  expect(rests).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  limit.answered();
  expect(limit.refused(undefined)).toBe(1_000);
});

test('pauses briefly even if the node requests a delay of 0 seconds', () => {
  expect(new RateLimit(() => now).refused(0)).toBeGreaterThan(0);
});
