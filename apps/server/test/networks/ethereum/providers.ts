// Node providers, which limit requests to a node, or have several nodes behind one address.
import { batchLimit, type Misbehaviour, type ProxiedCall, rateLimit } from '@ledger-ops/devnet';
import type { EthereumNetwork } from '../ethereum-network.ts';
import { askNumber, quantity, refusal } from './answers.ts';

const limit = { calls: 60, windowMs: 1_000 };

export const providers: readonly EthereumNetwork[] = [
  {
    // HTTP 429 with Retry-After: https://docs.metamask.io/services/how-to/avoid-rate-limiting/, hyperledger/firefly-evmconnect#135.
    name: 'provider-429',
    lowFee: 'kept',
    profile: () => ({
      gates: [
        rateLimit(limit, () => ({ status: 429, headers: { 'retry-after': '1' }, body: 'Too Many Requests' })),
      ],
    }),
  },
  {
    // A rate limit inside of HTTP 200, with the time to wait: https://docs.metamask.io/services/how-to/avoid-rate-limiting/.
    name: 'provider-rate-in-body',
    lowFee: 'kept',
    profile: () => ({
      gates: [
        rateLimit(limit, (calls) => ({
          body: calls.map(({ id }) => ({
            jsonrpc: '2.0',
            id,
            error: {
              code: -32_005,
              message: 'project ID request rate exceeded',
              data: { rate: { allowed_rps: 1, backoff_seconds: 1, current_rps: 2 } },
            },
          })),
        })),
      ],
    }),
  },
  {
    // The plan limits batches, with HTTP 500 and JSON that is not JSON-RPC: https://drpc.org/docs/howitworks/ratelimiting.
    name: 'provider-small-batches',
    lowFee: 'kept',
    profile: () => ({
      gates: [
        batchLimit(3, () => ({
          status: 500,
          body: { message: 'Batch of more than 3 requests are not allowed on free tier', code: 31 },
        })),
      ],
    }),
  },
  {
    // No batches at all: 0xPolygon/cdk-validium-node#50.
    name: 'provider-no-batches',
    lowFee: 'kept',
    profile: () => ({ gates: [batchLimit(0, () => ({ status: 400, body: 'batch requests are disabled' }))] }),
  },
  {
    // One request reads logs of at most ten blocks: https://www.alchemy.com/docs/reference/eth-getlogs.
    name: 'provider-log-ranges',
    lowFee: 'kept',
    profile: () => ({
      methods: {
        async eth_getLogs(call, ask) {
          const { fromBlock, toBlock } = Object(call.params[0]);
          if (Number(toBlock) - Number(fromBlock) < 10) return ask(call);
          return refusal(-32_600, 'You can make eth_getLogs requests with up to a 10 block range.');
        },
      },
    }),
  },
  {
    // Nodes at different heights behind one address: ethereum/go-ethereum#20125, https://docs.infura.io/ and
    // https://www.alchemy.com/blog/data-accuracy.
    name: 'provider-many-nodes',
    lowFee: 'kept',
    profile: () => {
      let requests = 0;
      /** For each request, the number of newest blocks that its node does not have yet. */
      const late = new WeakMap<ProxiedCall, number>();
      return {
        gates: [
          ({ calls }) => {
            requests += 1;
            for (const call of calls) late.set(call, requests % 3);
            return undefined;
          },
        ],
        methods: lateNodes((call) => late.get(call) ?? 0),
      };
    },
  },
];

/** Nodes that do not have the newest blocks yet. */
function lateNodes(blocksOf: (call: ProxiedCall) => number): Misbehaviour {
  const headOf = async (call: ProxiedCall, ask: Parameters<typeof askNumber>[0]) =>
    Math.max(0, Number(await askNumber(ask, 'eth_blockNumber')) - blocksOf(call));
  const atBlock =
    (place: number): Misbehaviour[string] =>
    async (call, ask) => {
      const head = await headOf(call, ask);
      const given = call.params[place];
      if (given === 'latest') return ask({ ...call, params: call.params.with(place, quantity(head)) });
      return Number(given) > head ? { result: null } : ask(call);
    };
  const mined: Misbehaviour[string] = async (call, ask) => {
    const answer = await ask(call);
    if (!('result' in answer) || answer.result === null) return answer;
    const { blockNumber } = Object(answer.result);
    return blockNumber != null && Number(blockNumber) > (await headOf(call, ask)) ? { result: null } : answer;
  };
  return {
    eth_blockNumber: async (call, ask) => ({ result: quantity(await headOf(call, ask)) }),
    eth_getBlockByNumber: atBlock(0),
    eth_getBlockReceipts: atBlock(0),
    eth_getTransactionCount: async (call, ask) =>
      call.params[1] === 'latest' ? atBlock(1)(call, ask) : ask(call),
    eth_getTransactionReceipt: mined,
    eth_getTransactionByHash: mined,
  };
}
