/** A column with JSON. The caller states its shape, as with any column: it is the one that the same package wrote. */
export function readJson<Value>(text: string): Value;
export function readJson<Value>(text: string | null): Value | null;
export function readJson(text: string | null): unknown {
  return text === null ? null : JSON.parse(text);
}
