import type { Anvil } from '@ledger-ops/devnet';

/** Milliseconds between two blocks. */
const blockTime = 200;

/** Mines the blocks of a development node that was started with `mining: 'manual'`. */
export class BlockClock {
  /** The base fee of every block, regardless of the contents of earlier blocks. */
  baseFee: bigint | undefined;
  readonly #node: Anvil;
  readonly #blockTime: number;
  #held = false;
  #timer: NodeJS.Timeout | undefined;
  #making: Promise<void> = Promise.resolve();

  constructor(node: Anvil, milliseconds = blockTime) {
    this.#node = node;
    this.#blockTime = milliseconds;
    this.goOn();
  }

  /** Stops mining. */
  async hold(): Promise<void> {
    this.#held = true;
    clearTimeout(this.#timer);
    await this.#making;
  }

  goOn(): void {
    this.#held = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#making = this.#make();
    }, this.#blockTime);
  }

  async #make(): Promise<void> {
    if (this.baseFee !== undefined)
      await this.#node.rpc('anvil_setNextBlockBaseFeePerGas', [`0x${this.baseFee.toString(16)}`]);
    await this.#node.rpc('anvil_mine', ['0x1']);
    if (!this.#held) this.goOn();
  }
}
