/**
 * Parses a JSON column. The caller declares the type, which is safe because the package that owns the column
 * wrote the JSON.
 */
export function readJson<Value>(text: string): Value;
export function readJson<Value>(text: string | null): Value | null;
export function readJson(text: string | null): unknown {
  return text === null ? null : JSON.parse(text);
}
