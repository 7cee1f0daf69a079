/** The value that stands for all others. */
export const other = 'other';

/** Bounds how many values a label has: the first ones are themselves, all later ones `other`. */
export function boundedLabel(most: number): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= most) return other;
    known.add(value);
    return value;
  };
}
