export interface RpcCall {
  method: string;
  params: readonly unknown[];
}

/** The JSON-RPC error that a node returns instead of a result. */
export interface RpcError {
  code: number;
  message: string;
  data: unknown;
}

export type RpcAnswer = { ok: true; result: unknown } | { ok: false; error: RpcError };

/** Marks an answer that is longer than the limit even if its call is the only one in the request. */
export const tooLong: RpcAnswer = {
  ok: false,
  error: { code: 0, message: 'the response is too long', data: undefined },
};
