/**
 * Writes a structured log line: an event name, and fields from an allow-list. Never pass request or response bodies, or
 * secrets.
 */
export type Log = (
  level: 'debug' | 'info' | 'warn' | 'error',
  event: string,
  fields?: Record<string, string | number | boolean | null | undefined>,
) => void;
