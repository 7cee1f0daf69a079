import { expect, test } from 'vitest';
import { createErrorRegistry } from '../abi/error-registry.ts';
import { classify, problemOf } from './errors.ts';
import { type NodeMessageKind, nodeTexts } from './node-texts.ts';

const said = (message: string, code = -32000, data?: unknown) => ({ message, code, data });
/** Returns a message of a node, with numbers and addresses instead of the table's `{}`. */
const spoken = (text: string) => {
  let value = 4;
  return text.replaceAll('{}', () => String(++value));
};

const lines = nodeTexts.map(({ node, text, kind, source }) => [node, text, kind, source] as const);

test.each(lines)('classifies the message of %s "%s" as %s (%s)', (_node, text, kind) => {
  expect(classify(said(spoken(text)))).toBe(kind);
  expect(classify(said(spoken(text).toUpperCase()))).toBe(kind);
});

test.each(lines)(
  'classifies the message of %s "%s" behind a gateway’s prefix as %s (%s)',
  (_node, text, kind) => {
    const hash = `0x${'5'.repeat(64)}`;
    for (const prefix of [`err: `, `INTERNAL_ERROR: `, `[${hash}]: `, `Tx: [${hash}] `]) {
      expect(classify(said(prefix + spoken(text))), prefix).toBe(kind);
    }
  },
);

test('each known node message names its public source', () => {
  for (const { source, text } of nodeTexts) {
    expect(source, text).toMatch(/^(?:https:\/\/\S+|[\w.-]+\/[\w.-]+ (?:\S+\.\w+|issue \d+|\S+\/\S+))$/);
  }
});

test('no message of a node is listed with two meanings', () => {
  const kinds = new Map<string, Set<string>>();
  for (const { text, kind } of nodeTexts) {
    const key = text.toLowerCase();
    kinds.set(key, (kinds.get(key) ?? new Set()).add(kind));
  }
  expect([...kinds].filter(([, all]) => all.size > 1)).toEqual([]);
});

test('lists messages of every supported Ethereum client and of two providers', () => {
  const nodes = new Set(nodeTexts.map(({ node }) => node));
  for (const node of ['geth', 'nethermind', 'besu', 'erigon', 'reth', 'anvil', 'infura', 'alchemy']) {
    expect(nodes, node).toContain(node);
  }
});

// Complete messages as nodes send them: wrapped, with details, or with nonstandard codes.
const messages: readonly (readonly [NodeMessageKind, ReturnType<typeof said>])[] = [
  ['known', said('AlreadyKnown', -32010)],
  ['known', said('Known transaction: 0x12')],
  ['nonce-too-low', said('Nonce too low', -32001)],
  ['nonce-too-low', said('OldNonce, Current nonce: 5, nonce of rejected tx: 3', -32010)],
  ['underpriced', said('max fee per gas less than block base fee: address 0x1, maxFeePerGas: 1, baseFee: 7')],
  ['outbid', said('INTERNAL_ERROR: could not replace existing tx')],
  [
    'outbid',
    said(
      'Transaction gas price is too low. There is another transaction with same nonce in the queue. Try increasing the gas price or incrementing the nonce.',
      -32010,
    ),
  ],
  ['underpriced', said('transaction underpriced: gas tip cap 1500000000, minimum needed 25000000000')],
  [
    'underpriced',
    said(
      "[Request ID: e4d09e44-19a4-4eb7-babe-270db4c2ebc9] Gas price '218' is below configured minimum gas price '1140000000000'",
      -32009,
    ),
  ],
  ['underpriced', said('insufficient fees; got: 100aevmos required: 200aevmos: insufficient fee')],
  ['underpriced', said('FeeTooLow, EffectivePriorityFeePerGas too low 1 < 5', -32010)],
  ['underpriced', said('underpriced')],
  ['insufficient-funds', said('InsufficientFunds, Account balance: 5, cumulative cost: 7', -32010)],
  ['insufficient-funds', said('err: insufficient funds for gas * price + value: address 0x1 have 0 want 5')],
  ['reverted', said('execution reverted: no', 3, '0x08c379a0')],
  ['reverted', said('execution reverted: nonce too high', 3)],
  ['reverted', said('nonce too high', 3, '0x08c379a0')],
  ['reverted', said('whatever', 3)],
  // matter-labs/zksync-era core/node/api_server
  ['nonce-too-high', said('nonce too high. allowed nonce range: 5 - 15, actual: 16', 3)],
  ['underpriced', said('max fee per gas less than block base fee', 3, '0x')],
  ['reverted', said('VM execution error.', -32015, 'Reverted 0x08c379a0')],
  ['reverted', said('whatever', -32015)],
  ['reverted', said('whatever', -32000, '0x08c379a0')],
  ['reverted', said('invalid opcode: INVALID')],
  ['reverted', said('Error: VM Exception while processing transaction: reverted with reason "x"')],
  // A message that the contract chose.
  ['reverted', said('execution reverted: insufficient balance of tokens')],
  ['reverted', said('execution reverted: nonce too low: next nonce 5, tx nonce 3')],
  ['reverted', said('VM Exception while processing transaction: revert too many requests')],
  ['out-of-gas', said('EVM error OutOfGas')],
  ['gas-too-high', said('Transaction gas limit exceeds block gas limit', -32005)],
  ['gas-too-low', said('err: intrinsic gas too low: have 21500, want 22440 (supplied gas 21500)')],
  ['gas-too-high', said('transaction gas limit too high (cap: 16777216, tx: 20000000)')],
  ['too-large', said('max initcode size exceeded: code size 50001, limit 49152')],
  ['behind', said('missing trie node 1234 (path ) state 0x12 is not available')],
  ['behind', said('Unknown block', -39001)],
  ['busy', said('limit exceeded', -32005)],
  ['busy', said('whatever', -32005)],
  ['busy', said('429 Too Many Requests: {"code":-32016,"message":"over rate limit"}')],
  [
    'busy',
    said('100/second request limit reached - reduce calls per second or upgrade your account', -32007),
  ],
  ['unknown-method', said('the method eth_getBlockReceipts does not exist/is not available', -32601)],
  ['unknown-method', said('whatever', -32601)],
  ['other', said('something else entirely')],
  ['other', said('unknown transaction type: 4')],
  ['other', said('the spammer says that it is out there')],
  // Messages that the table does not list.
  ['underpriced', said('gas tip cap 1500000000, minimum needed 25000000000')],
  ['underpriced', said('rpc error: code = Unknown desc = transaction underpriced')],
  ['underpriced', said('tip too low: minimum 30 gwei')],
  ['underpriced', said('Transaction gas price supplied is too low. Minimum is 1000000000')],
  ['underpriced', said('max priority fee per gas less than minimum: 30000000000')],
  ['underpriced', said('Max priority fee per gas below minimum', -32009)],
  ['underpriced', said('transaction gas price not satisfied')],
  ['underpriced', said('transaction was rejected because fee is too low')],
  [
    'underpriced',
    said("mpool push: message will not be included in a block: 'GasFeeCap' less than base fee", 1),
  ],
  ['underpriced', said('Insufficient fee: at least 5 is required')],
  ['other', said("sender doesn't have enough funds to pay the minimum fee")],
  ['other', said('priority fee is higher than the max fee, at least by 5')],
  ['reverted', said('the offered fee is too low', -32000, '0x08c379a0')],
  ['reverted', said('execution reverted: fee too low')],
  ['busy', said('server is too busy, try again later')],
  ['batch-refused', said('Maximum batch size exceeded: 10', -32005)],
  ['batch-refused', said('Batching is not supported', 429)],
  ['reverted', said('execution reverted: batch is closed')],
];

test.each(messages)('classifies the node error as %s: %o', (kind, error) => {
  expect(classify(error)).toBe(kind);
});

test('quotes an unknown node message unchanged', () => {
  const text = 'Das Ledger weist die Transaktion zurück — 余额不足 (Grund: 17%)';
  expect(problemOf(said(text), 'submit', createErrorRegistry()).detail).toBe(
    `Error from the node: ${text} (-32000).`,
  );
});

test('removes addresses and possible keys from a quoted node message', () => {
  const key = '9aa3d95b3bc440fa88ea12eaa4456161';
  const text = `no route: dial tcp 10.1.2.3:8545, [fe80::1]:30303, wss://u:p@host/x, me@host, node.internal:8545, project ${key} of 0x${key}${key}`;
  expect(problemOf(said(text), 'submit', createErrorRegistry()).detail).toBe(
    `Error from the node: no route: dial tcp [address], [address], [address] [address] [address], project [key] of 0x${key}${key} (-32000).`,
  );
});
