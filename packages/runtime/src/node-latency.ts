import type { RequestResult } from '@ledger-ops/adapter';

const mostKept = 64;

/** Response times of a ledger's nodes, from the durations of the last completed requests. */
export class NodeLatency {
  readonly #durations: number[] = [];

  note(result: RequestResult, milliseconds: number): void {
    if (result !== 'ok' && result !== 'refused') return;
    this.#durations.push(milliseconds);
    if (this.#durations.length > mostKept) this.#durations.shift();
  }

  /** Returns the median in milliseconds; null if the plugin reported no request. */
  median(): number | null {
    const sorted = this.#durations.toSorted((a, b) => a - b);
    const middle = sorted[Math.floor(sorted.length / 2)];
    return middle === undefined ? null : Math.round(middle);
  }
}
