/** The public members of a class, which callers use and tests can replace. */
export type Public<Class> = Pick<Class, keyof Class>;
