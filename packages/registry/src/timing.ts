/** Intervals and timeouts of compilations, in milliseconds. Tests use shorter ones. */
export interface Timing {
  /** Lifetime of a server's lease on a version that it compiles. */
  readonly lease: number;
  /**
   * Interval between searches for versions whose compiling server stopped. Also the delay
   * between a failed compilation and the next try.
   */
  readonly look: number;
  /** Timeout of one compilation. */
  readonly compilation: number;
}

export const defaultTiming: Timing = { lease: 300_000, look: 30_000, compilation: 60_000 };
