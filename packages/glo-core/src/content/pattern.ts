/** Matches strings. */
export interface Pattern {
  test(text: string): boolean;
  /** Maximum number of matching steps for a text of this length; 0 for patterns of this package. */
  steps(length: number): number;
  /** Maximum number of characters of a string; longer strings are refused without matching. */
  readonly longest: number;
}

/** Compiles a pattern. @throws {SyntaxError} with a detail for its author */
export type ReadPattern = (source: string) => Pattern;

/**
 * JavaScript's own regular expressions, which may take exponential time. Only for patterns of this package.
 */
export function ownPattern(source: string): Pattern {
  const expression = new RegExp(source, 'u');
  return { test: (text) => expression.test(text), steps: () => 0, longest: Number.POSITIVE_INFINITY };
}
