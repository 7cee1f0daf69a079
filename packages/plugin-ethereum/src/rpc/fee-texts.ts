const chainlink = 'smartcontractkit/chainlink core/chains/evm/client/errors.go';

const lines: readonly (readonly [node: string, source: string, text: string])[] = [
  ['bsc', 'bnb-chain/bsc issue 2387', 'transaction underpriced: tip needed {}, tip permitted {}'],
  [
    'hedera',
    'hiero-ledger/hiero-json-rpc-relay packages/relay/src/lib/errors/JsonRpcError.ts',
    "Gas price '{}' is below configured minimum gas price '{}'",
  ],
  ['celo', 'celo-org/celo-blockchain core/error.go', 'gasprice is less than gas price minimum'],
  ['frontier', chainlink, 'gas price less than block base fee'],
  ['arbitrum', chainlink, 'gas price too low'],
  ['metis', chainlink, 'cannot accept 0 gas price transaction'],
  ['zksync', chainlink, 'unacceptable gas price'],
  ['optimism', 'wevm/viem src/errors/node.ts', 'fee cap less than block base fee'],
  ['cosmos', 'cosmos/cosmos-sdk x/auth/ante/validator_tx_fee.go', 'insufficient fees; got: {} required: {}'],
  ['ethermint', 'evmos/ethermint issue 910', 'insufficient fee'],
];

/** Messages with which rollups, sidechains and relays refuse a transaction that offers too little. */
export const feeTexts = lines.map(([node, source, text]) => ({
  ...{ node, source, text },
  kind: 'underpriced' as const,
}));
