import { randomFillSync } from 'node:crypto';

/** Generates time-ordered ids (RFC 9562, version 7). */
export type Uuidv7 = (now?: number) => string;

const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

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
  let used = pool.length;
  let last = 0;
  let count = 0;
  return (now = clock()) => {
    if (used + 10 > pool.length) {
      fill(pool);
      used = 0;
    }
    const r = (i: number) => pool[used + i] ?? 0;
    if (now > last) {
      last = now;
      // Starts in the lower half, to leave values for counting.
      count = ((r(8) << 8) | r(9)) & 0x7ff;
    } else if (count === 0xfff) {
      last += 1;
      count = ((r(8) << 8) | r(9)) & 0x7ff;
    } else count += 1;
    const high = Math.floor(last / 0x1_0000_0000);
    const low = last >>> 0;
    const h = (byte: number) => hex[byte & 0xff] ?? '';
    const id =
      `${h(high >>> 8)}${h(high)}${h(low >>> 24)}${h(low >>> 16)}-${h(low >>> 8)}${h(low)}-` +
      `${h(0x70 | (count >>> 8))}${h(count)}-${h(0x80 | (r(0) & 0x3f))}${h(r(1))}-` +
      `${h(r(2))}${h(r(3))}${h(r(4))}${h(r(5))}${h(r(6))}${h(r(7))}`;
    used += 10;
    return id;
  };
}

/** The process-wide generator: ids increase strictly within the process. */
export const uuidv7: Uuidv7 = createUuidv7();
