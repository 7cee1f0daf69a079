type Filled<Members> = { [Name in keyof Members]?: Exclude<Members[Name], undefined> };

/** Removes members that are undefined or an empty string. */
export function filled<Members extends object>(members: Members): Filled<Members> {
  // The remaining members keep their names and types.
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined && value !== ''),
  ) as Filled<Members>;
}
