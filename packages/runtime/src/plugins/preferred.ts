import type { PluginSource } from './types.ts';
import { unrecordedLedger } from './unrecorded-ledger.ts';

/** Returns the uid of the registered plugin that serves ledgers without `plugin_tags`, by technology. */
export async function preferredUids(
  source: Pick<PluginSource, 'weigh'> | undefined,
  technologies: Iterable<string>,
  projectUid: string,
): Promise<Map<string, string>> {
  const preferred = new Map<string, string>();
  for (const technology of technologies) {
    const ledger = unrecordedLedger({ ledgerId: '', projectUid, technology, properties: {} });
    const weighed = (await source?.weigh(ledger, projectUid)) ?? [];
    const best = weighed.find(({ why }) => why === null);
    if (best !== undefined) preferred.set(technology, best.plugin.uid);
  }
  return preferred;
}
