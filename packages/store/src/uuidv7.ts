import { randomFillSync } from 'node:crypto';

/** Generates time-ordered ids (RFC 9562, version 7). */
export type Uuidv7 = (now?: number) => string;

/**
 * Creates a generator of UUIDv7 strings that increase strictly, even if the clock stands still or is moved back: the 12
 * bits after the milliseconds are a counter, which carries over into the milliseconds.
 *
 * @param clock milliseconds since the epoch
 * @param fill fills the bytes with random data
 */
export function createUuidv7(
  clock: () => number = Date.now,
  fill: (bytes: Uint8Array) => void = (bytes) => {
    randomFillSync(bytes);
  },
): Uuidv7 {
  const pool = new Uint8Array(4_096);
  /** The unused random bytes, as hex text. */
  let random = '';
  let used = random.length;
  let last = 0;
  let time = '';
  let count = 0;
  const startAt = (now: number) => {
    last = now;
    const hex = last.toString(16).padStart(12, '0');
    time = `${hex.slice(0, 8)}-${hex.slice(8)}-7`;
    // The counter starts in the lower half of its range, so that it can be increased.
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

/** The generator of this process. Ids increase strictly within the process. */
export const uuidv7: Uuidv7 = createUuidv7();
