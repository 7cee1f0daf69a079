const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(?:[Zz]|[+-](\d\d):(\d\d))$/;

/**
 * Reads an RFC 3339 date and time as milliseconds since the epoch; smaller fractions are truncated. Returns
 * undefined if it is malformed, or does not exist, such as February 31 or 24:00:00, which `Date.parse` would
 * move to another day.
 */
export function parseInstant(text: string): number | undefined {
  const parts = rfc3339.exec(text);
  if (parts === null) return undefined;
  const [year = 0, month = 0, day = 0, ...clock] = parts.slice(1).map((part) => Number(part ?? 0));
  const [hour = 0, minute = 0, second = 0, offsetHour = 0, offsetMinute = 0] = clock;
  if (day < 1 || month < 1 || month > 12 || day > daysOf(year, month)) return undefined;
  if (hour > 23 || offsetHour > 23 || [minute, second, offsetMinute].some((value) => value > 59))
    return undefined;
  return Date.parse(text.toUpperCase().replace(' ', 'T'));
}

function daysOf(year: number, month: number): number {
  // Leap years repeat every 400 years, and Date.UTC reads the years 0 to 99 as 1900 to 1999.
  return new Date(Date.UTC(2_000 + (year % 400), month, 0)).getUTCDate();
}
