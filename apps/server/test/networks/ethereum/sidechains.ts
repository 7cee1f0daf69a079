// Chains with Ethereum's transactions and their own validators.
import { withMembers, withResult } from '@ledger-ops/devnet';
import type { EthereumNetwork } from '../ethereum-network.ts';
import { askNumber, byNumberOnly, quantity, refusal, refusing, withSystemTransaction } from './answers.ts';

const gwei = 10n ** 9n;

export const sidechains: readonly EthereumNetwork[] = [
  {
    // Polygon PoS: pools require a tip of 25 gwei, which nodes do not suggest (hyperlane-xyz/hyperlane-monorepo#1933). The
    // receipts of a block include those of state syncs (https://docs.polygon.technology/pos/architecture/bor/state-sync/).
    name: 'polygon',
    lowFee: 'kept',
    profile: () => ({
      missing: ['eth_config'],
      methods: {
        eth_maxPriorityFeePerGas: async () => ({ result: quantity((3n * gwei) / 2n) }),
        eth_sendRawTransaction: refusing(({ maxPriorityFeePerGas, gasPrice }) => {
          const tip = maxPriorityFeePerGas ?? gasPrice ?? 0n;
          const text = `transaction underpriced: gas tip cap ${tip}, minimum needed ${25n * gwei}`;
          return tip < 25n * gwei ? refusal(-32_000, text) : undefined;
        }),
        eth_getBlockReceipts: withSystemTransaction('00', {
          ...{
            type: '0x0',
            status: '0x1',
            gasUsed: '0x0',
            cumulativeGasUsed: '0x0',
            effectiveGasPrice: '0x0',
          },
          ...{ from: `0x${'00'.repeat(20)}`, to: `0x${'00'.repeat(20)}`, contractAddress: null, logs: [] },
        }).eth_getBlockReceipts,
      },
    }),
  },
  {
    // BNB Smart Chain: the base fee is 0, but validators require a tip (bnb-chain/bsc#2387). Blocks have the
    // `milliTimestamp` of BEP-520.
    name: 'bsc',
    lowFee: 'kept',
    profile: () => ({
      missing: ['eth_config'],
      methods: {
        eth_getBlockByNumber: withMembers(({ timestamp }) => ({
          baseFeePerGas: '0x0',
          milliTimestamp: quantity(BigInt(String(timestamp)) * 1_000n),
        })),
        eth_maxPriorityFeePerGas: async (call, ask) => ask({ ...call, method: 'eth_gasPrice' }),
        eth_sendRawTransaction: refusing(async ({ maxPriorityFeePerGas, gasPrice }, ask) => {
          const tip = maxPriorityFeePerGas ?? gasPrice ?? 0n;
          const needed = (await askNumber(ask, 'eth_gasPrice')) / 2n;
          const text = `transaction underpriced: tip needed ${needed}, tip permitted ${tip}`;
          return tip < needed ? refusal(-32_000, text) : undefined;
        }),
      },
    }),
  },
  {
    // Avalanche C-Chain: for blocks that are not accepted yet, nodes return an error instead of null. See
    // https://build.avax.network/docs/rpcs/c-chain#eth-apis, and `allow-unfinalized-queries` and `api-max-duration` of
    // ava-labs/coreth.
    name: 'avalanche',
    lowFee: 'kept',
    profile: () => ({
      missing: ['eth_config'],
      methods: {
        async eth_getBlockByNumber(call, ask) {
          const answer = await ask(call);
          if ('error' in answer || answer.result === null)
            return refusal(-32_000, 'cannot query unfinalized data');
          const extra = {
            blockExtraData: '0x',
            blockGasCost: '0x0',
            extDataGasUsed: '0x0',
            extDataHash: `0x${'56'.repeat(32)}`,
          };
          return { result: { ...Object(answer.result), ...extra } };
        },
      },
    }),
  },
  {
    // Gnosis: the messages are those of Nethermind, old blocks have members of AuRa
    // (https://docs.gnosischain.com/about/specs/gbc/), and the base fee is a few wei.
    name: 'gnosis',
    lowFee: 'kept',
    profile: () => ({
      missing: ['eth_config'],
      methods: {
        eth_getBlockByNumber: withMembers(({ miner }) => ({
          author: miner,
          sealFields: [],
          step: '0x1',
          nonce: undefined,
        })),
        eth_maxPriorityFeePerGas: async () => ({ result: '0x1' }),
      },
    }),
  },
  {
    // Celo: an OP-stack rollup. Its blocks before the Gingerbread fork have no gas limit (core/types/celo_block.go of
    // celo-org/op-geth), and transactions of type 0x7b pay in tokens (https://docs.celo.org/developer/fee-currency).
    name: 'celo',
    lowFee: 'refused',
    profile: () => ({
      missing: ['eth_config', 'txpool_content'],
      methods: {
        eth_getBlockByNumber: withResult((block) => {
          const { gasLimit, nonce, mixHash, uncles, sha3Uncles, baseFeePerGas, ...old } = Object(block);
          return Number(old.number) <= 1 ? old : block;
        }),
        eth_getBlockReceipts: withSystemTransaction('7b', {
          ...{ type: '0x7b', status: '0x1', gasUsed: '0x5208', effectiveGasPrice: '0x1', baseFee: '0x1' },
          ...{ from: `0x${'01'.repeat(20)}`, to: null, contractAddress: null, logs: [] },
        }).eth_getBlockReceipts,
      },
    }),
  },
  {
    // Harmony has only legacy fees. The receipts of staking transactions have no status (harmony-one/harmony#3291), and
    // some values are numbers instead of hex.
    name: 'harmony',
    lowFee: 'kept',
    profile: () => ({
      missing: [
        'eth_config',
        'eth_maxPriorityFeePerGas',
        'eth_feeHistory',
        'eth_getBlockReceipts',
        'eth_syncing',
      ],
      methods: {
        ...byNumberOnly,
        eth_getBlockByNumber: withMembers(() => ({
          ...{ baseFeePerGas: undefined, withdrawalsRoot: undefined, requestsHash: undefined },
          ...{ nonce: 0, epoch: '0x1', viewID: '0x1', stakingTransactions: [`0x${'5a'.repeat(32)}`] },
        })),
        eth_getTransactionReceipt: withMembers(({ type, effectiveGasPrice, ...members }) => ({
          ...{ type: undefined, effectiveGasPrice: undefined, root: '0x' },
          contractAddress: members.contractAddress ?? `0x${'00'.repeat(20)}`,
        })),
        eth_sendRawTransaction: refusing(({ type }) =>
          type === 0 ? undefined : refusal(-32_000, 'transaction type not supported'),
        ),
      },
    }),
  },
  {
    // Moonbeam (Frontier), https://docs.moonbeam.network/builders/ethereum/json-rpc/eth-rpc/: the state of old blocks is
    // pruned. The messages are from core/chains/evm/client/errors.go of smartcontractkit/chainlink.
    name: 'moonbeam',
    lowFee: 'refused',
    profile: () => ({
      missing: ['eth_config', 'eth_getBlockReceipts'],
      methods: {
        eth_maxPriorityFeePerGas: async () => ({ result: '0x0' }),
        eth_getBlockByNumber: withMembers(({ miner }) => ({
          author: miner,
          withdrawalsRoot: undefined,
          requestsHash: undefined,
        })),
        eth_getTransactionCount: async (call, ask) =>
          typeof call.params[1] === 'string' && !call.params[1].startsWith('0x')
            ? ask(call)
            : refusal(-32_603, 'State already discarded for block'),
        async eth_sendRawTransaction(call, ask) {
          const answer = await ask(call);
          return 'error' in answer && answer.error.message.includes('base fee')
            ? refusal(-32_603, 'gas price less than block base fee')
            : answer;
        },
      },
    }),
  },
];
