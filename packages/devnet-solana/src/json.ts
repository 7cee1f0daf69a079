/**
 * JSON as validators write it: integers of 64 bits as bare numbers. Those that a double cannot hold are read as
 * `bigint`, and any `bigint` is written as a number.
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

/** ECMAScript's `JSON.rawJSON`, which Node 24 has and the types of ES2024 do not. */
const rawJson: (text: string) => unknown = Reflect.get(JSON, 'rawJSON');

const rawNumber = (value: bigint): unknown =>
  value <= BigInt(Number.MAX_SAFE_INTEGER) && value >= BigInt(Number.MIN_SAFE_INTEGER)
    ? Number(value)
    : rawJson(String(value));
