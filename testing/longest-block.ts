export interface Watched<Result> {
  readonly result: Result;
  /** Between two turns of the event loop, in milliseconds of this thread's processor time, to within one or two. */
  readonly longest: number;
}

const processorTime = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** Some systems count a thread's time at each tick of a clock, every 4 milliseconds: so much may be counted too much. */
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
    // Not at each turn, which would keep a processor busy for as long as others work.
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

/** Processor time of a fixed piece of work, some 10 to 20 milliseconds: what the others are measured by. */
export function unitOfWork(): number {
  const text = JSON.stringify(Array.from({ length: 60_000 }, (_, at) => ({ name: `m${at}`, value: at })));
  const rounds = 20;
  const before = processorTime();
  for (let round = 0; round < rounds; round += 1) JSON.parse(text);
  return (processorTime() - before) / rounds;
}
