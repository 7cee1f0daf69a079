/** The members of a type that a test uses, and of what they give. */
type Part<T> = T extends (...args: infer Args) => infer Result
  ? (...args: Args) => Part<Result>
  : T extends Promise<infer Value>
    ? Promise<Part<Value>>
    : T extends Uint8Array
      ? T
      : T extends object
        ? { [Name in keyof T]?: Part<T[Name]> }
        : T;

/** In the place of an object of which the code under test uses these members alone. */
export function standIn<T extends object>(members: Part<T>): T {
  // Part of T by its type: the rest is not there, and reading it fails the test.
  return members as unknown as T;
}
