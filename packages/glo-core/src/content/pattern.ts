/** Whether a text has the form of a pattern. */
export interface Pattern {
  test(text: string): boolean;
  /** Characters of a text up to which it is tested; longer ones are refused. */
  readonly longest: number;
}

/** Reads a pattern. @throws {SyntaxError} with a detail for its author */
export type ReadPattern = (source: string) => Pattern;

/** The engine's own expressions, which may take exponential time: only for patterns of this package. */
export function ownPattern(source: string): Pattern {
  const expression = new RegExp(source, 'u');
  return { test: (text) => expression.test(text), longest: Number.POSITIVE_INFINITY };
}
