/** A type whose members are all optional, as are the members of what its functions return. */
type Part<T> = T extends (...args: infer Args) => infer Result
  ? (...args: Args) => Part<Result>
  : T extends Promise<infer Value>
    ? Promise<Part<Value>>
    : T extends Uint8Array
      ? T
      : T extends object
        ? { [Name in keyof T]?: Part<T[Name]> }
        : T;

/** Replaces an object of which the code under test uses only these members. */
export function standIn<T extends object>(members: Part<T>): T {
  // A part of T: reading a missing member fails the test.
  return members as unknown as T;
}
