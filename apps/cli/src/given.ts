/** Removes members whose value is undefined. */
export function given<Members extends object>(
  members: Members,
): { [Name in keyof Members]?: Exclude<Members[Name], undefined> } {
  const found = Object.entries(members).filter(([, value]) => value !== undefined);
  // The remaining members keep their names and types.
  return Object.fromEntries(found) as { [Name in keyof Members]?: Exclude<Members[Name], undefined> };
}
