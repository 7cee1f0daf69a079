// Solana nodes and provider front ends, from Agave's RPC documentation (https://solana.com/docs/rpc), its error codes
// (rpc-client-api/src/custom_error.rs) and the public reports named below.
import type { Misbehaviour, NodeAnswer, ProxiedCall } from '@ledger-ops/devnet';
import { rateLimit, withResult } from '@ledger-ops/devnet';
import type { SolanaNetwork } from '../solana-network.ts';

type Ask = (call: ProxiedCall) => Promise<NodeAnswer>;

const refuses = (code: number, message: string): Misbehaviour[string] => {
  return async () => ({ error: { code, message } });
};

/** A node that is behind: it returns an older head, and does not know transactions in later blocks. */
function behind(milliseconds: number): Misbehaviour {
  const heads: { at: number; commitment: unknown; answer: NodeAnswer }[] = [];
  let slot = Number.POSITIVE_INFINITY;
  return {
    async getLatestBlockhash(call, ask) {
      const commitment = Object(call.params[0]).commitment;
      heads.push({ at: Date.now(), commitment, answer: await ask(call) });
      const same = heads.filter((head) => head.commitment === commitment);
      const old = same.findLast(({ at }) => at <= Date.now() - milliseconds) ?? same[0];
      for (const head of same)
        if (old !== undefined && head.at < old.at) heads.splice(heads.indexOf(head), 1);
      const answer = old?.answer ?? (await ask(call));
      if (commitment !== 'finalized') slot = Number(Object(Object(answer).result).context?.slot ?? slot);
      return answer;
    },
    getSignatureStatuses: withResult((result) => {
      const { value } = Object(result);
      const known = Array.isArray(value) ? value : [];
      const visible = known.map((one) => (one !== null && Number(Object(one).slot) > slot ? null : one));
      return { context: { slot: Math.min(slot, Number(Object(result).context?.slot)) }, value: visible };
    }),
  };
}

/** Two machines behind one address: `methods` answers every second call. */
function alternating(methods: Misbehaviour): Misbehaviour {
  let calls = 0;
  const wrapped = Object.entries(methods).map(([method, answer]) => [
    method,
    (call: ProxiedCall, ask: Ask) => {
      calls += 1;
      return calls % 2 === 0 ? answer(call, ask) : ask(call);
    },
  ]);
  return Object.fromEntries(wrapped);
}

/** The first requests for a block fail, as in solana#20370. */
function lateBlocks(times: number, code: number): Misbehaviour {
  const requestsBySlot = new Map<unknown, number>();
  return {
    getBlock(call, ask) {
      const [slot] = call.params;
      const before = requestsBySlot.get(slot) ?? 0;
      requestsBySlot.set(slot, before + 1);
      const message = `Block not available for slot ${slot}`;
      return before < times ? Promise.resolve({ error: { code, message } }) : ask(call);
    },
  };
}

/** A node that has only the newest slots. */
const pruned = (slots: number): Misbehaviour => ({
  async getFirstAvailableBlock(call, ask) {
    const newest = await ask({ ...call, method: 'getSlot', params: [] });
    if (!('result' in newest)) return newest;
    const from = Number(newest.result) - slots;
    const listed = await ask({ ...call, method: 'getBlocks', params: [from, Number(newest.result)] });
    return 'result' in listed && Array.isArray(listed.result) ? { result: listed.result[0] ?? from } : listed;
  },
});

/** A ledger on which some slots have no block. */
function skipping(): Misbehaviour {
  let calls = 0;
  return {
    async getLatestBlockhash(call, ask) {
      calls += 1;
      if (calls % 4 === 0) await ask({ ...call, method: 'devnet_skipSlots', params: [3] });
      return ask(call);
    },
  };
}

const tooMany = () => ({
  status: 429,
  headers: { 'retry-after': '1' },
  body: {
    jsonrpc: '2.0',
    error: { code: 429, message: 'Too many requests for a specific RPC call' },
    id: null,
  },
});

export const solanaNodes: readonly SolanaNetwork[] = [
  { name: 'agave', nodes: () => [{}] },
  {
    // Front ends that allow only the methods on a list: keeper-bots-v2#147.
    name: 'missing-methods',
    nodes: () => [
      {
        missing: ['getRecentPrioritizationFees', 'getFirstAvailableBlock'],
        missingError: () => ({ code: -32_601, message: 'Method not found' }),
      },
    ],
  },
  {
    // The first requests for a block get the error -32004, as in solana#20370. Providers also return this error for skipped
    // slots: across-protocol/sdk#1450.
    name: 'late-blocks',
    nodes: () => [{ methods: lateBlocks(2, -32_004) }],
  },
  {
    name: 'skipped-slots',
    nodes: () => [{ methods: skipping() }],
  },
  {
    name: 'pruned',
    nodes: () => [{ methods: pruned(600) }],
  },
  {
    name: 'one-of-two-behind',
    nodes: () => [{ methods: behind(1_500) }, {}],
  },
  {
    name: 'machines-at-different-heights',
    nodes: () => [{ methods: alternating(behind(1_000)) }],
  },
  {
    // api.mainnet.solana.com: 100 requests in 10 s per address, 40 per method, HTTP 429 with Retry-After.
    name: 'rate-limited',
    nodes: () => [{ gates: [rateLimit({ calls: 60, windowMs: 1_000 }, tooMany)] }],
  },
  {
    // An Agave node without --enable-rpc-transaction-history, next to a node that has it.
    name: 'one-of-two-without-history',
    nodes: () => [
      {
        methods: Object.fromEntries(
          ['getTransaction', 'getBlock', 'getBlocks', 'getSignatureStatuses', 'getSignaturesForAddress'].map(
            (method) => [method, refuses(-32_011, 'Transaction history is not available from this node')],
          ),
        ),
      },
      {},
    ],
  },
];
