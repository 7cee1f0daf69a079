const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/**
 * Formats a time like `dateUpdated` in the specification: `EEE MMM dd HH:mm:ss zzz yyyy`, English, UTC (`Fri Nov 20
 * 12:30:05 UTC 2026`). `at` is in milliseconds since the epoch.
 */
export function interfaceDate(at: number): string {
  const date = new Date(at);
  const clock = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(twoDigits).join(':');
  const day = `${days[date.getUTCDay()]} ${months[date.getUTCMonth()]} ${twoDigits(date.getUTCDate())}`;
  return `${day} ${clock} UTC ${date.getUTCFullYear()}`;
}

/** Formats a time as RFC 3339, in UTC, with milliseconds. */
export function rfc3339(at: number): string {
  return new Date(at).toISOString();
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
