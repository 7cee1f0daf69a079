import type { Fault, ProxiedCall } from './rpc-proxy.ts';

/** To one call. */
export type NodeAnswer = { result: unknown } | { error: { code: number; message: string } };

/** How a node answers one method: `ask` has the real one answer. */
export type Misbehaviour = Readonly<
  Record<string, (call: ProxiedCall, ask: (call: ProxiedCall) => Promise<NodeAnswer>) => Promise<NodeAnswer>>
>;

/** A fault that answers some methods in its own way, each call of a batch by itself, and has the node answer the others. */
export function misbehaving(how: Misbehaviour): Fault {
  return async (calls, forward) => {
    if (!calls.some(({ method }) => method in how)) return undefined;
    const ask = async (call: ProxiedCall): Promise<NodeAnswer> => {
      const [answer] = JSON.parse(await forward([call]));
      return answer;
    };
    const honest = calls.filter(({ method }) => !(method in how));
    const answers: { id: number }[] = honest.length === 0 ? [] : JSON.parse(await forward(honest));
    // One after the other: transactions of one account come in their order.
    for (const call of calls) {
      const answer = how[call.method];
      if (answer !== undefined) answers.push({ ...(await answer(call, ask)), id: call.id });
    }
    return JSON.stringify(calls.length === 1 ? answers[0] : answers);
  };
}

const refusal = (message: string, code = -32_000) => ({ error: { code, message } });

/** Ways in which nodes were seen to go wrong; several are put together with `...`. */
export const wrongs = {
  /** Takes every transaction, and forgets it. */
  swallow: (): Misbehaviour => ({
    eth_sendRawTransaction: (call, ask) => ask({ ...call, method: 'web3_sha3' }),
  }),
  /** Refuses every transaction with these words: `already known`, `txpool is full`, … */
  refuse: (message: string, code?: number): Misbehaviour => ({
    eth_sendRawTransaction: async () => refusal(message, code),
  }),
  /** Has no receipts, as a node that still indexes. */
  noReceipts: (): Misbehaviour => ({
    eth_getTransactionReceipt: async () => ({ result: null }),
    eth_getBlockReceipts: async () => ({ result: null }),
  }),
  /** Does not know transactions by their hashes. */
  hide: (): Misbehaviour => ({ eth_getTransactionByHash: async () => ({ result: null }) }),
  /** Says another number of transactions of every account than there are. */
  count: (change: (count: number) => number): Misbehaviour => ({
    async eth_getTransactionCount(call, ask) {
      const answer = await ask(call);
      if (!('result' in answer)) return answer;
      return { result: `0x${Math.max(0, change(Number(answer.result))).toString(16)}` };
    },
  }),
  /** Has not kept the state of any block but the newest. */
  pruned: (): Misbehaviour => ({
    eth_getTransactionCount: (call, ask) =>
      call.params[1] === 'latest' ? ask(call) : Promise.resolve(refusal('missing trie node')),
  }),
};
