/** The members that are there. In bodies that were read, optional members may stand as undefined. */
export function given<Members extends Record<string, unknown>>(members: Members) {
  // Object.fromEntries knows no names; what is undefined was left out.
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Members as undefined extends Members[Name] ? never : Name]: Members[Name];
  } & {
    [Name in keyof Members as undefined extends Members[Name] ? Name : never]?: Exclude<
      Members[Name],
      undefined
    >;
  };
}
