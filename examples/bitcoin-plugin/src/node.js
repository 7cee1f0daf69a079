// @ts-check
import { adapterError } from '@ledger-ops/adapter';
import { NodeClient, NodeError, readNodeAddress, StatusError } from '@ledger-ops/adapter/outbound';

/** @import { AdapterHost, LedgerConfig, LedgerNode } from '@ledger-ops/adapter' */

/** An error that a node returned for a call. */
export class CallError extends Error {
  /**
   * @param {number} code
   * @param {string} message
   */
  constructor(code, message) {
    super(message);
    this.code = code;
  }

  /**
   * Whether the node rejected the call because it lacks the called method. btcd lists some methods that it does not
   * implement.
   */
  get isUnknownMethod() {
    return this.code === -32601 || (this.code === -1 && this.message === 'Command unimplemented');
  }
}

/** Calls a ledger's nodes by JSON-RPC: each call goes to the nodes in order, until one responds. */
export class Nodes {
  /** @type {{ nodeId: string, client: NodeClient }[]} */
  #nodes;
  /** @type {AdapterHost} */
  #host;

  /**
   * @param {LedgerConfig} ledger
   * @param {AdapterHost} host
   */
  constructor({ nodes, properties, outbound }, host) {
    const allowUnencrypted = properties.allow_unencrypted === true;
    const timeoutMs = Number(properties.rpc_timeout ?? 10_000);
    this.#host = host;
    /** @param {LedgerNode} node */
    const open = (node) => ({
      nodeId: node.nodeId,
      client: new NodeClient({
        nodeId: node.nodeId,
        ...readNodeAddress(node, { allowUnencrypted }),
        policy: outbound,
        timeoutMs,
        now: () => host.now(),
        parse: (content) => JSON.parse(content.toString()),
      }),
    });
    this.#nodes = nodes.map(open);
  }

  /**
   * Calls the nodes in order, and returns the result of the first one that responds.
   * @param {string} method
   * @param {unknown[]} params
   * @returns {Promise<any>}
   */
  async ask(method, ...params) {
    /** @type {unknown} */
    let last = adapterError('unavailable', 'The ledger has no nodes. Add one.');
    for (const node of this.#nodes) {
      try {
        return await this.#call(node, method, params);
      } catch (error) {
        if (!(error instanceof NodeError)) throw error;
        last = error;
      }
    }
    throw last;
  }

  /**
   * Calls all nodes, and returns their results as `Promise.allSettled` does.
   * @param {string} method
   * @param {unknown[]} params
   */
  askAll(method, ...params) {
    return Promise.allSettled(this.#nodes.map((node) => this.#call(node, method, params)));
  }

  /**
   * Calls all nodes. Throws if none accepts the call.
   * @param {string} method
   * @param {unknown[]} params
   */
  async askAny(method, ...params) {
    const answers = await this.askAll(method, ...params);
    const [first] = answers;
    if (first?.status === 'rejected' && answers.every(({ status }) => status === 'rejected'))
      throw first.reason;
  }

  async close() {
    await Promise.all(this.#nodes.map(({ client }) => client.close()));
  }

  /**
   * @param {{ nodeId: string, client: NodeClient }} node
   * @param {string} method
   * @param {unknown[]} params
   * @returns {Promise<any>}
   */
  async #call({ nodeId, client }, method, params) {
    const started = performance.now();
    /** @param {'ok' | 'refused' | 'unavailable'} result */
    const report = (result) => this.#host.requested?.(method, result, performance.now() - started);
    const body = JSON.stringify({ jsonrpc: '1.0', id: 1, method, params });
    /** @type {any} */
    const answer = await client.post(body, this.#host.signal).catch((error) => {
      // Bitcoin Core sends errors with other HTTP statuses.
      if (error instanceof StatusError && error.content.startsWith('{')) return JSON.parse(error.content);
      report('unavailable');
      throw error;
    });
    if (typeof answer !== 'object' || answer === null || !('result' in answer)) {
      report('unavailable');
      throw new NodeError('unavailable', `The response of node ${nodeId} to ${method} is not JSON-RPC.`);
    }
    if (answer.error === null || answer.error === undefined) {
      report('ok');
      return answer.result;
    }
    report('refused');
    throw new CallError(Number(answer.error.code), String(answer.error.message));
  }
}

/**
 * Returns a function for `catch` that turns errors with these codes into null.
 * @param {(number | 'unknown method')[]} codes
 */
export function noneIf(...codes) {
  return (/** @type {unknown} */ error) => {
    if (error instanceof CallError) {
      if (codes.includes(error.code)) return null;
      if (codes.includes('unknown method') && error.isUnknownMethod) return null;
    }
    throw error;
  };
}
