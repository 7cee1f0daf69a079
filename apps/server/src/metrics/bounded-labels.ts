/** The label value for all values beyond the limit. */
export const other = 'other';

/** Limits the number of label values: after the first `most`, new ones become `other`. */
export function boundedLabel(most: number): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= most) return other;
    known.add(value);
    return value;
  };
}
