/** A part of a run, by the clock of `process.hrtime`, which V8's profiles use too on Linux. Microseconds. */
export interface Span {
  from: number;
  to: number;
}

export const microseconds = (): number => Number(process.hrtime.bigint() / 1_000n);
