import { invalidRequest, parseInstant } from '@ledger-ops/base';

/**
 * Parses an RFC 3339 date and time to milliseconds since the epoch, truncating smaller fractions.
 *
 * @param pointer name of the parameter
 * @throws Problem `invalid-request`
 */
export function readInstant(text: string | undefined, pointer: string): number {
  const at = text === undefined ? undefined : parseInstant(text);
  if (at !== undefined) return at;
  const detail = 'must be an RFC 3339 date and time, such as 2026-11-20T12:30:00Z';
  throw invalidRequest([{ pointer, detail: text === undefined ? `is required and ${detail}` : detail }]);
}
