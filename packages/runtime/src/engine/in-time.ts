import { adapterError, type Phase } from '@ledger-ops/adapter';

/**
 * Milliseconds that an adapter may take where others wait behind it: the accounts of a chain are signed for in turn,
 * whatever plugin they belong to. What it answers later is thrown away.
 */
const patience = { prepare: 5_000, estimate: 5_000 } as const satisfies Partial<Record<Phase, number>>;

/** @throws AdapterError `timeout` when the adapter has not answered in time */
export async function inTime<Result>(
  phase: keyof typeof patience,
  ledgerId: string,
  work: Promise<Result>,
): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const detail = `The plugin of the ledger ${ledgerId} did not answer ${phase}() within ${patience[phase]} ms.`;
    late.reject(adapterError('timeout', phase, detail));
  }, patience[phase]);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
