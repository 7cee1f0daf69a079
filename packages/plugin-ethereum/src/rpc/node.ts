import { AsyncLocalStorage } from 'node:async_hooks';
import type { AdapterHost } from '@ledger-ops/adapter';
import { ConnectionClosed, LongAnswer, NodeError } from '@ledger-ops/adapter/outbound';
import { BatchRefused, isSameError, readAnswers, readFailure } from './answers.ts';
import type { BatchLimit } from './batch-limit.ts';
import type { Endpoint } from './endpoint.ts';
import { type RpcAnswer, type RpcCall, tooLong } from './json-rpc.ts';

export { type RpcAnswer, type RpcCall, type RpcError, tooLong } from './json-rpc.ts';

/** One node, which is called in batches. */
export interface RpcNode {
  nodeId: string;
  /**
   * The answers in the order of the calls. Calls made in the same tick share requests.
   *
   * @throws NodeError if any of them got no answer
   */
  batch(calls: readonly RpcCall[]): Promise<RpcAnswer[]>;
  /**
   * The answers to all items. Each request begins and ends with the `witness` call, which shows which node
   * behind a shared address answered. If requests are limited to two calls, they only begin with it; if
   * limited to one call, they have no witness. An answer may be `tooLong`.
   */
  witnessed(
    witness: RpcCall,
    items: readonly RpcCall[],
  ): Promise<{ seen: RpcAnswer[]; answers: RpcAnswer[] }>;
  /** Like `batch`, but sends each request after the previous one is answered. */
  inOrder(calls: readonly RpcCall[]): Promise<RpcAnswer[]>;
}

const maximumBytes = 1_000_000;

/** A queued call. */
interface Waiting {
  call: RpcCall;
  text: string;
  id: number;
  /** Reports the request to this call's caller: one request may contain calls of several callers. */
  told: AdapterHost['requested'];
  settle: (answer: RpcAnswer) => void;
  fail: (failure: unknown) => void;
}

/** One node and how requests to it are made. */
export interface BatchingNodeOptions {
  endpoint: Endpoint;
  limit: BatchLimit;
  signal: AbortSignal;
  requested: AdapterHost['requested'];
  /** Called when a node refused a request and accepts only fewer calls per request. */
  onSplit(nodeId: string, calls: number, refusal: NodeError): void;
}

/**
 * Combines the calls of one tick into requests. A request that is refused because of its number of calls, or
 * whose answer is too long, is sent again in smaller ones.
 */
export class BatchingNode implements RpcNode {
  readonly nodeId: string;
  readonly #options: BatchingNodeOptions;
  #nextId = 1;
  #queue: Waiting[] = [];

  constructor(options: BatchingNodeOptions) {
    this.#options = options;
    this.nodeId = options.endpoint.nodeId;
  }

  async batch(calls: readonly RpcCall[]): Promise<RpcAnswer[]> {
    const told = this.#requested();
    return Promise.all(calls.map((call) => this.#enqueue(call, told)));
  }

  async inOrder(calls: readonly RpcCall[]): Promise<RpcAnswer[]> {
    const answers: RpcAnswer[] = [];
    while (answers.length < calls.length) {
      const next = calls.slice(answers.length, answers.length + this.#options.limit.calls);
      answers.push(...(await this.batch(next)));
    }
    return answers;
  }

  async witnessed(
    witness: RpcCall,
    items: readonly RpcCall[],
  ): Promise<{ seen: RpcAnswer[]; answers: RpcAnswer[] }> {
    const { calls } = this.#options.limit;
    const ends = Math.min(2, calls - 1);
    const size = Math.max(1, calls - ends);
    const chunks: RpcCall[][] = [];
    for (let start = 0; start < Math.max(1, items.length); start += size) {
      chunks.push(items.slice(start, start + size));
    }
    return joined(await Promise.all(chunks.map((chunk) => this.#besideWitness(witness, chunk, ends))));
  }

  async #besideWitness(
    witness: RpcCall,
    chunk: readonly RpcCall[],
    ends: number,
  ): Promise<{ seen: RpcAnswer[]; answers: RpcAnswer[] }> {
    try {
      const answers = await (ends === 0
        ? Promise.all([this.#together([witness]), this.#together(chunk)]).then((both) => both.flat())
        : this.#together(ends === 1 ? [witness, ...chunk] : [witness, ...chunk, witness]));
      const seen = [...answers.splice(0, 1), ...(ends === 2 ? answers.splice(-1) : [])];
      return { seen, answers };
    } catch (error) {
      // The limit is lower now: each smaller request has its own witness.
      if (error instanceof BatchRefused) return this.witnessed(witness, chunk);
      if (!(error instanceof LongAnswer)) throw error;
      if (chunk.length === 1) return { seen: [], answers: [tooLong] };
      const [first, second] = halves(chunk);
      return joined([
        await this.#besideWitness(witness, first, ends),
        await this.#besideWitness(witness, second, ends),
      ]);
    }
  }

  /** Binds `requested` to the current caller. */
  #requested(): AdapterHost['requested'] {
    const { requested } = this.#options;
    return requested && AsyncLocalStorage.bind(requested);
  }

  #waitFor(call: RpcCall, told: AdapterHost['requested']): { one: Waiting; promise: Promise<RpcAnswer> } {
    const { method, params } = call;
    const { promise, resolve, reject } = Promise.withResolvers<RpcAnswer>();
    const id = this.#nextId++;
    const text = `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${JSON.stringify(params)}}`;
    return { one: { call, id, text, told, settle: resolve, fail: reject }, promise };
  }

  #enqueue(call: RpcCall, told: AdapterHost['requested']): Promise<RpcAnswer> {
    const { one, promise } = this.#waitFor(call, told);
    if (this.#queue.length === 0) setImmediate(() => this.#flush());
    this.#queue.push(one);
    return promise;
  }

  /**
   * Sends these calls in one request.
   * @throws BatchRefused if the node accepts fewer calls; the limit has then been lowered
   */
  #together(calls: readonly RpcCall[]): Promise<RpcAnswer[]> {
    const told = this.#requested();
    const all = calls.map((call) => this.#waitFor(call, told));
    void this.#send(
      all.map(({ one }) => one),
      true,
    );
    return Promise.all(all.map(({ promise }) => promise));
  }

  #flush(): void {
    const all = this.#queue;
    this.#queue = [];
    for (const chunk of this.#chunksOf(all)) void this.#send(chunk);
  }

  /** Splits calls into requests within the current limit of calls and the limit of bytes. */
  #chunksOf(all: readonly Waiting[]): Waiting[][] {
    const { calls } = this.#options.limit;
    const chunks: Waiting[][] = [];
    let chunk: Waiting[] = [];
    let bytes = 0;
    for (const one of all) {
      if (chunk.length === calls || (bytes + one.text.length > maximumBytes && chunk.length > 0)) {
        chunks.push(chunk);
        chunk = [];
        bytes = 0;
      }
      chunk.push(one);
      bytes += one.text.length;
    }
    if (chunk.length > 0) chunks.push(chunk);
    return chunks;
  }

  /**
   * Settles or fails each call. Smaller requests are sent one after the other, to limit memory and to keep
   * the order of transactions.
   */
  async #send(chunk: readonly Waiting[], isTogether = false): Promise<void> {
    const started = performance.now();
    try {
      settle(chunk, await this.#exchange(chunk), started);
    } catch (error) {
      if (error instanceof LongAnswer && chunk.length > 1 && !isTogether) {
        for (const half of halves(chunk)) await this.#send(half);
      } else if (error instanceof BatchRefused) {
        await this.#split(chunk, error, started, isTogether);
      } else this.#fail(chunk, error, started);
    }
  }

  /** The answers to one request, in the order of its calls. @throws NodeError */
  async #exchange(chunk: readonly Waiting[], isRepeated = false): Promise<RpcAnswer[]> {
    const { endpoint, signal } = this.#options;
    const [first] = chunk;
    const body =
      chunk.length === 1 && first !== undefined ? first.text : `[${chunk.map(({ text }) => text).join(',')}]`;
    try {
      const answer = await endpoint.post(body, signal);
      const ids = chunk.map(({ id }) => id);
      return readAnswers(answer, this.nodeId, ids);
    } catch (error) {
      // The server may have closed an idle connection while the request was being sent. Older versions of
      // Erigon close the connection on a large batch.
      if (error instanceof ConnectionClosed && chunk.length > 1 && !isRepeated && !signal.aborted)
        return this.#exchange(chunk, true);
      throw readFailure(error, this.nodeId, chunk.length);
    }
  }

  /** Sends one of the calls in its own request. If the node answers it, the number of calls caused the refusal. */
  async #split(
    chunk: readonly Waiting[],
    refusal: BatchRefused,
    started: number,
    isTogether: boolean,
  ): Promise<void> {
    const [first] = chunk;
    if (first === undefined) return;
    const { limit, onSplit } = this.#options;
    let answers: RpcAnswer[];
    try {
      answers = await this.#exchange([first]);
    } catch (error) {
      this.#fail(chunk, error instanceof NodeError ? bothRefused(refusal, error) : error, started);
      return;
    }
    // The node refuses a single call in the same way.
    if (refusal.answers !== undefined && isSameError(answers[0], refusal.answers[0])) {
      settle(chunk, refusal.answers, started);
      return;
    }
    if (limit.refused(chunk.length)) onSplit(this.nodeId, limit.calls, refusal);
    if (isTogether) {
      for (const { fail } of chunk) fail(refusal);
      return;
    }
    settle([first], answers, started);
    for (const part of this.#chunksOf(chunk.slice(1))) await this.#send(part);
  }

  #fail(chunk: readonly Waiting[], error: unknown, started: number): void {
    const result = error instanceof NodeError && error.code === 'timeout' ? 'timeout' : 'unavailable';
    for (const { call, told, fail } of chunk) {
      if (!this.#options.signal.aborted) told?.(call.method, result, performance.now() - started);
      fail(error);
    }
  }
}

function settle(chunk: readonly Waiting[], answers: readonly RpcAnswer[], started: number): void {
  const taken = performance.now() - started;
  for (const [index, { call, told, settle: resolve }] of chunk.entries()) {
    const one = answers[index];
    if (one === undefined) continue;
    told?.(call.method, one.ok ? 'ok' : 'refused', taken);
    resolve(one);
  }
}

/** Returns the error for a node that answers neither many calls nor one. Contains both messages and a remedy. */
function bothRefused(refusal: NodeError, single: NodeError): NodeError {
  const hint = 'If the node accepts fewer calls per request, set the property rpc_batch.';
  return new NodeError(
    single.code,
    `${refusal.message} A request with one call also failed: ${single.message} ${hint}`,
    single.retryAfterMs === undefined ? {} : { retryAfterMs: single.retryAfterMs },
  );
}

function halves<Item>(items: readonly Item[]): [Item[], Item[]] {
  const middle = Math.ceil(items.length / 2);
  return [items.slice(0, middle), items.slice(middle)];
}

function joined(parts: readonly { seen: RpcAnswer[]; answers: RpcAnswer[] }[]) {
  return { seen: parts.flatMap(({ seen }) => seen), answers: parts.flatMap(({ answers }) => answers) };
}
