/** The members that were given. */
export function given<Members extends object>(
  members: Members,
): { [Name in keyof Members]?: Exclude<Members[Name], undefined> } {
  const found = Object.entries(members).filter(([, value]) => value !== undefined);
  // Those that are left are of the same names and types.
  return Object.fromEntries(found) as { [Name in keyof Members]?: Exclude<Members[Name], undefined> };
}
