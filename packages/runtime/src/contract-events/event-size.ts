import { type ContractEvent, isCheapJson } from '@ledger-ops/adapter';

/** Maximum bytes stored per event; if an event is longer, its arguments and raw form are omitted. */
export const mostEventBytes = 65_536;
/** Maximum bytes of events per page. */
export const mostPageBytes = 1_048_576;

/** Whether an event can be stored completely. Reads no more of it than the limit. */
export function isStorable({ args, raw }: Pick<ContractEvent, 'args' | 'raw'>): boolean {
  return isCheapJson({ args: args ?? null, raw }, mostEventBytes);
}
