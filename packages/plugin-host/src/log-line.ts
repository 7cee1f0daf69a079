/** Maximum number of values and characters of a log line's fields; the rest is dropped in the child. */
const longestLine = { values: 256, characters: 65_536 };

/** Whether fields are few and short enough for a log line. Reads no more than that. */
export function isLine(fields: unknown): boolean {
  let { values, characters } = longestLine;
  const fits = (value: unknown): boolean => {
    values -= 1;
    if (values < 0) return false;
    if (typeof value === 'string') characters -= value.length;
    if (typeof value !== 'object' || value === null) return characters >= 0;
    for (const name in value) {
      characters -= name.length;
      if (characters < 0 || !fits(Reflect.get(value, name))) return false;
    }
    return true;
  };
  return fits(fields);
}
