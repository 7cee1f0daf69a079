import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'vitest';

export interface Watched<Result> {
  readonly result: Result;
  /**
   * Longest time between two turns of the event loop, in milliseconds of this thread's processor time, with
   * an accuracy of 1 to 2 ms.
   */
  readonly longest: number;
}

const processorTime = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** Some systems count a thread's time in ticks of 4 milliseconds, so a measurement may be too high by one tick. */
const step = stepOfClock();

function stepOfClock(): number {
  const end = performance.now() + 50;
  let widest = 0;
  for (let last = processorTime(); performance.now() < end; ) {
    const now = processorTime();
    widest = Math.max(widest, now - last);
    last = now;
  }
  return widest;
}

/**
 * Runs some work and measures the longest time between two turns of the event loop. Uses processor time
 * instead of elapsed time, so that other processes do not affect the result.
 */
export async function watch<Result>(work: () => Promise<Result>): Promise<Watched<Result>> {
  let longest = 0;
  let running = true;
  let last = processorTime();
  const tick = () => {
    const now = processorTime();
    longest = Math.max(longest, now - last);
    last = now;
    // Not sampled at every turn, because that would keep a processor busy.
    if (running) setTimeout(tick, 1);
  };
  setTimeout(tick, 1);
  try {
    const result = await work();
    tick();
    return { result, longest: Math.max(0, longest - step) };
  } finally {
    running = false;
  }
}

/** Processor time in milliseconds of a fixed amount of work: about 10 to 20 on an idle machine. */
export function unitOfWork(): number {
  const json = JSON.stringify(Array.from({ length: 60_000 }, (_, at) => ({ name: `m${at}`, value: at })));
  const rounds = 8;
  const before = processorTime();
  for (let round = 0; round < rounds; round += 1) JSON.parse(json);
  return (processorTime() - before) / rounds;
}

/** Maximum duration of a unit of work on an idle machine, in milliseconds. */
const idleUnitMs = 20;
/** Maximum number of measurements until work stays within its limit. */
const attempts = 4;

/** Limit of one turn of the event loop, in processor time of this thread. */
export interface TurnLimit {
  readonly ms: number;
  /** Limit in units of work, which applies on slow or busy machines. */
  readonly units: number;
}

export const usualTurn: TurnLimit = { ms: 50, units: 4 };

export interface Turns<Result> extends Watched<Result> {
  /** Limit in milliseconds on this machine. */
  readonly limit: number;
  /** Message if `longest` exceeds the limit; otherwise undefined. */
  readonly excess: string | undefined;
}

/**
 * Measures the longest turn of the event loop during some work. Repeats the work if a turn took too long: the
 * first run compiles code, and may collect garbage of other test files in this process.
 */
export async function measureTurns<Result>(
  work: () => Promise<Result>,
  { ms, units }: TurnLimit = usualTurn,
): Promise<Turns<Result>> {
  let { result, longest } = await watch(work);
  let limit = ms;
  for (let attempt = 1; longest > limit; attempt += 1) {
    limit = Math.max(limit, units * unitOfWork());
    if (longest <= limit || attempt === attempts) break;
    collectGarbage();
    const again = await watch(work);
    result = again.result;
    longest = Math.min(longest, again.longest);
  }
  const excess =
    longest > limit
      ? `one turn of the event loop took ${longest.toFixed(0)} ms of processor time; the limit is ${limit.toFixed(0)} ms`
      : undefined;
  return { result, longest, limit, excess };
}

/** Asserts that no turn of the event loop during some work exceeds the limit, and returns its result. */
export async function expectShortTurns<Result>(
  work: () => Promise<Result>,
  limit: TurnLimit = usualTurn,
): Promise<Result> {
  const { result, excess } = await measureTurns(work, limit);
  expect(excess).toBeUndefined();
  return result;
}

/**
 * Asserts that this thread needs at most `limitMs` of processor time for some work. Repeats the work if it took
 * longer, for the same reasons as `measureTurns`. On a slow or busy machine the limit is higher, by the factor by
 * which a unit of work takes longer than on an idle one.
 *
 * @param work receives the number of the attempt, from 1. With it, it can avoid caches that an earlier attempt filled.
 */
export async function expectQuick(limitMs: number, work: (attempt: number) => unknown): Promise<void> {
  let least = Number.POSITIVE_INFINITY;
  let limit = limitMs;
  for (let attempt = 1; attempt <= attempts && least > limit; attempt += 1) {
    if (attempt > 1) collectGarbage();
    const before = processorTime();
    await work(attempt);
    least = Math.min(least, processorTime() - before);
    if (least > limit) limit = Math.max(limit, (limitMs * unitOfWork()) / idleUnitMs);
  }
  const excess = `took ${least.toFixed(0)} ms of processor time; the limit is ${limit.toFixed(0)} ms`;
  expect(least > limit ? excess : undefined).toBeUndefined();
}

let collect: (() => void) | undefined;

/** Collects all garbage of this thread, so that a measurement does not include garbage of earlier tests. */
export function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc');
    setFlagsFromString('--no-expose-gc');
  }
  collect?.();
}
