import type { PendingTransaction, Remark } from '@ledger-ops/adapter';
import { NodeError } from '@ledger-ops/adapter/outbound';
import { readable } from '../rpc/errors.ts';
import type { RpcError } from '../rpc/node.ts';
import { malformed } from '../rpc/quantity.ts';
import { type Receipt, readReceipt } from './receipt.ts';

/** Members of a receipt that determine its outcome. Old nodes return `root` instead of `status`. */
const quoted = ['status', 'root', 'blockNumber', 'blockHash', 'transactionHash', 'gasUsed'] as const;
const longestQuoted = 70;

/**
 * Reads receipts of pending transactions. A malformed or refused receipt delays only its own transaction,
 * which stays pending with the node's message until a node returns a readable receipt.
 */
export class UnreadableReceipts {
  readonly #details = new Map<string, string>();

  /** Returns the receipt; undefined if it is malformed or belongs to another transaction. */
  read(nodeId: string, txId: string, value: unknown): Receipt | undefined {
    try {
      const receipt = readReceipt(value);
      if (receipt.txId !== txId) throw malformed("a receipt's transaction");
      this.#details.delete(txId);
      return receipt;
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      this.#details.set(txId, detailOf(nodeId, value, error));
      return undefined;
    }
  }

  /** Records that a node answered the request for one receipt with an error. */
  refused(nodeId: string, txId: string, { message, code }: RpcError): void {
    this.#details.set(txId, `Node ${nodeId} returns no receipt. Its error: ${readable(message)} (${code}).`);
  }

  /** Records that a node returned a receipt of a block that its own chain does not have at this height. */
  contradicts(nodeId: string, { txId, height, blockHash }: Receipt): void {
    const detail = `Node ${nodeId} returned a receipt of block ${height} with the hash ${blockHash}, but its block ${height} has another hash.`;
    this.#details.set(txId, detail);
  }

  has(txId: string): boolean {
    return this.#details.has(txId);
  }

  /** Returns why pending transactions have no outcome yet. Drops the entries of all other transactions. */
  remarks(pending: ReadonlyMap<string, PendingTransaction>): Remark[] {
    for (const txId of this.#details.keys()) if (!pending.has(txId)) this.#details.delete(txId);
    return [...this.#details].map(([txId, detail]) => ({ txId, detail }));
  }

  /** Clears all entries, because the chain has changed. */
  clear(): void {
    this.#details.clear();
  }
}

/** Describes the fault of a receipt, with the receipt's members as the node returned them. */
export function detailOf(nodeId: string, value: unknown, { message }: NodeError): string {
  // The value is not copied, because it may be a list of half a million values.
  const members: Readonly<Record<string, unknown>> = Object(value);
  const words = quoted.flatMap((name) => {
    const member = members[name];
    if (member === undefined) return [];
    const text = typeof member === 'string' ? JSON.stringify(member.slice(0, longestQuoted)) : typeof member;
    return [`${name}: ${member === null ? 'null' : text}`];
  });
  return `Node ${nodeId} returned a receipt that cannot be read. ${message} The node's values: ${readable(words.join(', '))}.`;
}
