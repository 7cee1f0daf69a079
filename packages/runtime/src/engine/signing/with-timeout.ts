import { adapterError } from '@ledger-ops/adapter';
import { endsWithin } from '../../concurrency/ends-within.ts';
import type { OpenLedger } from '../../open-ledger.ts';
import type { Timing } from '../../timing.ts';

/**
 * Limits the time of a call to an adapter, and discards a late result. On a chain with sequences, the batches of all
 * plugins are signed one at a time, so a slow call would delay the others. Without sequences, nothing waits for the
 * call, so its time is not limited.
 * @throws AdapterError `timeout` if the adapter does not respond in time
 */
export async function withTimeout<Result>(
  timing: Pick<Timing, 'prepare' | 'estimate'>,
  phase: 'prepare' | 'estimate',
  { record, definition }: Pick<OpenLedger, 'record' | 'definition'>,
  work: Promise<Result>,
): Promise<Result> {
  if (definition.capabilities.sequence === 'none' || (await endsWithin(work, timing[phase]))) return work;
  const detail = `The plugin of the ledger ${record.ledgerId} did not respond to ${phase}() within ${timing[phase]} ms.`;
  throw adapterError('timeout', detail, { phase });
}
