import { NodeError } from '@ledger-ops/adapter/outbound';
import type { EthereumProperties } from '../properties.ts';
import { callObject } from '../rpc/call-object.ts';
import { classify } from '../rpc/errors.ts';
import type { RpcAnswer, RpcCall, RpcNode } from '../rpc/node.ts';
import { isQuantity } from '../rpc/quantity.ts';

/** Gas of a plain transfer on Ethereum. */
export const transferGas = 21_000n;

/**
 * How to determine the gas of a transfer: `fixed` is Ethereum's 21,000 plus its data prices; `estimate`
 * queries the node.
 */
export type TransferGasMode = 'fixed' | 'estimate';

/**
 * An address without a known key or code: the last 20 bytes of the Keccak-256 hash of `ledger-ops: gas of a
 * transfer`.
 */
const nobody = '0x94bf5cd8c67268833751d53d312b78a0780c7814';
const empty = { to: nobody, value: 0n, data: '0x' };
/** Filecoin estimates only without a sender or for an existing sender, but zkSync requires a sender. */
const estimates: readonly RpcCall[] = [undefined, nobody].map((from) => ({
  method: 'eth_estimateGas',
  params: [callObject(from, empty)],
}));

/**
 * Detects chains on which a transfer costs more than 21,000 gas, if the property `transfer_gas` is `auto`.
 * Stores the mode and the time of the last query. The mode `fixed` is checked again after a while, because
 * the price of data on the chain below a rollup can rise from zero. The mode `estimate` stays until the chain
 * changes.
 */
export class TransferGas {
  readonly #setting: EthereumProperties['transferGas'];
  readonly #now: () => number;
  readonly #checkAgainMs: number;
  #found: TransferGasMode | undefined;
  #queriedAt = 0;

  constructor(setting: EthereumProperties['transferGas'], now: () => number, checkAgainMs: number) {
    this.#setting = setting;
    this.#now = now;
    this.#checkAgainMs = checkAgainMs;
  }

  /** The mode; undefined until a node has been queried. */
  get mode(): TransferGasMode | undefined {
    return this.#setting === 'auto' ? this.#found : this.#setting;
  }

  /** Returns the calls to add to the batch that reads the newest block; none if the mode is known. */
  calls(): readonly RpcCall[] {
    if (this.#setting !== 'auto' || this.#found === 'estimate') return [];
    const isKnown = this.#found !== undefined && this.#now() - this.#queriedAt < this.#checkAgainMs;
    return isKnown ? [] : estimates;
  }

  /**
   * @param answers to `calls`
   * @throws NodeError if the node is too busy to answer the first query
   */
  read({ nodeId }: RpcNode, answers: readonly RpcAnswer[]): TransferGasMode {
    if (answers.length > 0) {
      const found = modeOf(answers);
      if (found !== undefined) {
        this.#found = found;
        this.#queriedAt = this.#now();
      }
    }
    if (this.mode !== undefined) return this.mode;
    throw new NodeError(
      'unavailable',
      `Node ${nodeId} does not estimate the gas of a transfer at the moment.`,
    );
  }

  /** Detects the mode again, because the chain changed. */
  reset(): void {
    this.#found = undefined;
  }
}

/**
 * Returns undefined if the node was too busy. If the node refuses, the chain is assumed to have Ethereum's
 * prices.
 */
function modeOf(answers: readonly RpcAnswer[]): TransferGasMode | undefined {
  const found = answers.flatMap((answer) =>
    answer.ok && isQuantity(answer.result) ? [BigInt(answer.result)] : [],
  );
  if (found.some((gas) => gas > transferGas)) return 'estimate';
  const isBusy = answers.some((answer) => !answer.ok && ['busy', 'behind'].includes(classify(answer.error)));
  return found.length === 0 && isBusy ? undefined : 'fixed';
}
