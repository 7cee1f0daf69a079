import type { Misbehaviour, NodeAnswer, ProxiedCall } from '@ledger-ops/devnet';
import { Transaction } from 'ethers';

type Ask = (call: ProxiedCall) => Promise<NodeAnswer>;
type Answering = Misbehaviour[string];

export const quantity = (value: bigint | number) => `0x${value.toString(16)}`;
export const refusal = (code: number, message: string, data?: unknown): NodeAnswer => ({
  error: { code, message, ...(data === undefined ? {} : { data }) },
});

/** Returns a quantity from the development node. */
export async function askNumber(ask: Ask, method: string, params: unknown[] = []): Promise<bigint> {
  const answer = await ask({ id: 1, method, params });
  if (!('result' in answer)) throw new TypeError(`The development node gave no ${method}.`);
  return BigInt(String(answer.result));
}

/** Refuses transactions by their contents; the node decides about the others. */
export function refusing(
  decide: (transaction: Transaction, ask: Ask) => Promise<NodeAnswer | undefined> | NodeAnswer | undefined,
): Answering {
  return async (call, ask) =>
    (await decide(Transaction.from(String(call.params[0])), ask)) ?? (await ask(call));
}

/** Returns the first answer that is not undefined. If all are undefined, the node itself answers. */
export function firstOf(
  ...decide: ((
    transaction: Transaction,
    ask: Ask,
  ) => Promise<NodeAnswer | undefined> | NodeAnswer | undefined)[]
): Answering {
  return refusing(async (transaction, ask) => {
    for (const one of decide) {
      const answer = await one(transaction, ask);
      if (answer !== undefined) return answer;
    }
    return undefined;
  });
}

/** Counts gas differently from Ethereum: estimates are several times as high, also for plain transfers. */
export function otherGas(factor: bigint): {
  estimate: Answering;
  check: (one: Transaction) => NodeAnswer | undefined;
} {
  const least = 21_000n * factor;
  return {
    async estimate(call, ask) {
      const answer = await ask(call);
      return 'result' in answer ? { result: quantity(BigInt(String(answer.result)) * factor) } : answer;
    },
    check: ({ gasLimit }) =>
      gasLimit < least
        ? refusal(-32_000, `intrinsic gas too low: gas ${gasLimit}, minimum needed ${least}`)
        : undefined,
  };
}

/** A sequencer or relay returns only transactions in blocks. */
export const withoutPool = {
  async eth_getTransactionByHash(call: ProxiedCall, ask: Ask): Promise<NodeAnswer> {
    const answer = await ask(call);
    if (!('result' in answer)) return answer;
    const isMined = Object(answer.result).blockNumber != null;
    return isMined ? answer : { result: null };
  },
  eth_getTransactionCount: (call: ProxiedCall, ask: Ask): Promise<NodeAnswer> =>
    ask(call.params[1] === 'pending' ? { ...call, params: [call.params[0], 'latest'] } : call),
};

/** A node that finds blocks only by number, not by `{ blockHash }` (EIP-1898). */
export const byNumberOnly: Misbehaviour = {
  eth_getTransactionCount: (call, ask) =>
    typeof call.params[1] === 'string'
      ? ask(call)
      : Promise.resolve(refusal(-32_602, 'invalid argument 1: json: cannot unmarshal object into Go value')),
};

/** Prepends a network-specific transaction to each block. */
export function withSystemTransaction(
  prefix: string,
  receipt: Readonly<Record<string, unknown>>,
  ofOthers: Readonly<Record<string, unknown>> = {},
) {
  const idOf = (blockHash: unknown) => `0x${prefix}${String(blockHash).slice(2 + prefix.length)}`;
  return {
    async eth_getBlockByNumber(call: ProxiedCall, ask: Ask): Promise<NodeAnswer> {
      const answer = await ask(call);
      if (!('result' in answer) || answer.result === null) return answer;
      const { transactions, ...block } = Object(answer.result);
      const id = idOf(block.hash);
      const own = call.params[1] === true ? { hash: id, type: receipt.type, nonce: '0x0' } : id;
      return { result: { ...block, transactions: [own, ...transactions] } };
    },
    async eth_getBlockReceipts(call: ProxiedCall, ask: Ask): Promise<NodeAnswer> {
      const answer = await ask(call);
      if (!('result' in answer) || !Array.isArray(answer.result)) return answer;
      const [first] = answer.result;
      if (first === undefined) return answer;
      const { blockHash, blockNumber } = first;
      const own = { blockHash, blockNumber, transactionHash: idOf(blockHash), ...receipt };
      return { result: [own, ...answer.result.map((one) => ({ ...one, ...ofOthers }))] };
    },
  };
}
