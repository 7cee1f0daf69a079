/** How long compilations wait and may take, in milliseconds. Tests give shorter times. */
export interface Timing {
  /** For which one server keeps others from a version that it compiles. */
  readonly lease: number;
  /** Between two looks for versions that a server left behind, and until what failed is tried again. */
  readonly look: number;
  /** For one compilation. */
  readonly compilation: number;
}

export const defaultTiming: Timing = { lease: 300_000, look: 30_000, compilation: 60_000 };
