// Ethereum clients: how their nodes answer on a private network.
import { batchLimit, type NodeAnswer, type ProxiedCall, withMembers } from '@ledger-ops/devnet';
import type { EthereumNetwork } from '../ethereum-network.ts';
import { quantity, refusal, refusing } from './answers.ts';

export const clients: readonly EthereumNetwork[] = [
  {
    // geth: batches of rpc/server.go, https://geth.ethereum.org/docs/interacting-with-geth/rpc/batch; while building
    // its index it returns an error instead of null: ethereum/go-ethereum#28866.
    name: 'geth',
    lowFee: 'kept',
    profile() {
      const asked = new Map<unknown, number>();
      return {
        missing: ['eth_config'],
        gates: [
          batchLimit(1_000, ([first]) => ({
            body: [{ jsonrpc: '2.0', id: first?.id, error: { code: -32_600, message: 'batch too large' } }],
          })),
        ],
        methods: {
          async eth_getTransactionReceipt(call, ask) {
            const times = (asked.get(call.params[0]) ?? 0) + 1;
            asked.set(call.params[0], times);
            return times === 1 ? refusal(-32_000, 'transaction indexing is in progress') : ask(call);
          },
        },
      };
    },
  },
  {
    // Besu with QBFT, zeroBaseFee and min-gas-price 0:
    // https://besu.hyperledger.org/private-networks/how-to/configure/free-gas; a method of a disabled API:
    // RpcErrorType.java.
    name: 'besu-free-gas',
    node: { extraArgs: ['--base-fee', '0', '--gas-price', '0', '--disable-min-priority-fee'] },
    lowFee: 'none',
    profile: () => ({
      missing: ['eth_config', 'eth_maxPriorityFeePerGas'],
      missingError: () => ({ code: -32_604, message: 'Method not enabled' }),
      methods: {
        eth_gasPrice: async () => ({ result: '0x0' }),
        eth_getBlockByNumber: withMembers(() => ({ baseFeePerGas: '0x0', difficulty: '0x1' })),
      },
    }),
  },
  {
    // Nethermind: errors of Nethermind.JsonRpc/Modules/Eth/EthRpcModule.cs and Nethermind.TxPool/AcceptTxResult.cs;
    // batches: NethermindEth/nethermind#5122.
    name: 'nethermind',
    lowFee: 'kept',
    profile: () => ({
      missing: ['eth_config'],
      gates: [
        batchLimit(10, () => ({
          body: { jsonrpc: '2.0', id: null, error: { code: -32_005, message: 'Batch size limit exceeded' } },
        })),
      ],
      methods: {
        eth_call: asNethermind,
        eth_estimateGas: asNethermind,
        eth_sendRawTransaction: refusing(async ({ from, nonce }, ask) => {
          const answer = await ask({ id: 1, method: 'eth_getTransactionCount', params: [from, 'latest'] });
          const count = 'result' in answer ? Number(answer.result) : 0;
          if (nonce >= count) return undefined;
          return refusal(-32_010, `OldNonce, Current nonce: ${count}, nonce of rejected tx: ${nonce}`);
        }),
      },
    }),
  },
  {
    // Erigon: `--rpc.batch.limit`, erigontech/erigon rpc/handler.go and erigontech/erigon#18074; Erigon 2 before 2.49
    // lacks eth_getBlockReceipts.
    name: 'erigon',
    lowFee: 'kept',
    profile: () => ({
      missing: ['eth_config', 'eth_getBlockReceipts'],
      gates: [
        batchLimit(20, (calls) => ({
          body: {
            jsonrpc: '2.0',
            id: calls[0]?.id,
            error: {
              code: -32_600,
              message: `batch limit 20 exceeded (can increase by --rpc.batch.limit). Requested batch of size: ${calls.length}`,
            },
          },
        })),
      ],
    }),
  },
  {
    // reth, pruned: `--full` keeps the state of the last blocks, https://reth.rs/run/faq/pruning; its server is jsonrpsee.
    name: 'reth',
    lowFee: 'kept',
    profile: () => ({
      gates: [
        batchLimit(30, () => ({
          body: {
            jsonrpc: '2.0',
            id: null,
            error: { code: -32_010, message: 'The batch request was too large' },
          },
        })),
      ],
      methods: {
        eth_getTransactionCount: (call, ask) =>
          call.params[1] === 'latest' || call.params[1] === 'pending'
            ? ask(call)
            : Promise.resolve(refusal(4_444, 'pruned history unavailable')),
        eth_maxPriorityFeePerGas: async () => ({ result: quantity(1_000_000_000) }),
      },
    }),
  },
];

/** A revert has its own code and data. */
async function asNethermind(
  call: ProxiedCall,
  ask: (call: ProxiedCall) => Promise<NodeAnswer>,
): Promise<NodeAnswer> {
  const answer = await ask(call);
  if (!('error' in answer)) return answer;
  const { data }: { data?: unknown } = answer.error;
  return typeof data === 'string' ? refusal(-32_015, 'VM execution error.', `Reverted ${data}`) : answer;
}
