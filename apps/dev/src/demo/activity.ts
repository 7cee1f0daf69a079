import { CallError, type Caller } from '../caller.ts';
import { send } from '../follow.ts';

/**
 * Returns the body of `POST /v1/ledger-ops/send`, given the number of operations that were sent before.
 *
 * @param last id of the last accepted action
 */
export type NextOperation = (sent: number, last: string | undefined) => Record<string, unknown>;

/**
 * Milliseconds between operations, first and later. The later interval is longer, so that the database grows
 * slowly.
 */
const intervals = { first: 5_000, later: 30_000 };
/** Number of operations that are sent at the first interval: ten minutes. */
const firstOperations = 120;

/** Sends one operation at a time, at a limited rate, until it is stopped. */
export class DemoActivity implements Disposable {
  readonly #caller: Caller;
  readonly #next: NextOperation;
  readonly #show: (line: string) => void;
  #sent = 0;
  #lastActionId: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  /** The last refusal. It is shown only once. */
  #refusal = '';

  constructor(caller: Caller, next: NextOperation, show: (line: string) => void) {
    [this.#caller, this.#next, this.#show] = [caller, next, show];
    this.#schedule();
  }

  [Symbol.dispose](): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#isStopped) return;
    const interval = this.#sent < firstOperations ? intervals.first : intervals.later;
    this.#timer = setTimeout(() => void this.#sendNext().finally(() => this.#schedule()), interval);
  }

  async #sendNext(): Promise<void> {
    const body = this.#next(this.#sent, this.#lastActionId);
    this.#sent += 1;
    try {
      this.#lastActionId = await send(this.#caller, body);
      this.#refusal = '';
    } catch (error) {
      // The user may suspend wallets, revoke roles or stop a ledger; the activity continues afterwards.
      const detail = error instanceof CallError ? error.detail : String(error);
      if (!this.#isStopped && detail !== this.#refusal)
        this.#show(`Demo: an operation was refused: ${detail}`);
      this.#refusal = detail;
    }
  }
}
