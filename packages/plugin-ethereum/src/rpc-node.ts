import type { Endpoint } from './endpoint.ts';
import { NodeFailure } from './node-failure.ts';

/** One JSON-RPC call. */
export interface RpcCall {
  method: string;
  params: readonly unknown[];
}

/** What a node says instead of a result. */
export interface NodeError {
  code: number;
  message: string;
  data: unknown;
}

export type RpcAnswer = { ok: true; result: unknown } | { ok: false; error: NodeError };

/** One node, through which calls go in batches. */
export interface RpcNode {
  nodeId: string;
  /**
   * The answers in the order of the calls. Calls made in the same tick share requests.
   * @throws NodeFailure when any of them got no answer.
   */
  batch(calls: readonly RpcCall[]): Promise<RpcAnswer[]>;
  /** As `batch`, with each request begun when the one before it is answered. */
  inOrder(calls: readonly RpcCall[]): Promise<RpcAnswer[]>;
}

const maximumBytes = 1_000_000;

interface Waiting {
  text: string;
  id: number;
  settle: (answer: RpcAnswer) => void;
  fail: (failure: unknown) => void;
}

/** Puts calls of one tick together into requests of at most so many calls. */
export function createRpcNode(endpoint: Endpoint, limit: number, signal: AbortSignal): RpcNode {
  let nextId = 1;
  let queue: Waiting[] = [];

  function enqueue({ method, params }: RpcCall): Promise<RpcAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<RpcAnswer>();
    const id = nextId++;
    const text = `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${JSON.stringify(params)}}`;
    if (queue.length === 0) setImmediate(flush);
    queue.push({ id, text, settle: resolve, fail: reject });
    return promise;
  }

  function flush(): void {
    const all = queue;
    queue = [];
    let chunk: Waiting[] = [];
    let bytes = 0;
    for (const one of all) {
      if (chunk.length === limit || (bytes + one.text.length > maximumBytes && chunk.length > 0)) {
        void send(chunk);
        chunk = [];
        bytes = 0;
      }
      chunk.push(one);
      bytes += one.text.length;
    }
    void send(chunk);
  }

  async function send(chunk: readonly Waiting[]): Promise<void> {
    try {
      const [first] = chunk;
      const body =
        chunk.length === 1 && first !== undefined
          ? first.text
          : `[${chunk.map(({ text }) => text).join(',')}]`;
      const answer = await endpoint.post(body, signal);
      const byId = readAnswers(answer, endpoint.nodeId, chunk.length);
      const answers = chunk.map(({ id }) => byId.get(id));
      if (answers.includes(undefined)) {
        throw new NodeFailure(
          'unavailable',
          `Node ${endpoint.nodeId} left out an answer or gave it another id.`,
        );
      }
      for (const [index, { settle }] of chunk.entries()) {
        const one = answers[index];
        if (one !== undefined) settle(one);
      }
    } catch (error) {
      for (const { fail } of chunk) fail(error);
    }
  }

  const batch = (calls: readonly RpcCall[]) => Promise.all(calls.map(enqueue));
  return {
    nodeId: endpoint.nodeId,
    batch,
    async inOrder(calls) {
      const answers: RpcAnswer[] = [];
      for (let start = 0; start < calls.length; start += limit) {
        answers.push(...(await batch(calls.slice(start, start + limit))));
      }
      return answers;
    },
  };
}

function readAnswers(answer: unknown, nodeId: string, calls: number): Map<number, RpcAnswer> {
  const list: unknown[] = Array.isArray(answer) ? answer : [answer];
  const found = new Map<number, RpcAnswer>();
  for (const one of list) {
    if (typeof one !== 'object' || one === null) continue;
    const { id, result, error }: { id?: unknown; result?: unknown; error?: unknown } = one;
    if (typeof id === 'number') {
      if (error !== undefined && error !== null) found.set(id, { ok: false, error: readError(error) });
      else if (result !== undefined) found.set(id, { ok: true, result });
    } else if (!Array.isArray(answer) && error !== undefined) {
      const { code, message } = readError(error);
      const hint = calls > 1 ? ` of ${calls} calls; lower rpc_batch if it is too large` : '';
      throw new NodeFailure('unavailable', `Node ${nodeId} refused a request${hint}: ${message} (${code}).`);
    }
  }
  return found;
}

function readError(error: unknown): NodeError {
  if (typeof error !== 'object' || error === null)
    return { code: 0, message: String(error), data: undefined };
  const { code, message, data }: { code?: unknown; message?: unknown; data?: unknown } = error;
  return {
    code: typeof code === 'number' ? code : 0,
    message: typeof message === 'string' ? message.slice(0, 2000) : 'no message',
    data,
  };
}
