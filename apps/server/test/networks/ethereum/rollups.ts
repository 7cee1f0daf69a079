// Rollups and their sequencers.
import { withMembers } from '@ledger-ops/devnet';
import type { EthereumNetwork } from '../ethereum-network.ts';
import { firstOf, otherGas, refusal, withoutPool, withSystemTransaction } from './answers.ts';

const l1Fees = { l1GasPrice: '0x3b9aca00', l1GasUsed: '0x640', l1Fee: '0x5f5e100', l1BlobBaseFee: '0x1' };
const common = {
  contractAddress: null,
  effectiveGasPrice: '0x0',
  logs: [],
  logsBloom: `0x${'00'.repeat(256)}`,
};

export const rollups: readonly EthereumNetwork[] = [
  {
    // OP stack: each block starts with a deposit (https://specs.optimism.io/protocol/deposits.html), receipts contain fees
    // of the base chain (https://docs.optimism.io/stack/transactions/fees), and the pools of sequencers are private
    // (https://docs.optimism.io/stack/mempool).
    name: 'op-stack',
    lowFee: 'refused',
    profile: () => ({
      missing: ['eth_config', 'txpool_content', 'txpool_status'],
      methods: {
        ...withoutPool,
        ...withSystemTransaction(
          '7e',
          {
            ...{ ...common, type: '0x7e', status: '0x1', gasUsed: '0xb55b', cumulativeGasUsed: '0xb55b' },
            ...{
              from: '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001',
              to: '0x4200000000000000000000000000000000000015',
            },
            ...{ transactionIndex: '0x0', depositNonce: '0x1', depositReceiptVersion: '0x1' },
          },
          l1Fees,
        ),
        eth_getTransactionReceipt: withMembers(() => l1Fees),
      },
    }),
  },
  {
    // Arbitrum has no tips. Each block starts with a transaction of type 0x6a
    // (https://docs.arbitrum.io/how-arbitrum-works/deep-dives/geth-at-the-core). Gas includes the price of data on the base
    // chain (https://docs.arbitrum.io/build-decentralized-apps/how-to-estimate-gas).
    name: 'arbitrum',
    lowFee: 'refused',
    profile() {
      const gas = otherGas(4n);
      const system = withSystemTransaction(
        '6a',
        {
          ...{
            ...common,
            type: '0x6a',
            status: '0x1',
            gasUsed: '0x0',
            cumulativeGasUsed: '0x0',
            gasUsedForL1: '0x0',
          },
          ...{
            from: '0x00000000000000000000000000000000000a4b05',
            to: '0x00000000000000000000000000000000000a4b05',
          },
        },
        { gasUsedForL1: '0x1000', l1BlockNumber: '0x1312d00' },
      );
      return {
        missing: ['eth_config', 'txpool_content', 'txpool_status'],
        methods: {
          ...withoutPool,
          ...system,
          eth_maxPriorityFeePerGas: async () => ({ result: '0x0' }),
          eth_estimateGas: gas.estimate,
          eth_sendRawTransaction: firstOf(gas.check),
          eth_getTransactionReceipt: withMembers(() => ({
            gasUsedForL1: '0x1000',
            l1BlockNumber: '0x1312d00',
          })),
        },
      };
    },
  },
  {
    // zkSync Era has its own fee model: https://docs.zksync.io/zksync-protocol/rollup/fee-model. It limits how far a nonce
    // may be ahead: `max_nonce_ahead` in core/node/api_server/src/tx_sender of matter-labs/zksync-era.
    name: 'zksync-era',
    lowFee: 'refused',
    profile() {
      const gas = otherGas(6n);
      const ahead = 10;
      return {
        missing: ['eth_config', 'txpool_content', 'txpool_status'],
        methods: {
          ...withoutPool,
          ...withSystemTransaction('ff', {
            ...{ ...common, type: '0xff', status: '0x1', gasUsed: '0x1', cumulativeGasUsed: '0x1' },
            ...{ l1BatchNumber: null, l1BatchTxIndex: null, l2ToL1Logs: [], root: `0x${'11'.repeat(32)}` },
          }),
          eth_maxPriorityFeePerGas: async () => ({ result: '0x0' }),
          eth_estimateGas: gas.estimate,
          eth_sendRawTransaction: firstOf(gas.check, async ({ from, nonce }, ask) => {
            const answer = await ask({ id: 1, method: 'eth_getTransactionCount', params: [from, 'latest'] });
            const count = 'result' in answer ? Number(answer.result) : 0;
            const range = `allowed nonce range: ${count} - ${count + ahead}, actual: ${nonce}`;
            return nonce > count + ahead ? refusal(3, `nonce too high. ${range}`, '0x') : undefined;
          }),
          eth_getTransactionReceipt: withMembers(() => ({
            l1BatchNumber: null,
            l1BatchTxIndex: null,
            l2ToL1Logs: [],
          })),
        },
      };
    },
  },
];
