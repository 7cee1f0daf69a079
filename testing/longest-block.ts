export interface Watched<Result> {
  readonly result: Result;
  /** Between two turns of the event loop, in milliseconds of this thread's processor time. */
  readonly longest: number;
}

const processorTime = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/**
 * Does some work and measures the longest stretch between two turns of the event loop. Processor time and not the
 * clock, so that a busy machine makes no difference.
 */
export async function watch<Result>(work: () => Promise<Result>): Promise<Watched<Result>> {
  let longest = 0;
  let running = true;
  let last = processorTime();
  const tick = () => {
    const now = processorTime();
    longest = Math.max(longest, now - last);
    last = now;
    if (running) setImmediate(tick);
  };
  setImmediate(tick);
  try {
    const result = await work();
    tick();
    return { result, longest };
  } finally {
    running = false;
  }
}

/**
 * Processor time of a fixed piece of work, some 20 milliseconds of a present machine: what the others are measured by.
 */
export function unitOfWork(): number {
  const text = JSON.stringify(Array.from({ length: 60_000 }, (_, at) => ({ name: `m${at}`, value: at })));
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5; round += 1) {
    const before = processorTime();
    JSON.parse(text);
    best = Math.min(best, processorTime() - before);
  }
  return best;
}
