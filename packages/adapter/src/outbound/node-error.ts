import type { Phase } from '../contract/problem.ts';
import { type AdapterError, adapterError } from '../error.ts';

/** `behind`: the node works but has not reached the required block. Another node may have reached it. */
export type NodeErrorCode = 'unavailable' | 'timeout' | 'wrong-chain' | 'behind' | 'not-opened';

/**
 * A node could not be used: it did not answer in time or in JSON-RPC, or it is on another chain. Never contains a
 * node's address, which may include credentials. Converted to an AdapterError once the phase is known.
 */
export class NodeError extends Error {
  override readonly name = 'NodeError';
  readonly code: NodeErrorCode;
  /** Set if the node reported a rate limit: milliseconds during which no requests are sent to it. */
  readonly retryAfterMs: number | undefined;

  constructor(code: NodeErrorCode, detail: string, { retryAfterMs }: { retryAfterMs?: number } = {}) {
    super(detail);
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }

  /** Converts the error for the host. */
  toAdapterError(phase?: Phase): AdapterError {
    const code = this.code === 'behind' ? 'unavailable' : this.code;
    const { retryAfterMs } = this;
    return adapterError(code, this.message, {
      ...(phase === undefined ? {} : { phase }),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
  }
}

/** A node's HTTP answer is not JSON-RPC. */
export class StatusError extends NodeError {
  readonly status: number;
  /** The first characters of the content. */
  readonly content: string;

  constructor(detail: string, status: number, content: string) {
    super('unavailable', detail);
    this.status = status;
    this.content = content.slice(0, 2_000);
  }
}
