/** Removes members that are undefined; parsed bodies may contain optional members as undefined. */
export function given<Members extends Record<string, unknown>>(members: Members) {
  // `Object.fromEntries` loses the member types. The filter removed only undefined members.
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Members as undefined extends Members[Name] ? never : Name]: Members[Name];
  } & {
    [Name in keyof Members as undefined extends Members[Name] ? Name : never]?: Exclude<
      Members[Name],
      undefined
    >;
  };
}
