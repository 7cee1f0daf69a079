import type { AdapterDefinition } from '@ledger-ops/adapter';
import { importAdapter, openProcessAdapter } from '@ledger-ops/plugin-host';

/** Trusted modules run in this process, others in child processes. The caller uses both in the same way. */
export async function load(specifier: string, trusted: boolean): Promise<AdapterDefinition> {
  if (trusted) return importAdapter(specifier);
  return openProcessAdapter({
    specifier,
    memoryLimitMb: 256,
    timing: { call: 30_000 },
    log: (level, event, fields) => console.log(level, event, fields),
    onHealth: ({ state, restarts, lastFailure }) => console.log(state, restarts, lastFailure?.detail),
  });
}
