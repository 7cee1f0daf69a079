type Given<Members> = { [Name in keyof Members]?: Exclude<Members[Name], undefined> };

/** Returns the members that are not undefined. */
export function given<Members extends object>(members: Members): Given<Members> {
  // The cast is safe, because only undefined members were removed.
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as Given<Members>;
}
