import type { Chain } from './chain.ts';

/** Milliseconds between blocks. `on-demand`: creates a block whenever transactions are waiting. */
export type SlotTime = number | 'on-demand';

/** Decides when the chain creates blocks. */
export class Producer {
  readonly #chain: Chain;
  readonly #slotTime: SlotTime;
  #timer: NodeJS.Timeout | undefined;
  #soon: NodeJS.Immediate | undefined;
  paused = true;

  constructor(chain: Chain, slotTime: SlotTime) {
    this.#chain = chain;
    this.#slotTime = slotTime;
    this.resume();
  }

  resume(): void {
    if (!this.paused) return;
    this.paused = false;
    if (this.#slotTime === 'on-demand') this.wake();
    else this.#timer = setInterval(() => this.#chain.mine(), this.#slotTime);
  }

  /** Creates blocks only on request from now on. */
  pause(): void {
    this.paused = true;
    clearInterval(this.#timer);
    clearImmediate(this.#soon);
    this.#soon = undefined;
  }

  /** Notifies the producer that transactions are waiting. */
  wake(): void {
    if (this.paused || this.#slotTime !== 'on-demand' || this.#soon !== undefined) return;
    this.#soon = setImmediate(() => {
      this.#soon = undefined;
      while (this.#chain.pending > 0) this.#chain.mine();
    });
  }
}
