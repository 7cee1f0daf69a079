import { type AdapterError, adapterError, type Phase } from '@ledger-ops/adapter';

/** `behind`: the node works, and has not reached the block that is needed; another may have. */
export type NodeErrorCode = 'unavailable' | 'timeout' | 'wrong-chain' | 'behind' | 'not-opened';

/**
 * A node could not be used: it did not answer, in time or in JSON-RPC, or it is on another chain. Never holds
 * a node's address, which may have credentials in it. Becomes an AdapterError where the phase is known.
 */
export class NodeError extends Error {
  override readonly name = 'NodeError';
  readonly code: NodeErrorCode;

  constructor(code: NodeErrorCode, detail: string) {
    super(detail);
    this.code = code;
  }

  /** The failure as the host is told of it. */
  toAdapterError(phase?: Phase): AdapterError {
    const code = this.code === 'behind' ? 'unavailable' : this.code;
    return adapterError(code, this.message, phase === undefined ? {} : { phase });
  }
}
