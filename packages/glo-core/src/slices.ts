// This package is compiled without platform types. Browsers lack `setImmediate`: pass `nextTurn` there.
declare const performance: { now(): number };
declare function setImmediate(run: () => void): unknown;

/**
 * Runs long computations in slices, so that neither one nor all of them together block the event loop.
 *
 * A computation is a generator. Each `yield` marks a place where it may be interrupted: put one after each step of at
 * most a few milliseconds. `run` drives it to completion:
 * - All computations of a scheduler share one time slice per event-loop turn. Within the slice they run at once, so
 *   that short computations are not delayed. After it they wait in a queue and alternate: ten concurrent computations
 *   take ten times as long, and block other work no longer than one does.
 * - Between two slices the event loop completes an iteration, with timers, sockets and promises of other work.
 *
 * A step that cannot be interrupted must be bounded before it starts: weigh the input (`patternsWeight`, `JsonLimits`),
 * and refuse what is too large.
 */
export class Slices {
  readonly #sliceMs: number;
  readonly #now: () => number;
  readonly #nextTurn: (run: () => void) => void;
  readonly #waiting: (() => void)[] = [];
  /** End of the slice in this event-loop turn; undefined if none has started. */
  #end: number | undefined;

  constructor({
    sliceMs = 8,
    now = () => performance.now(),
    nextTurn = (run: () => void): void => void setImmediate(run),
  } = {}) {
    this.#sliceMs = sliceMs;
    this.#now = now;
    this.#nextTurn = nextTurn;
  }

  /** Runs a computation to completion. Throws what it throws. */
  async run<Result>(steps: Generator<unknown, Result>): Promise<Result> {
    for (;;) {
      if (this.#isOver() || this.#waiting.length > 0) await this.#turn();
      do {
        const { done, value } = steps.next();
        if (done === true) return value;
      } while (!this.#isOver());
    }
  }

  #isOver(): boolean {
    if (this.#end === undefined) this.#begin();
    return this.#now() >= (this.#end ?? 0);
  }

  /** Starts a slice, which the next event-loop turn ends. */
  #begin(): void {
    this.#end = this.#now() + this.#sliceMs;
    this.#nextTurn(() => {
      this.#end = undefined;
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#begin();
      next();
    });
  }

  #turn(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

/** The scheduler that all computations of this process share. */
export const slices: Slices = /*@__PURE__*/ new Slices();
