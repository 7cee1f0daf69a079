// Ledgers with their own protocol, whose nodes or relays answer like those of Ethereum.
import { batchLimit, withMembers } from '@ledger-ops/devnet';
import type { EthereumNetwork } from '../ethereum-network.ts';
import { askNumber, byNumberOnly, firstOf, otherGas, quantity, refusal, withoutPool } from './answers.ts';
import { withNullRounds } from './null-rounds.ts';

const tinybar = 10n ** 10n;

export const relays: readonly EthereumNetwork[] = [
  {
    // Filecoin EVM (Lotus) returns an error for epochs without a block: filecoin-project/lotus#12633 and #13694,
    // https://docs.filecoin.io/smart-contracts/developing-contracts/ethereum-libraries. Gas is counted as Filecoin does.
    name: 'filecoin-evm',
    lowFee: 'kept',
    profile() {
      const gas = otherGas(5n);
      return {
        missing: ['eth_config', 'txpool_content'],
        missingError: (method) => ({ code: -32_601, message: `method '${method}' not found` }),
        methods: withNullRounds({
          eth_estimateGas: gas.estimate,
          eth_sendRawTransaction: firstOf(gas.check),
        }),
      };
    },
  },
  {
    // Hedera's relay has no batches (hiero-ledger/hiero-json-rpc-relay#1802) and no pool, so it accepts only the next
    // nonce. Amounts are whole tinybars, and the relay has a minimum price: packages/relay/src/lib/errors/JsonRpcError.ts,
    // https://docs.hedera.com/hedera/core-concepts/smart-contracts/json-rpc-relay.
    name: 'hedera',
    properties: { fee_mode: 'legacy', max_transaction_gas: 15_000_000 },
    amountUnit: tinybar,
    lowFee: 'refused',
    profile: () => ({
      missing: ['eth_config', 'txpool_content', 'txpool_status'],
      missingError: () => ({ code: -32_601, message: 'Unsupported JSON-RPC method' }),
      gates: [
        batchLimit(0, () => ({
          status: 400,
          body: {
            jsonrpc: '2.0',
            id: null,
            error: { code: -32_202, message: 'Batch requests are disabled' },
          },
        })),
      ],
      methods: {
        eth_getTransactionByHash: withoutPool.eth_getTransactionByHash,
        ...byNumberOnly,
        eth_maxPriorityFeePerGas: async () => ({ result: '0x0' }),
        eth_getBlockByNumber: withMembers(() => ({
          baseFeePerGas: '0x0',
          withdrawalsRoot: `0x${'00'.repeat(32)}`,
        })),
        eth_sendRawTransaction: firstOf(
          ({ value }) =>
            value % tinybar === 0n
              ? undefined
              : refusal(
                  -32_602,
                  "Value can't be non-zero and less than 10_000_000_000 wei which is 1 tinybar",
                ),
          async ({ from, nonce }, ask) => {
            const count = Number(await askNumber(ask, 'eth_getTransactionCount', [from, 'latest']));
            const nonces = `Provided nonce: ${nonce}, current nonce: ${count}`;
            if (nonce > count) return refusal(-32_002, `Nonce too high. ${nonces}`);
            return nonce < count ? refusal(-32_001, `Nonce too low. ${nonces}`) : undefined;
          },
          async ({ gasPrice, maxFeePerGas }, ask) => {
            const { baseFeePerGas } = await latest(ask);
            const [offered, least] = [gasPrice ?? maxFeePerGas ?? 0n, BigInt(String(baseFeePerGas))];
            const text = `Gas price '${offered}' is below configured minimum gas price '${least}'`;
            return offered < least ? refusal(-32_009, text) : undefined;
          },
        ),
      },
    }),
  },
];

async function latest(ask: Parameters<typeof askNumber>[0]): Promise<{ baseFeePerGas?: unknown }> {
  const answer = await ask({ id: 1, method: 'eth_getBlockByNumber', params: ['latest', false] });
  return 'result' in answer ? Object(answer.result) : { baseFeePerGas: quantity(0) };
}
