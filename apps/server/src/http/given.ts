/** The members that are there. In bodies that were read, optional members may stand as undefined. */
export function given<Members extends Record<string, unknown>>(members: Members) {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Members as undefined extends Members[Name] ? never : Name]: Members[Name];
  } & {
    // What is undefined was left out.
    [Name in keyof Members as undefined extends Members[Name] ? Name : never]?: Exclude<
      Members[Name],
      undefined
    >;
  };
}
