import { expect, test } from 'vitest';
import { Slices } from './slices.ts';

/** Returns a scheduler whose clock advances by a millisecond per step, and whose turns are counted. */
function stage() {
  let now = 0;
  let turns = 0;
  const log: string[] = [];
  const slices = new Slices({
    sliceMs: 5,
    now: () => now,
    nextTurn: (run) =>
      void setImmediate(() => {
        turns += 1;
        run();
      }),
  });
  function* work(name: string, steps: number): Generator<undefined, string> {
    for (let step = 0; step < steps; step += 1) {
      now += 1;
      log.push(`${turns}${name}`);
      yield;
    }
    return name;
  }
  return { slices, work, log };
}

test('a short computation starts immediately and completes in one slice', async () => {
  const { slices, work, log } = stage();
  const running = slices.run(work('a', 3));
  expect(log).toEqual(['0a', '0a', '0a']);
  expect(await running).toBe('a');
});

test('concurrent computations alternate, and share one time slice per event-loop iteration', async () => {
  const { slices, work, log } = stage();
  const ended = await Promise.all([
    slices.run(work('a', 12)),
    slices.run(work('b', 12)),
    slices.run(work('c', 2)),
  ]);
  expect(ended).toEqual(['a', 'b', 'c']);
  const byTurn = Map.groupBy(log, (entry) => Number.parseInt(entry, 10));
  for (const steps of byTurn.values()) expect(steps.length).toBeLessThanOrEqual(6);
  const turns = [...byTurn.values()].map((steps) => steps.map((step) => step.at(-1)).join(''));
  expect(turns).toEqual(['aaaaa', 'aaaaa', 'bbbbb', 'cc', 'aa', 'bbbbb', 'bb']);
});

test('a failing computation does not affect the other computations of a scheduler', async () => {
  const { slices, work } = stage();
  function* failing(): Generator<undefined, never> {
    yield;
    throw new TypeError('wrong');
  }
  const [failed, other] = await Promise.allSettled([slices.run(failing()), slices.run(work('a', 20))]);
  expect(failed).toMatchObject({ status: 'rejected', reason: new TypeError('wrong') });
  expect(other).toEqual({ status: 'fulfilled', value: 'a' });
});
