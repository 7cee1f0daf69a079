import { setTimeout as pause } from 'node:timers/promises';
import type { FaultSwitches, Phase } from '../faults.ts';

/** Time in milliseconds for a response to reach the client before the peer stops. A busy client may need longer. */
const flush = 20;

/**
 * Runs one phase of a transaction with its planned faults: the response is delayed, or the peer stops after
 * the phase.
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
