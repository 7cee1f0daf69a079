import { createSolanaAdapter } from '../src/definition.ts';
import { defaultTiming, type Timing } from '../src/timing.ts';

/** Times for nodes on this machine, which answer within a millisecond and make blocks when they are told to. */
export const quickTiming: Timing = {
  ...defaultTiming,
  nodes: { backoff: { first: 5, longest: 50 }, nextTry: 1 },
  heads: { ...defaultTiming.heads, poll: 5, idle: 5 },
  otherNodes: 0,
};

/** The adapter with these times. */
export const quickAdapter = createSolanaAdapter(quickTiming);

/** As a plugin of its own process is loaded. */
export default quickAdapter;
