import { plainWords, wordLimits } from '@ledger-ops/adapter/words';

/** Returns those fields of a plugin's log line that are plain values. Long strings are shortened. */
export function plainFields(
  fields: Record<string, unknown> = {},
): Record<string, string | number | boolean | null> {
  const plain: Record<string, string | number | boolean | null> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') plain[name] = plainWords(value, wordLimits.log);
    else if (value === null || typeof value === 'number' || typeof value === 'boolean') plain[name] = value;
  }
  return plain;
}
