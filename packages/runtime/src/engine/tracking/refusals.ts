import type { LedgerContext } from '../context.ts';

interface Refused {
  actionId: string;
  txId: string;
}

/**
 * Logs refused transactions at a limited rate. After an overload, nodes refuse every resent transaction that was
 * already mined.
 *
 * `#count` and `#last` describe the refusals since the last line. `#timer` runs while the next line must wait.
 */
export class Refusals {
  readonly #context: Pick<LedgerContext, 'log' | 'timing'>;
  readonly #ledgerId: string;
  #count = 0;
  #last: Refused | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(context: Pick<LedgerContext, 'log' | 'timing'>, ledgerId: string) {
    this.#context = context;
    this.#ledgerId = ledgerId;
  }

  /** Logs the first refusal immediately, and then, per interval, one line with the number of further refusals. */
  add(refused: Refused): void {
    this.#count += 1;
    this.#last = refused;
    if (this.#timer === undefined) this.#write();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#write();
    clearTimeout(this.#timer);
  }

  #write(): void {
    const { log, timing } = this.#context;
    this.#timer = undefined;
    if (this.#last === undefined) return;
    log('warn', 'submit.refused', { ledgerId: this.#ledgerId, ...this.#last, count: this.#count });
    this.#count = 0;
    this.#last = undefined;
    this.#timer = setTimeout(() => this.#write(), timing.tellRefused).unref();
  }
}
