import { createEthereumAdapter } from '../src/definition.ts';
import { defaultTiming, type Timing } from '../src/timing.ts';

/** Times for local nodes, which answer within a millisecond and mine on demand. */
const quickTiming: Timing = {
  ...defaultTiming,
  nodes: {
    ...defaultTiming.nodes,
    nextTry: { least: 1, random: 1 },
    secondLook: 20,
  },
  heads: {
    ...defaultTiming.heads,
    poll: { shortest: 5, longest: 4_000 },
    reconnect: 50,
  },
};

/** The adapter with the short times above. */
export const quickAdapter = createEthereumAdapter(quickTiming);
