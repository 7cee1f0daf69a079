/** Maximum number of calls in one request to a node: the ledger's setting, or fewer for a while after the node refused more. */
export class BatchLimit {
  readonly #configured: number;
  readonly #now: () => number;
  readonly #keptMs: number;
  #learned: number;
  #until = 0;

  /**
   * @param configured the ledger's `rpc_batch`
   * @param keptMs how long a smaller number is used before the configured one is tried again
   */
  constructor(configured: number, now: () => number, keptMs: number) {
    this.#configured = configured;
    this.#now = now;
    this.#keptMs = keptMs;
    this.#learned = configured;
  }

  get calls(): number {
    if (this.#learned < this.#configured && this.#now() >= this.#until) this.#learned = this.#configured;
    return this.#learned;
  }

  /**
   * Records that the node refused this many calls in one request but answered a single call.
   * @returns whether this changed the limit
   */
  refused(calls: number): boolean {
    const next = Math.max(1, Math.floor(calls / 2));
    this.#until = this.#now() + this.#keptMs;
    if (next >= this.#learned) return false;
    this.#learned = next;
    return true;
  }
}
