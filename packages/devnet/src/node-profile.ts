import { type Misbehaviour, misbehaving, type NodeAnswer } from './misbehaviour.ts';
import type { Fault, ProxiedCall } from './rpc-proxy.ts';

/** An HTTP response to a whole request. A body that is not a string is sent as JSON. */
export interface HttpAnswer {
  /** Default 200. */
  status?: number;
  headers?: Readonly<Record<string, string>>;
  body: unknown;
}

/** One HTTP request to a node. */
export interface ProxiedRequest {
  calls: readonly ProxiedCall[];
  /** Whether the body is an array, even with a single call. */
  isBatch: boolean;
}

/** Refuses a request before the node receives it; undefined lets it pass. */
export type Gate = (request: ProxiedRequest) => HttpAnswer | undefined;

/** A response with the id of its call. */
export type AnswerWithId = NodeAnswer & { jsonrpc?: string; id: unknown };

/** Behavior of a kind of node, network or provider, as data and small functions. */
export interface NodeProfile {
  /**
   * Gates that refuse whole requests, for example by rate or batch limits. The first gate that refuses determines the
   * response.
   */
  gates?: readonly Gate[];
  /** Answers by method. The development node answers all other methods. */
  methods?: Misbehaviour;
  /** Methods that the node does not support. */
  missing?: readonly string[];
  /** Error for unsupported methods; default -32601 with geth's message. */
  missingError?: (method: string) => { code: number; message: string };
  /** Changes the form of a batch response, such as its order or its ids. */
  batch?: (answers: AnswerWithId[]) => unknown;
}

/** Returns a fault for `RpcProxy.setFault` that makes a development node answer like the profile. */
export function profileFault(profile: NodeProfile): Fault {
  const { gates = [], methods = {}, missing = [], missingError = unknownMethod, batch } = profile;
  const unknown = missing.map((method) => [method, async () => ({ error: missingError(method) })]);
  const answering = misbehaving({ ...methods, ...Object.fromEntries(unknown) });
  return async (calls, forward, response, request, isBatch) => {
    for (const gate of gates) {
      const refusal = gate({ calls, isBatch });
      if (refusal === undefined) continue;
      const { status = 200, headers = {}, body } = refusal;
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      return typeof body === 'string' ? body : JSON.stringify(body);
    }
    const answer = await answering(calls, forward, response, request, isBatch);
    if (batch === undefined || !isBatch) return answer;
    return JSON.stringify(batch(JSON.parse(answer ?? (await forward()))));
  };
}

function unknownMethod(method: string) {
  return { code: -32_601, message: `the method ${method} does not exist/is not available` };
}

type Answering = Misbehaviour[string];

/** Returns the node's own response with another result. Errors and null are unchanged. */
export function withResult(change: (result: unknown, call: ProxiedCall) => unknown): Answering {
  return async (call, ask) => {
    const answer = await ask(call);
    if (!('result' in answer) || answer.result === null) return answer;
    return { ...answer, result: change(answer.result, call) };
  };
}

/**
 * Returns the node's own response, an object or a list of objects, with changed members. An undefined member
 * is removed.
 */
export function withMembers(
  change: (members: Record<string, unknown>) => Record<string, unknown>,
): Answering {
  const one = (value: unknown) =>
    typeof value === 'object' && value !== null ? { ...value, ...change({ ...value }) } : value;
  return withResult((result) => (Array.isArray(result) ? result.map(one) : one(result)));
}

/** Returns the node's own response. An error gets another code and message. */
export function withError(
  change: (error: { code: number; message: string; data?: unknown }) => {
    code: number;
    message: string;
    data?: unknown;
  },
): Answering {
  return async (call, ask) => {
    const answer = await ask(call);
    return 'error' in answer ? { ...answer, error: change(answer.error) } : answer;
  };
}

/** Refuses batches with more calls than this; 0 refuses every batch. */
export function batchLimit(most: number, refusal: (calls: readonly ProxiedCall[]) => HttpAnswer): Gate {
  return ({ calls, isBatch }) => (isBatch && calls.length > most ? refusal(calls) : undefined);
}

/** Refuses calls above a number per time window (in milliseconds). */
export function rateLimit(
  { calls: most, windowMs }: { calls: number; windowMs: number },
  refusal: (calls: readonly ProxiedCall[]) => HttpAnswer,
  now: () => number = Date.now,
): Gate {
  let from = Number.NEGATIVE_INFINITY;
  let used = 0;
  return ({ calls }) => {
    if (now() - from >= windowMs) {
      from = now();
      used = 0;
    }
    used += calls.length;
    return used > most ? refusal(calls) : undefined;
  };
}
