import { expect, test } from 'vitest';
import { TenantTurns } from './tenant-turns.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Starts work that a test completes by calling the work's function in `running`. */
function hangingWork() {
  const running = new Map<string, () => void>();
  const work = (name: string) => () => new Promise<void>((resolve) => void running.set(name, resolve));
  return { running, work };
}

test('one organization never gets the whole capacity, and work alternates between its projects', async () => {
  const turns = new TenantTurns({ quick: 1, slow: 3, ofOrganization: 2 });
  const { running, work } = hangingWork();
  for (const item of ['a1', 'a2', 'a3', 'a4']) {
    void turns.run({ organization: 'a', project: 'a-hostile' }, item, work(item));
  }
  void turns.run({ organization: 'a', project: 'a-other' }, 'a5', work('a5'));
  void turns.run({ organization: 'b', project: 'b' }, 'b1', work('b1'));
  await settled();
  expect([...running.keys()]).toEqual(['a1', 'a2', 'b1']);
  for (const item of ['a1', 'a2']) {
    running.get(item)?.();
    await settled();
  }
  expect([...running.keys()]).toEqual(['a1', 'a2', 'b1', 'a3', 'a5']);
});

test('items that responded quickly before never wait for items that hang', async () => {
  const turns = new TenantTurns({ quick: 1, slow: 2, ofOrganization: 1 });
  const { running, work } = hangingWork();
  await turns.observe('good', Promise.resolve());
  await turns.observe('bad', Promise.reject(new RangeError('No.'))).catch(() => undefined);
  for (const one of ['bad', 'new', 'good']) {
    void turns.run({ organization: one, project: one }, one, work(one));
  }
  void turns.run({ organization: 'newer', project: 'newer' }, 'newer', work('newer'));
  await settled();
  expect([...running.keys()]).toEqual(['bad', 'new', 'good']);
  // `keepOnly` removes 'good' from the fast items, so it no longer has the capacity reserved for them.
  turns.keepOnly(new Set(['bad']));
  running.get('good')?.();
  await settled();
  void turns.run({ organization: 'good', project: 'good' }, 'good again', work('good again'));
  await settled();
  expect([...running.keys()]).not.toContain('good again');
});
