import type { Json } from './contract/values.ts';
import { isJson } from './json.ts';

/** Cost of writing a character as JSON, which is higher for escapes. Other characters cost 1. */
const costs = { escaped: 8, control: 32, loneSurrogate: 64 } as const;
/** Cost of a value in addition to its characters. Covers punctuation and the longest numbers. */
const ofValue = 8;
const shortEscapes = new Set([...'\b\f\n\r\t'].map((character) => character.charCodeAt(0)));

/**
 * Whether writing a value as JSON takes at most as long as writing `most` plain characters. The limit is
 * needed because the host writes a plugin's values in one synchronous step. Stops reading at the limit.
 */
export function isCheapJson(value: Json, most: number): boolean {
  let left = most;
  const isCheap = (one: Json): boolean => {
    left -= ofValue;
    if (typeof one === 'string') left = afterText(one, left);
    if (left < 0) return false;
    if (typeof one !== 'object' || one === null) return true;
    if (Array.isArray(one)) return one.every(isCheap);
    for (const name in one) {
      left = afterText(name, left);
      const member = one[name];
      if (left < 0 || (member !== undefined && !isCheap(member))) return false;
    }
    return true;
  };
  return isCheap(value);
}

/** Maximum number of characters of a result or a receipt as JSON. See `isCheapJson`. */
export const longestDocument = 4 * 1_048_576;

/** Returns the value if it is JSON that hosts can return in a response, otherwise `{"omitted": true}`. */
export function boundedJson(value: unknown): Json {
  return isJson(value) && isCheapJson(value, longestDocument) ? value : { omitted: true };
}

/** Returns the remaining allowance after a string. Negative if the string exceeds it. */
function afterText(text: string, left: number): number {
  let rest = left - text.length;
  for (let at = 0; at < text.length && rest >= 0; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22 || unit === 0x5c) rest -= costs.escaped;
    else if (unit < 0x20) rest -= shortEscapes.has(unit) ? costs.escaped : costs.control;
    else if (unit >= 0xd800 && unit <= 0xdfff) {
      const follows = unit <= 0xdbff ? text.charCodeAt(at + 1) : 0;
      if (follows >= 0xdc00 && follows <= 0xdfff) at += 1;
      else rest -= costs.loneSurrogate;
    }
  }
  return rest;
}
