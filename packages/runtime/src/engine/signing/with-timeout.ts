import { adapterError } from '@ledger-ops/adapter';
import { endsWithin } from '../../concurrency/ends-within.ts';
import type { OpenLedger } from '../../open-ledger.ts';
import type { Timing } from '../../timing.ts';

/**
 * An answer that comes too late is thrown away. The accounts of a chain with sequences are signed for in turn, whatever
 * plugin they belong to; where there are none nobody waits behind another, and each may take its time.
 * @throws AdapterError `timeout` when the adapter has not answered in time
 */
export async function withTimeout<Result>(
  timing: Pick<Timing, 'prepare' | 'estimate'>,
  phase: 'prepare' | 'estimate',
  { record, definition }: Pick<OpenLedger, 'record' | 'definition'>,
  work: Promise<Result>,
): Promise<Result> {
  if (definition.capabilities.sequence === 'none' || (await endsWithin(work, timing[phase]))) return work;
  const detail = `The plugin of the ledger ${record.ledgerId} did not answer ${phase}() within ${timing[phase]} ms.`;
  throw adapterError('timeout', detail, { phase });
}
