import { createSolanaAdapter } from '../src/definition.ts';
import { defaultTiming, type Timing } from '../src/timing.ts';

/** Times for local nodes, which answer within a millisecond and make blocks on demand. */
export const quickTiming: Timing = {
  ...defaultTiming,
  nodes: { backoff: { first: 5, longest: 50 }, nextTry: 1, limited: 2_000 },
  heads: { ...defaultTiming.heads, poll: 5, idle: 5 },
  otherNodes: 0,
  unreadableEvents: 0,
};

/** The adapter with the short times above. */
export const quickAdapter = createSolanaAdapter(quickTiming);

/** Default export, for plugins that run in their own process. */
export default quickAdapter;
