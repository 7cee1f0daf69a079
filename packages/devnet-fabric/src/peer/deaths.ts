import { setTimeout as pause } from 'node:timers/promises';
import type { FaultSwitches, Phase } from '../faults.ts';

/** Milliseconds within which an answer is on its way to the client, before a peer dies behind it. */
const flush = 20;

/**
 * Runs one phase of a transaction with the faults that are planned for it: the answer comes late, or the peer dies
 * behind it.
 */
export async function withFaults<T>(
  phase: Phase,
  mspId: string,
  faults: FaultSwitches,
  stop: () => Promise<void>,
  run: () => Promise<T> | T,
): Promise<T> {
  const answer = await run();
  const death = phase === 'endorse' || phase === 'submit' ? faults.takeDeath(phase, mspId) : undefined;
  if (death?.answered === false) await stop();
  else if (death !== undefined) void pause(flush).then(stop);
  const delay = faults.delays[phase] ?? 0;
  if (delay > 0) await pause(delay, undefined, { ref: false });
  return answer;
}
