/** An error as the answer to a call. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Codes of JSON-RPC and of validators. */
export const codes = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  preflight: -32002,
  signature: -32003,
  blockNotAvailable: -32004,
  unhealthy: -32005,
  slotSkipped: -32007,
  version: -32015,
  minContextSlot: -32016,
} as const;

export const invalid = (message: string) => new RpcError(codes.params, `Invalid params: ${message}`);
