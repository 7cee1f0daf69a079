/** Period of a run in microseconds of `process.hrtime`. On Linux, V8's profiles use the same clock. */
export interface Span {
  from: number;
  to: number;
}

export const microseconds = (): number => Number(process.hrtime.bigint() / 1_000n);
