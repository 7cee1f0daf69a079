import { plainWords } from '@ledger-ops/adapter/words';

/** Why a child may not connect somewhere: no ledger of it names the place, or the outbound guard stands before its address. */
export type DenialReason = 'not-named' | 'not-opened';

type Log = (level: 'warn', event: string, fields: { plugin: string; detail: string }) => void;

/** Places that are told of one plugin, however often it is started: it may try without end. */
const most = 64;

const words: Readonly<Record<DenialReason, (place: string) => string>> = {
  'not-named': (place) =>
    `It may not reach ${place}, which none of its ledgers names: put the address into a node or a property of the ledger.`,
  'not-opened': (place) =>
    `It may not reach ${place}, which is at an address that is not public: OUTBOUND_OPEN opens it.`,
};

/** Tells of places that a plugin wanted to reach and may not, of each once. */
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
