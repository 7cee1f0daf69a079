import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readTraceparent, traceparentOf } from './trace-context.ts';
import { currentTraceparent, withTraceparent, workFor } from './trace-scope.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentId = '00f067aa0ba902b7';
const given = `00-${traceId}-${parentId}-01`;

test.each([
  ['of this version', given, given],
  ['with flags of later levels', `00-${traceId}-${parentId}-ff`, given],
  ['not sampled', `00-${traceId}-${parentId}-02`, `00-${traceId}-${parentId}-00`],
  ['of a later version, with more', `cc-${traceId}-${parentId}-01-what-comes`, given],
  ['of this version, with more', `${given}-more`, undefined],
  ['of the version that is forbidden', `ff-${traceId}-${parentId}-01`, undefined],
  ['in capitals', given.toUpperCase(), undefined],
  ['without a trace', `00-${'0'.repeat(32)}-${parentId}-01`, undefined],
  ['without a parent', `00-${traceId}-${'0'.repeat(16)}-01`, undefined],
  ['that came twice', `${given}, ${given}`, undefined],
  ['with a line that follows', `${given}\n`, undefined],
  ['that is empty', '', undefined],
  ['that is absent', undefined, undefined],
])('a traceparent %s', (_, header, read) => {
  expect(readTraceparent(header)).toBe(read);
});

test('an action without a trace has one of its own, the same each time, which nobody records', () => {
  const own = traceparentOf({ id: 'one', trace: null });
  expect(own).toBe(traceparentOf({ id: 'one', trace: null }));
  expect(own).not.toBe(traceparentOf({ id: 'two', trace: null }));
  expect(readTraceparent(own)).toBe(own);
  expect(own).toMatch(/-00$/);
  expect(traceparentOf({ id: 'one', trace: given })).toBe(given);
});

test('work carries its trace as long as it lasts, and what outlives it carries none', async () => {
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
    await expect(workFor([action], () => Promise.reject(new Error('as it was')))).rejects.toThrow(
      'as it was',
    );
    expect(currentTraceparent()).toBe(given);
  });
  later.resolve();
  expect(await leftOver).toBeUndefined();
  expect(currentTraceparent()).toBeUndefined();
});
