import { plainWords } from '@ledger-ops/adapter/words';

/**
 * Why a child may not connect to a destination: none of its ledgers names it, or the outbound guard blocks its address.
 */
export type DenialReason = 'not-named' | 'not-opened';

type Log = (level: 'warn', event: string, fields: { plugin: string; detail: string }) => void;

/** Maximum number of destinations reported per plugin, across restarts, because it may try any number. */
const most = 64;

const words: Readonly<Record<DenialReason, (place: string) => string>> = {
  'not-named': (place) =>
    `The plugin is not allowed to connect to ${place}, which is not an address of one of its ledgers. Put the address into a node or a property of the ledger.`,
  'not-opened': (place) =>
    `The plugin is not allowed to connect to ${place}, which is a private address. Add the address to OUTBOUND_OPEN to allow it.`,
};

/** Reports the destinations that a plugin tried to reach without permission, each once. */
export function createDeniedLog(
  plugin: string,
  { log, redact }: { log: Log; redact(text: string): string },
): (place: string, why: DenialReason) => void {
  const told = new Set<string>();
  return (place, why) => {
    const detail = plainWords(redact(words[why](place)));
    if (told.size >= most || told.has(detail)) return;
    told.add(detail);
    log('warn', 'plugin.denied', { plugin, detail });
  };
}
