/**
 * Parses the JSON of a column. The caller declares its type. This is safe, because only the package that owns the
 * column writes it.
 */
export function readJson<Value>(text: string): Value;
export function readJson<Value>(text: string | null): Value | null;
export function readJson(text: string | null): unknown {
  return text === null ? null : JSON.parse(text);
}
