import { AsyncLocalStorage } from 'node:async_hooks';
import type { AdapterHost } from '@ledger-ops/adapter';
import { NodeError } from '@ledger-ops/outbound';
import { type Endpoint, LongAnswer } from './endpoint.ts';

/** One JSON-RPC call. */
export interface RpcCall {
  method: string;
  params: readonly unknown[];
}

/** The JSON-RPC error that a node gives in place of a result. */
export interface RpcError {
  code: number;
  message: string;
  data: unknown;
}

export type RpcAnswer = { ok: true; result: unknown } | { ok: false; error: RpcError };

/** Stands for an answer that is longer than any that is read, also alone. */
export const tooLong: RpcAnswer = {
  ok: false,
  error: { code: 0, message: 'the answer is longer than any that is read', data: undefined },
};

/** One node, through which calls go in batches. */
export interface RpcNode {
  nodeId: string;
  /**
   * The answers in the order of the calls. Calls made in the same tick share requests.
   * @throws NodeError when any of them got no answer.
   */
  batch(calls: readonly RpcCall[]): Promise<RpcAnswer[]>;
  /**
   * The answers to all items, in requests that each begin and end with the `witness`: one that is answered by what stands
   * behind the node's address says so of its own items. Where a request takes two calls it only begins with it, and
   * where it takes one there is no witness to its answer. An answer may be `tooLong`.
   */
  witnessed(
    witness: RpcCall,
    items: readonly RpcCall[],
  ): Promise<{ seen: RpcAnswer[]; answers: RpcAnswer[] }>;
  /** As `batch`, with each request begun when the one before it is answered. */
  inOrder(calls: readonly RpcCall[]): Promise<RpcAnswer[]>;
}

const maximumBytes = 1_000_000;
/** Characters of a node's error that are looked at. */
const longestMessage = 2_000;

interface Waiting {
  method: string;
  text: string;
  id: number;
  /** In the context of whoever asked: calls of several go out together. */
  told: AdapterHost['requested'];
  settle: (answer: RpcAnswer) => void;
  fail: (failure: unknown) => void;
}

/** Puts calls of one tick together into requests of at most so many calls. */
export function createRpcNode(
  endpoint: Endpoint,
  limit: number,
  signal: AbortSignal,
  requested?: AdapterHost['requested'],
): RpcNode {
  let nextId = 1;
  let queue: Waiting[] = [];

  function waitFor({ method, params }: RpcCall): { one: Waiting; promise: Promise<RpcAnswer> } {
    const { promise, resolve, reject } = Promise.withResolvers<RpcAnswer>();
    const id = nextId++;
    const text = `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${JSON.stringify(params)}}`;
    const told = requested && AsyncLocalStorage.bind(requested);
    return { one: { method, id, text, told, settle: resolve, fail: reject }, promise };
  }

  function enqueue(call: RpcCall): Promise<RpcAnswer> {
    const { one, promise } = waitFor(call);
    if (queue.length === 0) setImmediate(flush);
    queue.push(one);
    return promise;
  }

  /** One request of their own. */
  function together(calls: readonly RpcCall[]): Promise<RpcAnswer[]> {
    const all = calls.map(waitFor);
    void send(
      all.map(({ one }) => one),
      true,
    );
    return Promise.all(all.map(({ promise }) => promise));
  }

  async function witnessed(witness: RpcCall, items: readonly RpcCall[]) {
    const ends = Math.min(2, limit - 1);
    const size = Math.max(1, limit - ends);
    const chunks: RpcCall[][] = [];
    for (let start = 0; start < Math.max(1, items.length); start += size) {
      chunks.push(items.slice(start, start + size));
    }
    const request = async (
      chunk: readonly RpcCall[],
    ): Promise<{ seen: RpcAnswer[]; answers: RpcAnswer[] }> => {
      try {
        const answers = await (ends === 0
          ? Promise.all([together([witness]), together(chunk)]).then((both) => both.flat())
          : together(ends === 1 ? [witness, ...chunk] : [witness, ...chunk, witness]));
        const seen = [...answers.splice(0, 1), ...(ends === 2 ? answers.splice(-1) : [])];
        return { seen, answers };
      } catch (error) {
        if (!(error instanceof LongAnswer)) throw error;
        if (chunk.length === 1) return { seen: [], answers: [tooLong] };
        const [first, second] = halves(chunk);
        return joined([await request(first), await request(second)]);
      }
    };
    return joined(await Promise.all(chunks.map(request)));
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

  /** Where it need not be together, a request whose answer is too long goes out again in two, one after the other: it takes memory. */
  async function send(chunk: readonly Waiting[], isTogether = false): Promise<void> {
    const started = performance.now();
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
        throw new NodeError(
          'unavailable',
          `Node ${endpoint.nodeId} left out an answer or gave it another id.`,
        );
      }
      const taken = performance.now() - started;
      for (const [index, { method, told, settle }] of chunk.entries()) {
        const one = answers[index];
        if (one === undefined) continue;
        told?.(method, one.ok ? 'ok' : 'refused', taken);
        settle(one);
      }
    } catch (error) {
      if (error instanceof LongAnswer && chunk.length > 1 && !isTogether) {
        for (const half of halves(chunk)) await send(half);
        return;
      }
      const result = error instanceof NodeError && error.code === 'timeout' ? 'timeout' : 'unavailable';
      for (const { method, told, fail } of chunk) {
        if (!signal.aborted) told?.(method, result, performance.now() - started);
        fail(error);
      }
    }
  }

  const batch = (calls: readonly RpcCall[]) => Promise.all(calls.map(enqueue));
  return {
    nodeId: endpoint.nodeId,
    batch,
    witnessed,
    async inOrder(calls) {
      const answers: RpcAnswer[] = [];
      for (let start = 0; start < calls.length; start += limit) {
        answers.push(...(await batch(calls.slice(start, start + limit))));
      }
      return answers;
    },
  };
}

function halves<Item>(items: readonly Item[]): [Item[], Item[]] {
  const middle = Math.ceil(items.length / 2);
  return [items.slice(0, middle), items.slice(middle)];
}

function joined(parts: readonly { seen: RpcAnswer[]; answers: RpcAnswer[] }[]) {
  return { seen: parts.flatMap(({ seen }) => seen), answers: parts.flatMap(({ answers }) => answers) };
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
      throw new NodeError('unavailable', `Node ${nodeId} refused a request${hint}: ${message} (${code}).`);
    }
  }
  return found;
}

function readError(error: unknown): RpcError {
  if (typeof error !== 'object' || error === null)
    return { code: 0, message: String(error).slice(0, longestMessage), data: undefined };
  const { code, message, data }: { code?: unknown; message?: unknown; data?: unknown } = error;
  return {
    code: typeof code === 'number' ? code : 0,
    message: typeof message === 'string' ? message.slice(0, longestMessage) : 'no message',
    data,
  };
}
