/** 9999-12-31T23:59:59.999Z. RFC 3339 has no later times. */
const latest = 253_402_300_799_999;

/**
 * Returns the time of a block, in milliseconds since the epoch; null if it is unknown or cannot be shown as a date. Nodes and
 * plugins may return any number, and earlier versions stored it.
 */
export function blockTimeOf(time: number | null | undefined): number | null {
  return typeof time === 'number' && time >= 0 && time <= latest ? time : null;
}
