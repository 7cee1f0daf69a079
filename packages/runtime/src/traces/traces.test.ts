import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readTraceparent, traceparentOf } from './trace-context.ts';
import { currentTraceparent, withTraceparent, workFor } from './trace-scope.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentId = '00f067aa0ba902b7';
const given = `00-${traceId}-${parentId}-01`;

test.each([
  ['of version 00', given, given],
  ['with unknown flags', given, `00-${traceId}-${parentId}-ff`],
  ['that is not sampled', `00-${traceId}-${parentId}-00`, `00-${traceId}-${parentId}-02`],
  ['of a later version with more fields', given, `cc-${traceId}-${parentId}-01-what-comes`],
  ['of version 00 with more fields', undefined, `${given}-more`],
  ['of the invalid version ff', undefined, `ff-${traceId}-${parentId}-01`],
  ['in upper case', undefined, given.toUpperCase()],
  ['without a trace id', undefined, `00-${'0'.repeat(32)}-${parentId}-01`],
  ['without a parent id', undefined, `00-${traceId}-${'0'.repeat(16)}-01`],
  ['that is sent twice', undefined, `${given}, ${given}`],
  ['with a line break at the end', undefined, `${given}\n`],
  ['that is empty', undefined, ''],
  ['that is absent', undefined, undefined],
])('reads a traceparent header %s', (_, read, header) => {
  expect(readTraceparent(header)).toBe(read);
});

test('an action without a trace context gets a context that is always the same and not sampled', () => {
  const own = traceparentOf({ id: 'one', trace: null });
  expect(own).toBe(traceparentOf({ id: 'one', trace: null }));
  expect(own).not.toBe(traceparentOf({ id: 'two', trace: null }));
  expect(readTraceparent(own)).toBe(own);
  expect(own).toMatch(/-00$/);
  expect(traceparentOf({ id: 'one', trace: given })).toBe(given);
});

test('work carries its trace context until it completes, but background work that continues afterwards does not', async () => {
  const later = Promise.withResolvers<void>();
  let leftOver: Promise<string | undefined> | undefined;
  await withTraceparent(given, async () => {
    leftOver = later.promise.then(() => currentTraceparent());
    await turn();
    expect(currentTraceparent()).toBe(given);
    const action = { id: 'one', trace: null };
    expect(await workFor([action], async () => currentTraceparent())).toBe(traceparentOf(action));
    for (const actions of [[action, action], [undefined], []])
      expect(await workFor(actions, async () => currentTraceparent())).toBeUndefined();
    await expect(workFor([action], () => Promise.reject(new Error('The work failed.')))).rejects.toThrow(
      'The work failed.',
    );
    expect(currentTraceparent()).toBe(given);
  });
  later.resolve();
  expect(await leftOver).toBeUndefined();
  expect(currentTraceparent()).toBeUndefined();
});
