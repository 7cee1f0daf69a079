import { invalidRequest } from '@ledger-ops/base';

const rfc3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/;

/**
 * Reads an RFC 3339 date and time as milliseconds since the epoch; smaller fractions are cut off.
 *
 * @param pointer name of the parameter
 * @throws Problem `invalid-request`
 */
export function readInstant(text: string | undefined, pointer: string): number {
  const at = text !== undefined && rfc3339.test(text) ? Date.parse(text.toUpperCase()) : Number.NaN;
  if (Number.isNaN(at) || !sameDay(text ?? '', at)) {
    const detail = 'must be a date and time of RFC 3339, such as 2026-11-20T12:30:00Z';
    throw invalidRequest([{ pointer, detail: text === undefined ? `is required and ${detail}` : detail }]);
  }
  return at;
}

/** False for days that no month has, which Date.parse moves into the next month. */
function sameDay(text: string, at: number): boolean {
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number);
  const days = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return Number.isFinite(at) && day <= days;
}
