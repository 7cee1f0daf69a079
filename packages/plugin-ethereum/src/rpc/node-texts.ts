import QuickLRU from 'quick-lru';
import { batchTexts } from './batch-texts.ts';
import { feeTexts } from './fee-texts.ts';

/** The meaning of a node's error. */
export type NodeMessageKind =
  /** The node already has the transaction. */
  | 'known'
  | 'nonce-too-low'
  /** The nonce is too high: earlier transactions are missing, or it is too far ahead. */
  | 'nonce-too-high'
  /** The gas price or tip is below the node's minimum. */
  | 'underpriced'
  /** Another transaction with the same nonce offers more. */
  | 'outbid'
  | 'insufficient-funds'
  /** The gas limit is below the intrinsic gas, or below EIP-7623's floor for the calldata. */
  | 'gas-too-low'
  /** The transaction needs more gas than a block or a transaction may use. */
  | 'gas-too-high'
  /** The transaction or its creation code is too long. */
  | 'too-large'
  /** This node never accepts a transaction with this format, sender or signature. */
  | 'not-allowed'
  | 'reverted'
  | 'out-of-gas'
  | 'behind'
  /** This height has no block and never will. */
  | 'no-block'
  /** A smaller block range may be answered. */
  | 'range-too-wide'
  | 'busy'
  /** A request with fewer calls may be answered. */
  | 'batch-refused'
  | 'unknown-method'
  /** An unknown message, which is shown unchanged. */
  | 'other';

/** One message of a node. */
export interface NodeText {
  kind: Exclude<NodeMessageKind, 'other'>;
  /** The node's message; `{}` matches any value. */
  text: string;
  /** The node software or hosting provider. */
  node: string;
  /** Public source of the message: repository and path, or URL. */
  source: string;
}

type Line = readonly [kind: NodeText['kind'], text: string];

function textsOf(node: string, source: string, lines: readonly Line[]): NodeText[] {
  return lines.map(([kind, text]) => ({ kind, text, node, source }));
}

const geth = (path: string, lines: readonly Line[]) => textsOf('geth', `ethereum/go-ethereum ${path}`, lines);
const nethermind = (path: string, lines: readonly Line[]) =>
  textsOf('nethermind', `NethermindEth/nethermind src/Nethermind/${path}`, lines);
const besuPath = 'ethereum/core/src/main/java/org/hyperledger/besu/ethereum';
const besuErrors =
  'ethereum/api/src/main/java/org/hyperledger/besu/ethereum/api/jsonrpc/internal/response/RpcErrorType.java';
const besu = (path: string, lines: readonly Line[]) => textsOf('besu', `hyperledger/besu ${path}`, lines);
const erigon = (path: string, lines: readonly Line[]) =>
  textsOf('erigon', `erigontech/erigon ${path}`, lines);
const reth = (path: string, lines: readonly Line[]) => textsOf('reth', `paradigmxyz/reth ${path}`, lines);
const anvil = (path: string, lines: readonly Line[]) => textsOf('anvil', `foundry-rs/foundry ${path}`, lines);

/**
 * Messages of nodes and their meanings. If several entries match a message, the longest one decides. Messages
 * that several programs share are listed once.
 */
export const nodeTexts: readonly NodeText[] = [
  ...geth('core/txpool/errors.go', [
    ['known', 'already known'],
    ['not-allowed', 'invalid sender'],
    ['underpriced', 'transaction underpriced'],
    ['underpriced', 'transaction gas price below minimum'],
    ['outbid', 'replacement transaction underpriced'],
    ['busy', 'account limit exceeded'],
    ['gas-too-high', 'exceeds block gas limit'],
    ['not-allowed', 'negative value'],
    ['too-large', 'oversized data'],
    ['nonce-too-high', 'future transaction tries to replace pending'],
    ['busy', 'address already reserved'],
    ['busy', 'authority already reserved'],
    ['busy', 'in-flight transaction limit reached for delegated accounts'],
  ]),
  ...geth('core/txpool/legacypool/legacypool.go', [
    ['busy', 'txpool is full'],
    ['nonce-too-high', 'gapped-nonce tx from delegated accounts'],
  ]),
  ...geth('core/txpool/validation.go', [
    ['too-large', 'oversized data: transaction size {}, limit {}'],
    ['gas-too-low', 'intrinsic gas too low: gas {}, minimum needed {}'],
    ['gas-too-low', 'insufficient gas for floor data gas cost: gas {}, minimum needed {}'],
    ['underpriced', 'transaction gas price below minimum: gas tip cap {}, minimum needed {}'],
    ['underpriced', 'transaction underpriced: gas tip cap {}, minimum needed {}'],
    ['nonce-too-low', 'nonce too low: next nonce {}, tx nonce {}'],
    ['nonce-too-high', 'nonce too high: tx nonce {}, gapped nonce {}'],
    ['insufficient-funds', 'insufficient funds for gas * price + value: balance {}, tx cost {}, overshot {}'],
    [
      'insufficient-funds',
      'insufficient funds for gas * price + value: balance {}, queued cost {}, tx cost {}, overshot {}',
    ],
    ['not-allowed', 'tx type {} not supported by this pool'],
  ]),
  ...geth('core/error.go', [
    ['nonce-too-low', 'nonce too low'],
    ['nonce-too-high', 'nonce too high'],
    ['not-allowed', 'nonce has max value'],
    ['insufficient-funds', 'insufficient funds for transfer'],
    ['too-large', 'max initcode size exceeded'],
    ['insufficient-funds', 'insufficient funds for gas * price + value'],
    ['not-allowed', 'gas uint64 overflow'],
    ['gas-too-low', 'intrinsic gas too low'],
    ['gas-too-low', 'insufficient gas for floor data gas cost'],
    ['gas-too-high', 'transaction gas limit too high'],
    ['not-allowed', 'transaction type not supported'],
    ['not-allowed', 'max priority fee per gas higher than max fee per gas'],
    ['not-allowed', 'max priority fee per gas higher than 2^256-1'],
    ['not-allowed', 'max fee per gas higher than 2^256-1'],
    ['underpriced', 'max fee per gas less than block base fee'],
    ['not-allowed', 'sender not an eoa'],
  ]),
  ...geth('core/vm/errors.go', [
    ['reverted', 'execution reverted'],
    ['out-of-gas', 'out of gas'],
    ['out-of-gas', 'contract creation code storage out of gas'],
    ['insufficient-funds', 'insufficient balance for transfer'],
    ['reverted', 'max call depth exceeded'],
    ['reverted', 'contract address collision'],
    ['reverted', 'max code size exceeded'],
    ['reverted', 'invalid jump destination'],
    ['reverted', 'write protection'],
    ['reverted', 'return data out of bounds'],
    ['reverted', 'invalid code: must not begin with 0xef'],
    ['reverted', 'stack underflow ({} <=> {})'],
    ['reverted', 'stack limit reached {} ({})'],
    ['reverted', 'invalid opcode: {}'],
  ]),
  ...geth('eth/gasestimator/gasestimator.go', [['out-of-gas', 'gas required exceeds allowance ({})']]),
  ...geth('internal/ethapi/api.go', [
    ['not-allowed', 'tx fee ({} ether) exceeds the configured cap ({} ether)'],
    ['not-allowed', 'only replay-protected (EIP-155) transactions allowed over RPC'],
  ]),
  ...geth('core/types/transaction_signing.go', [
    ['not-allowed', 'invalid chain id for signer'],
    ['not-allowed', 'invalid chain id for signer: have {} want {}'],
  ]),
  ...geth('eth/api_backend.go', [
    ['behind', 'header not found'],
    ['behind', 'header for hash not found'],
  ]),
  ...geth('trie/errors.go', [['behind', 'missing trie node {}']]),
  ...geth('rpc/errors.go', [
    ['unknown-method', 'the method {} does not exist/is not available'],
    ['busy', 'request timed out'],
  ]),

  ...nethermind('Nethermind.TxPool/TxPoolErrorMessages.cs', [
    ['gas-too-high', 'gas limit reached'],
    ['not-allowed', 'failed to recover sender'],
    ['not-allowed', 'transaction cost overflow'],
    ['not-allowed', 'transaction invalid'],
    ['nonce-too-high', 'nonce too far in future'],
    ['busy', 'pending transaction type conflict'],
    ['not-allowed', 'unsupported transaction type'],
    ['too-large', 'transaction too large'],
    ['nonce-too-high', 'delegation nonce gap'],
    ['busy', 'delegation authority has pending transaction'],
    ['behind', 'node is syncing'],
  ]),
  // Names with which Nethermind's messages start.
  ...nethermind('Nethermind.TxPool/AcceptTxResult.cs', [
    ['known', 'AlreadyKnown'],
    ['not-allowed', 'FailedToResolveSender'],
    ['underpriced', 'FeeTooLow'],
    ['underpriced', 'FeeTooLow, MaxFeePerGas too low. {}'],
    ['underpriced', 'FeeTooLowToCompete'],
    ['gas-too-high', 'GasLimitExceeded'],
    ['insufficient-funds', 'InsufficientFunds'],
    ['insufficient-funds', 'InsufficientFunds, Balance is {} less than sending value {}'],
    ['not-allowed', 'Int256Overflow'],
    ['nonce-too-high', 'NonceGap'],
    ['nonce-too-low', 'OldNonce'],
    ['nonce-too-low', 'OldNonce, Current nonce: {}, nonce of rejected tx: {}'],
    ['outbid', 'ReplacementNotAllowed'],
    ['not-allowed', 'SenderIsContract'],
    ['nonce-too-high', 'NonceTooFarInFuture'],
    ['busy', 'PendingTxsOfConflictingType'],
    ['not-allowed', 'NotSupportedTxType'],
    ['too-large', 'MaxTxSizeExceeded'],
    ['nonce-too-high', 'NotCurrentNonceForDelegation'],
    ['busy', 'DelegatorHasPendingTx'],
    ['behind', 'Syncing'],
  ]),
  ...nethermind('Nethermind.Core/Messages/TxErrorMessages.cs', [
    ['not-allowed', 'InvalidTxSignature: Signature is invalid.'],
    ['not-allowed', 'InvalidTxChainId: Expected {}, got {}.'],
    ['not-allowed', 'InvalidMaxPriorityFeePerGas: Cannot be higher than maxFeePerGas.'],
    ['not-allowed', 'InvalidTxType: Transaction type in {} is not supported.'],
    ['gas-too-high', 'TxGasLimitCapExceeded: Gas limit {} exceeded cap of {}.'],
    ['not-allowed', 'NonceTooHigh: Nonce exceeds max nonce'],
  ]),
  ...nethermind('Nethermind.JsonRpc/Modules/Eth/EthRpcModule.cs', [['reverted', 'VM execution error.']]),

  ...besu(besuErrors, [
    ['known', 'Known transaction'],
    ['behind', 'Unknown block'],
    ['behind', 'Block not found'],
    ['behind', 'World state unavailable'],
    ['behind', 'Initial sync is still in progress'],
    ['behind', 'Transaction pool not enabled. (Either txpool explicitly disabled, or node not yet in sync).'],
    ['unknown-method', 'Method not found'],
    ['unknown-method', 'Method not enabled'],
    ['busy', 'Timeout expired'],
    ['not-allowed', 'Invalid signature'],
    ['not-allowed', 'Invalid transaction type'],
    ['gas-too-low', 'Intrinsic gas exceeds gas limit'],
    ['insufficient-funds', 'Upfront cost exceeds account balance'],
    ['gas-too-high', 'Transaction gas limit exceeds block gas limit'],
    ['not-allowed', 'Sender account not authorized to send transactions'],
    ['underpriced', 'Gas price below configured minimum gas price'],
    ['underpriced', 'Gas price below current base fee'],
    ['not-allowed', 'Wrong chainId'],
    ['not-allowed', 'ChainId not supported'],
    ['not-allowed', 'ChainId is required'],
    ['not-allowed', 'Transaction fee cap exceeded'],
    ['not-allowed', 'Max priority fee per gas exceeds max fee per gas'],
    ['nonce-too-high', 'Transaction nonce is too distant from current sender nonce'],
    ['nonce-too-high', 'An invalid transaction with a lower nonce exists'],
    ['not-allowed', 'Plugin has marked the transaction as invalid'],
    ['reverted', 'Transaction processing could not be completed due to an exception'],
  ]),
  ...besu(`${besuPath}/mainnet/MainnetTransactionValidator.java`, [
    ['too-large', 'Initcode size of {} exceeds maximum size of {}'],
    ['gas-too-low', 'intrinsic gas cost {} exceeds gas limit {}'],
    ['underpriced', 'gasPrice is less than the current BaseFee'],
    ['not-allowed', 'max priority fee per gas cannot be greater than max fee per gas'],
    ['insufficient-funds', 'transaction up-front cost {} exceeds transaction sender account balance {}'],
    ['nonce-too-low', 'transaction nonce {} below sender account nonce {}'],
    ['nonce-too-high', 'transaction nonce {} does not match sender account nonce {}.'],
    ['not-allowed', 'Nonce must be less than 2^64-1'],
    ['not-allowed', 'Sender {} has deployed code and so is not authorized to send transactions'],
    ['not-allowed', 'Sender {} is not on the Account Allowlist'],
    ['not-allowed', 'transaction was meant for chain id {} and not this chain id {}'],
    ['not-allowed', 'Transaction type {} is invalid, accepted transaction types are {}'],
    ['not-allowed', 'sender could not be extracted from transaction signature'],
  ]),

  ...erigon('txnprovider/txpool/txpoolcfg/txpoolcfg.go', [
    ['underpriced', 'underpriced'],
    ['underpriced', 'fee too low'],
    ['outbid', 'replaced by transaction with higher tip'],
    ['outbid', 'could not replace existing tx'],
    ['known', 'existing txn with same hash'],
    ['busy', 'spammer'],
    ['busy', 'pending sub-pool is full'],
    ['busy', 'baseFee sub-pool is full'],
    ['busy', 'queued sub-pool is full'],
    ['not-allowed', 'GasUintOverflow'],
    ['gas-too-low', 'IntrinsicGas'],
    ['too-large', 'RLPTooLong'],
    ['insufficient-funds', 'insufficient funds'],
    ['too-large', 'initcode too large'],
    ['not-allowed', 'fork supporting this transaction type is not activated yet'],
    ['gas-too-high', 'gas limit is too high'],
  ]),

  ...reth('crates/rpc/rpc-eth-types/src/error/mod.rs', [
    ['insufficient-funds', 'insufficient funds for gas * price + value: have {} want {}'],
    ['gas-too-high', 'intrinsic gas too high'],
    ['gas-too-high', 'gas limit too high'],
    ['gas-too-high', 'exceeds max transaction gas limit'],
    ['not-allowed', 'tx fee ({} wei) exceeds the configured cap ({} wei)'],
    ['not-allowed', 'sender is not an EOA'],
    ['not-allowed', 'invalid chain ID'],
    ['not-allowed', 'invalid transaction signature'],
    ['not-allowed', 'failed to decode signed transaction'],
    ['underpriced', 'transaction priority fee below minimum required priority fee {}'],
    ['out-of-gas', 'out of gas: gas required exceeds: {}'],
    ['out-of-gas', 'out of gas: gas exhausted during memory expansion: {}'],
    ['reverted', 'out of memory: memory limit exceeded during memory expansion'],
    ['reverted', 'EVM error: {}'],
    ['behind', 'pruned history unavailable'],
    ['behind', 'block not found: {}'],
    ['behind', 'unknown block or tx index'],
    ['busy', 'execution aborted (timeout = {})'],
  ]),
  ...reth('crates/transaction-pool/src/error.rs', [
    ['known', 'already imported'],
    ['outbid', 'insufficient gas price to replace existing transaction'],
    ['underpriced', 'transaction feeCap {} below chain minimum'],
    ['busy', 'rejected due to {} being identified as a spammer'],
    ['busy', 'transaction discarded outright due to pool size constraints'],
    ['gas-too-high', "transaction's gas limit {} exceeds block's gas limit {}"],
    ['too-large', "transaction's size {} exceeds max_init_code_size {}"],
    ['too-large', 'input data too large'],
    ['insufficient-funds', 'transaction overdraws from account'],
  ]),

  ...anvil('crates/anvil/src/eth/error.rs', [
    ['known', 'transaction already imported'],
    ['gas-too-low', 'intrinsic gas too high -- CallGasCostMoreThanGasLimit'],
    ['gas-too-low', 'intrinsic gas too high -- GasFloorMoreThanGasLimit'],
    ['gas-too-high', 'intrinsic gas too high -- CallerGasLimitMoreThanBlock'],
    ['gas-too-high', 'Transaction gas limit is greater than the block gas limit, gas_limit: {}, cap: {}'],
    ['out-of-gas', 'Out of gas: gas required exceeds allowance: {}'],
    ['not-allowed', 'Incompatible EIP-155 transaction, signed for another chain'],
    ['not-allowed', 'Access lists are not supported before the Berlin hardfork'],
    ['not-allowed', 'Failed to decode transaction'],
    ['behind', 'BlockOutOfRangeError: block height is {} but requested was {}'],
    ['behind', 'Required data unavailable'],
    ['reverted', 'EVM error {}'],
    ['out-of-gas', 'EVM error OutOfGas'],
  ]),
  ...anvil('crates/anvil/src/eth/backend/mem/mod.rs', [
    ['gas-too-high', 'intrinsic gas too high -- tx.gas_limit > env.block.gas_limit'],
  ]),

  ...textsOf('infura', 'https://docs.metamask.io/services/reference/ethereum/json-rpc-methods', [
    ['busy', 'project ID request rate exceeded'],
    ['busy', 'daily request count exceeded, request rate limited'],
    ['busy', 'Too Many Requests'],
  ]),
  ...textsOf('alchemy', 'https://www.alchemy.com/docs/reference/op-mainnet-error-codes', [
    ['busy', 'Your app has exceeded its compute units per second capacity.'],
    ['busy', 'Your app has exceeded its concurrent requests capacity.'],
    ['busy', 'sequencer sender global transaction limit exceeded'],
    ['busy', 'sequencer global transaction limit exceeded'],
    ['busy', 'Monthly capacity limit exceeded.'],
  ]),
  ...textsOf('quicknode', 'foundry-rs/foundry issue 4894', [
    ['busy', '{}/second request limit reached - reduce calls per second or upgrade your account'],
  ]),
  ...textsOf('base', 'base/node issue 390', [['busy', 'over rate limit']]),

  ...feeTexts,
  ...batchTexts,
  ...textsOf('lotus', 'filecoin-project/lotus issue 12633', [
    ['no-block', 'requested epoch was a null round'],
    ['no-block', 'requested epoch was a null round ({})'],
  ]),
  ...besu(besuErrors, [['range-too-wide', 'Requested range exceeds maximum RPC range limit']]),
  ...textsOf('infura', 'https://docs.metamask.io/services/reference/ethereum/json-rpc-methods/eth_getlogs', [
    ['range-too-wide', 'query returned more than {} results'],
  ]),

  ...textsOf('any', 'ethereum/EIPs EIPS/eip-1474.md', [
    ['behind', 'Resource not found'],
    ['busy', 'Limit exceeded'],
    ['unknown-method', 'Method not supported'],
  ]),
  ...textsOf('hardhat', 'NomicFoundation/hardhat packages/hardhat-core/src/internal/hardhat-network', [
    ['reverted', 'VM Exception while processing transaction: {}'],
  ]),
  ...textsOf('openethereum', 'openethereum/openethereum crates/rpc/src/v1/helpers/errors.rs', [
    ['known', 'Transaction with the same hash was already imported.'],
    ['nonce-too-low', 'Transaction nonce is too low. Try incrementing the nonce.'],
    ['underpriced', 'Transaction gas price is too low. {}'],
    [
      'outbid',
      'Transaction gas price is too low. There is another transaction with same nonce in the queue.',
    ],
    ['insufficient-funds', 'Insufficient funds. {}'],
    ['busy', 'There are too many transactions in the queue.'],
    ['gas-too-high', 'Transaction cost exceeds current gas limit.'],
    ['gas-too-low', 'Transaction gas is too low.'],
  ]),
];

const patterns = nodeTexts.map(({ kind, text }) => ({ kind, length: text.length, pattern: patternOf(text) }));

/** Known messages that a message contains, the longest first, with their positions. */
export function textsIn(message: string): readonly FoundText[] {
  const said = message.slice(0, 1000).replace(/^[\W_]+|^error: /i, '');
  const known = recent.get(said);
  if (known !== undefined) return known;
  const found = patterns
    .flatMap(({ kind, length, pattern }) => {
      const at = said.search(pattern);
      return at < 0 ? [] : [{ kind, at, length }];
    })
    .sort((a, b) => b.length - a.length);
  recent.set(said, found);
  return found;
}

/** A known message within a message: its meaning, and its position. */
interface FoundText {
  readonly kind: NodeText['kind'];
  readonly at: number;
}

/** Caches results of recent messages: nodes repeat the same few messages, and each search tries every known text. */
const recent = new QuickLRU<string, readonly FoundText[]>({ maxSize: 100 });

/** An entry of one or two words matches only between punctuation marks, or at the start or end of a message. */
function patternOf(text: string): RegExp {
  const words = text
    .split('{}')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.{1,200}?');
  return text.split(' ').length < 3 && !text.includes('{}')
    ? new RegExp(`(?<=^|[:\\]>-] ?)${words}(?=$|[.,:;(]| -)`, 'i')
    : new RegExp(`(?<![a-z0-9])${words}(?![a-z0-9])`, 'i');
}
