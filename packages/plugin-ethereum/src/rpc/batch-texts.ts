const jsonrpsee = 'paritytech/jsonrpsee types/src/error.rs';
const hiero = 'hiero-ledger/hiero-json-rpc-relay packages/relay/src/lib/errors/JsonRpcError.ts';

const lines: readonly (readonly [node: string, source: string, text: string])[] = [
  ['geth', 'ethereum/go-ethereum rpc/errors.go', 'batch too large'],
  ['geth', 'ethereum/go-ethereum rpc/errors.go', 'response too large'],
  ['besu', 'hyperledger/besu issue 4951', 'Number of requests exceeds max batch size'],
  [
    'nethermind',
    'NethermindEth/nethermind src/Nethermind/Nethermind.JsonRpc/JsonRpcProcessor.cs',
    'Batch size limit exceeded',
  ],
  ['erigon', 'erigontech/erigon rpc/handler.go', 'batch limit {} exceeded'],
  ['jsonrpsee', jsonrpsee, 'Batched requests are not supported by this server'],
  ['jsonrpsee', jsonrpsee, 'The batch request was too large'],
  ['jsonrpsee', jsonrpsee, 'The batch response was too large'],
  ['hedera', hiero, 'Batch requests are disabled'],
  ['hedera', hiero, 'Batch request amount {} exceeds max {}'],
  ['ankr', 'ethers-io/ethers.js issue 4128', 'Too many {} methods in the batch'],
];

/** Messages with which nodes and providers refuse a request because of the number of its calls. */
export const batchTexts = lines.map(([node, source, text]) => ({
  ...{ node, source, text },
  kind: 'batch-refused' as const,
}));
