import { randomFillSync } from 'node:crypto';

/** Generates time-ordered ids (RFC 9562, version 7). */
export type Uuidv7 = (now?: number) => string;

/**
 * Creates a generator of strictly increasing UUIDv7 strings, even if the clock stands still or steps back: the 12 bits
 * after the milliseconds are a counter that carries into the next millisecond.
 *
 * @param clock milliseconds since the epoch
 * @param fill fills bytes with random data
 */
export function createUuidv7(
  clock: () => number = Date.now,
  fill: (bytes: Uint8Array) => void = (bytes) => {
    randomFillSync(bytes);
  },
): Uuidv7 {
  const pool = new Uint8Array(4_096);
  /** The pool as hex text. */
  let random = '';
  let used = random.length;
  let last = 0;
  let time = '';
  let count = 0;
  const startAt = (now: number) => {
    last = now;
    const hex = last.toString(16).padStart(12, '0');
    time = `${hex.slice(0, 8)}-${hex.slice(8)}-7`;
    // Starts in the lower half, to leave values for counting.
    count = Number.parseInt(random.slice(used + 16, used + 20), 16) & 0x7ff;
  };
  return (now = clock()) => {
    if (used + 20 > random.length) {
      fill(pool);
      random = Buffer.from(pool.buffer).toString('hex');
      used = 0;
    }
    if (now > last) startAt(now);
    else if (count === 0xfff) startAt(last + 1);
    else count += 1;
    // The first two bits are 10 (RFC 9562, section 4.1).
    const variant = (0x8 | (Number.parseInt(random.charAt(used), 16) & 0x3)).toString(16);
    const counted = count.toString(16).padStart(3, '0');
    const id = `${time}${counted}-${variant}${random.slice(used + 1, used + 4)}-${random.slice(used + 4, used + 16)}`;
    used += 20;
    return id;
  };
}

/** The process-wide generator: ids increase strictly within the process. */
export const uuidv7: Uuidv7 = createUuidv7();
