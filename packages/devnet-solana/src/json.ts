/**
 * JSON as validators write it, with 64-bit integers as plain numbers. Integers that a double cannot represent are
 * parsed to `bigint`, and every `bigint` is written as a number.
 */
export function parseJson(text: string): unknown {
  return JSON.parse(text, readInteger);
}

function readInteger(this: unknown, _key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' &&
    !Number.isSafeInteger(value) &&
    context?.source !== undefined &&
    /^-?\d+$/.test(context.source)
    ? BigInt(context.source)
    : value;
}

export function writeJson(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? rawNumber(one) : one));
}

/** ECMAScript's `JSON.rawJSON`, which Node 24 has but the ES2024 types lack. */
const rawJson: (text: string) => unknown = Reflect.get(JSON, 'rawJSON');

const rawNumber = (value: bigint): unknown =>
  value <= BigInt(Number.MAX_SAFE_INTEGER) && value >= BigInt(Number.MIN_SAFE_INTEGER)
    ? Number(value)
    : rawJson(String(value));
