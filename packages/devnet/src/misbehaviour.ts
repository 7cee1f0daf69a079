import type { Fault, ProxiedCall } from './rpc-proxy.ts';

/** A node's response to one call. */
export type NodeAnswer = { result: unknown } | { error: { code: number; message: string; data?: unknown } };

/** Responses of a node, by method. `ask` returns the real node's response. */
export type Misbehaviour = Readonly<
  Record<string, (call: ProxiedCall, ask: (call: ProxiedCall) => Promise<NodeAnswer>) => Promise<NodeAnswer>>
>;

/** Returns a fault that answers some methods itself, also in batches. The node answers all other calls. */
export function misbehaving(how: Misbehaviour): Fault {
  return async (calls, forward, _response, _request, isBatch) => {
    if (!calls.some(({ method }) => method in how)) return undefined;
    const ask = async (call: ProxiedCall): Promise<NodeAnswer> => {
      // Calls created by a profile lack the member `jsonrpc`.
      const versioned = { jsonrpc: '2.0', ...call };
      const [answer] = JSON.parse(await forward([versioned]));
      return answer;
    };
    const honest = calls.filter(({ method }) => !(method in how));
    const answers: { id: number }[] = honest.length === 0 ? [] : JSON.parse(await forward(honest));
    // Sequentially, so that transactions of one account keep their order.
    for (const call of calls) {
      const answer = how[call.method];
      if (answer !== undefined) answers.push({ ...(await answer(call, ask)), id: call.id });
    }
    return JSON.stringify(isBatch ? answers : answers[0]);
  };
}

const refusal = (message: string, code = -32_000) => ({ error: { code, message } });

/** Faults observed in real nodes. To combine several, use the spread operator. */
export const wrongs = {
  /** Accepts every transaction and forgets it. */
  swallow: (): Misbehaviour => ({
    eth_sendRawTransaction: (call, ask) => ask({ ...call, method: 'web3_sha3' }),
  }),
  /** Refuses every transaction with this message, such as `already known` or `txpool is full`. */
  refuse: (message: string, code?: number): Misbehaviour => ({
    eth_sendRawTransaction: async () => refusal(message, code),
  }),
  /** Has no receipts, like a node that is still indexing. */
  noReceipts: (): Misbehaviour => ({
    eth_getTransactionReceipt: async () => ({ result: null }),
    eth_getBlockReceipts: async () => ({ result: null }),
  }),
  /** Finds no transaction by its hash. */
  hide: (): Misbehaviour => ({ eth_getTransactionByHash: async () => ({ result: null }) }),
  /** Changes the transaction count that the node reports for each account. */
  count: (change: (count: number) => number): Misbehaviour => ({
    async eth_getTransactionCount(call, ask) {
      const answer = await ask(call);
      if (!('result' in answer)) return answer;
      return { result: `0x${Math.max(0, change(Number(answer.result))).toString(16)}` };
    },
  }),
  /** The node keeps only the state of the newest block and refuses queries about earlier state. */
  pruned: (): Misbehaviour => ({
    eth_getTransactionCount: (call, ask) =>
      call.params[1] === 'latest' ? ask(call) : Promise.resolve(refusal('missing trie node')),
  }),
};
