/** Log fields that are plain values; the rest is not for logs. */
export function plainFields(
  fields: Record<string, unknown> = {},
): Record<string, string | number | boolean | null> {
  return Object.fromEntries(
    Object.entries(fields).filter(
      (entry): entry is [string, string | number | boolean | null] =>
        entry[1] === null || ['string', 'number', 'boolean'].includes(typeof entry[1]),
    ),
  );
}
