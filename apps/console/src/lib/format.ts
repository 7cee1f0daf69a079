/** Parses an amount that a user typed into the smallest unit; undefined if it is not an amount. */
export function smallestUnit(text: string, decimals: number): string | undefined {
  const [, whole, part = ''] = /^(\d+)(?:[.](\d+))?$/.exec(text.trim()) ?? [];
  if (whole === undefined || part.length > decimals) return undefined;
  return BigInt(whole + part.padEnd(decimals, '0')).toString();
}

/** Describes the format that {@link smallestUnit} accepts. */
export function amountRule(decimals: number): string {
  return decimals === 0
    ? 'must be a whole number, such as 1500'
    : `must be a number such as 1500.5, with at most ${decimals} decimals`;
}

const units = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

/** Returns a duration such as `3.2 s` or `4 min`. */
export function durationText(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.max(0, Math.round(milliseconds))} ms`;
  for (const [size, name] of units) {
    if (milliseconds >= size) {
      const value = milliseconds / size;
      return `${value < 10 && size < 86_400_000 ? value.toFixed(1) : Math.floor(value)} ${name}`;
    }
  }
  return '';
}

/** Returns a time such as `2 min ago`; the date if the time is long ago. */
export function agoText(at: string, now: number): string {
  const passed = now - Date.parse(at);
  if (passed < 2_000) return 'just now';
  if (passed < 7 * 86_400_000) return `${durationText(passed).replace(/[.]\d/, '')} ago`;
  return new Date(at).toLocaleDateString(undefined, { dateStyle: 'medium' });
}

/** Converts `chain_id` to `Chain id`. */
export function sentenceText(name: string): string {
  const words = name
    .replaceAll(/[-_.]/g, ' ')
    .replaceAll(/\b(?:ca|id|msp|rpc|tls|url)\b/g, (word) => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Converts `maxFeePerGas` to `max fee per gas`. */
export function wordsOf(name: string): string {
  return name.replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, ' ').toLowerCase();
}

/** Local time in the format of `datetime-local` fields: `2026-11-20T12:30`. */
export function localTime(at: string): string {
  const time = new Date(at);
  const two = (value: number) => String(value).padStart(2, '0');
  const date = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-');
  return `${date}T${two(time.getHours())}:${two(time.getMinutes())}`;
}

/**
 * Returns a label for a certificate's expiry.
 * @param until its end of validity, RFC 3339
 * @param text the same time in local format
 */
export function validityText(until: string, text: string, now: number): string {
  return Date.parse(until) > now ? `Valid until ${text}` : `Expired ${text}`;
}
