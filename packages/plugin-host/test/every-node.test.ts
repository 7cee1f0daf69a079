import { expect, test } from 'vitest';
import { moduleOf, openModule, openSession, problemOf } from './modules.ts';

test('the host requests the chain identity from every node, and learns which nodes could not be queried', async () => {
  const { adapter } = await openModule(
    moduleOf(`chain: async ({ everyNode = false } = {}) =>
      ({ id: 'test:1', genesis: 'g', ...(everyNode ? { unsure: 'node b is silent' } : {}) })`),
  );
  const session = await openSession(adapter);
  expect(await session.chain()).toEqual({ id: 'test:1', genesis: 'g' });
  const unsure = 'The plugin plugin.mjs says: "node b is silent"';
  expect(await session.chain({ everyNode: true })).toEqual({ id: 'test:1', genesis: 'g', unsure });
});

test('a plugin may ignore the option to query every node, but an invalid answer to the option is a fault of the plugin', async () => {
  const older = await openSession((await openModule(moduleOf(''))).adapter);
  expect(await older.chain({ everyNode: true })).toEqual({ id: 'test:1', genesis: 'genesis' });
  const wrong = await openModule(
    moduleOf(`chain: async () => ({ id: 'test:1', genesis: 'g', unsure: true })`),
  );
  const session = await openSession(wrong.adapter);
  expect(await problemOf(session.chain({ everyNode: true }))).toMatchObject({
    code: 'adapter-fault',
    detail: expect.stringContaining('/unsure'),
  });
});

test('a plugin in a child process receives the options of sequences()', async () => {
  const { adapter } = await openModule(
    moduleOf(`sequences: async (all, { expected = [], everyNode = false } = {}) =>
      all.map((_, index) => (everyNode ? 9n : (expected[index] ?? 1n)))`),
  );
  const session = await openSession(adapter);
  expect(await session.sequences(['a', 'b'])).toEqual([1n, 1n]);
  expect(await session.sequences(['a', 'b'], { expected: [null, 5n] })).toEqual([1n, 5n]);
  expect(await session.sequences(['a', 'b'], { everyNode: true })).toEqual([9n, 9n]);
});
