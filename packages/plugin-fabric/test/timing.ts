import { defaultTiming, type Timing } from '../src/timing.ts';

/** Times of sessions whose peers are on this machine. */
export const testTiming: Timing = {
  ...defaultTiming,
  peers: {
    ...defaultTiming.peers,
    backoff: { first: 50, longest: 1_500 },
    connect: 200,
    reconnect: { first: 20, longest: 200 },
  },
  endorsement: { ...defaultTiming.endorsement, disagreement: [10, 30, 90] },
  conflict: { least: 2, random: { first: 20, longest: 400 } },
  neverOrdered: { ...defaultTiming.neverOrdered, byConfiguration: 300 },
  blocks: { backoff: { first: 5, longest: 300 }, stallCheck: 100, follow: 100 },
};
