import { createFairShares } from '@ledger-ops/base';

/**
 * Microseconds of one turn of the event loop in which requests are started. In processor time of this thread, because on a
 * busy machine the elapsed time says little about the work done.
 */
const budget = 2_000;

/**
 * Spreads the start of requests over turns of the event loop. By default, Node starts all requests that have arrived
 * in one turn: 200 of `GET /openapi.json`, with responses of 2 MB, block the event loop for 300 ms. Once a turn has
 * spent its budget, requests wait, and addresses take turns.
 */
export class RequestTurns {
  readonly #waiting = createFairShares<() => void>();
  /** Connections with further pipelined requests, of which one continues per turn: other clients come first. */
  readonly #pipelined: (() => void)[] = [];
  /** Processor time when the first request of this turn was started; undefined: none was. */
  #startedAt: number | undefined;

  /** Whether a request may start now. If not, the caller must call `add`. */
  admits(): boolean {
    if (this.#waiting.size > 0) return false;
    if (this.#startedAt !== undefined) return this.#hasBudget();
    this.#beginTurn();
    return true;
  }

  /** Starts a request as soon as a turn has budget for it. */
  add(address: string, start: () => void): void {
    this.#waiting.add([address], start);
    if (this.#startedAt === undefined) this.#beginTurn();
  }

  /** Starts the next request of a connection that sent it before it received the previous response. */
  addPipelined(start: () => void): void {
    this.#pipelined.push(start);
    if (this.#startedAt === undefined) this.#beginTurn();
  }

  #beginTurn(): void {
    this.#startedAt = processorTime();
    setImmediate(this.#endTurn);
  }

  readonly #endTurn = (): void => {
    this.#startedAt = undefined;
    if (this.#waiting.size === 0 && this.#pipelined.length === 0) return;
    this.#beginTurn();
    this.#pipelined.shift()?.();
    this.#startNext();
  };

  readonly #startNext = (): void => {
    if (this.#waiting.size === 0 || !this.#hasBudget()) return;
    this.#waiting.takeTurn()?.item();
    // After all microtasks, in which the started request continues.
    queueMicrotask(() => process.nextTick(this.#startNext));
  };

  #hasBudget(): boolean {
    return this.#startedAt !== undefined && processorTime() - this.#startedAt < budget;
  }
}

/** Processor time of this thread, in microseconds. */
function processorTime(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}
