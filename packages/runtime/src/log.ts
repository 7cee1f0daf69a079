/** A structured log line: an event name and fields from an allow-list; never bodies, never secrets. */
export type Log = (
  level: 'debug' | 'info' | 'warn' | 'error',
  event: string,
  fields?: Record<string, string | number | boolean | null | undefined>,
) => void;
