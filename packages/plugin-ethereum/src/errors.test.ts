import { expect, test } from 'vitest';
import { classify, createErrorRegistry, type NodeMessageKind, problemOf, revertDataOf } from './errors.ts';

const said = (message: string, code = -32000, data?: unknown) => ({ message, code, data });

// Texts as they stand in the sources of geth, erigon, nethermind, besu, reth and anvil.
const texts: readonly (readonly [NodeMessageKind, ReturnType<typeof said>])[] = [
  ['known', said('already known')],
  ['known', said('transaction already imported', -32003)],
  ['known', said('AlreadyKnown', -32010)],
  ['known', said('Known transaction', -32000)],
  ['nonce-too-low', said('nonce too low')],
  ['nonce-too-low', said('nonce too low: next nonce 5, tx nonce 3')],
  ['nonce-too-low', said('Nonce too low', -32001)],
  ['nonce-too-low', said('OldNonce, Current nonce: 5, nonce of rejected tx: 3', -32010)],
  ['nonce-too-low', said('transaction nonce 3 below sender account nonce 5', -32006)],
  ['underpriced', said('replacement transaction underpriced')],
  ['underpriced', said('transaction underpriced: gas tip cap 0, minimum needed 1')],
  ['underpriced', said('max fee per gas less than block base fee: address 0x1, maxFeePerGas: 1, baseFee: 7')],
  ['underpriced', said('FeeTooLow, MaxFeePerGas too low', -32010)],
  ['underpriced', said('Gas price below configured minimum gas price', -32009)],
  ['underpriced', said('Replacement transaction underpriced', -32000)],
  ['underpriced', said('INTERNAL_ERROR: could not replace existing tx')],
  ['underpriced', said('ReplacementNotAllowed', -32010)],
  ['underpriced', said('Gas price below current base fee', -32009)],
  ['known', said('already known', -32010)],
  [
    'insufficient-funds',
    said('insufficient funds for gas * price + value: balance 0, tx cost 5, overshot 5'),
  ],
  ['insufficient-funds', said('Insufficient funds for gas * price + value', -32003)],
  ['insufficient-funds', said('InsufficientFunds, Balance is 0 less than sending value', -32010)],
  ['insufficient-funds', said('Upfront cost exceeds account balance', -32004)],
  ['reverted', said('execution reverted: no', 3, '0x08c379a0')],
  ['reverted', said('execution reverted')],
  ['reverted', said('Execution reverted', -32000, '0x')],
  ['reverted', said('VM execution error.', -32015, 'Reverted 0x08c379a0')],
  ['reverted', said('invalid opcode: INVALID')],
  ['reverted', said('execution reverted: insufficient balance of tokens', -32000)],
  ['reverted', said('VM Exception while processing transaction: revert too many requests', -32000)],
  ['other', said('Transaction gas limit exceeds block gas limit', -32005)],
  ['other', said('exceeds block gas limit')],
  ['busy', said('Number of requests exceeds max batch size', -32005)],
  ['behind', said('Initial sync is still in progress', -32008)],
  ['out-of-gas', said('Intrinsic gas exceeds gas limit', -32003)],
  ['out-of-gas', said('gas required exceeds allowance (21000)')],
  ['out-of-gas', said('out of gas')],
  ['out-of-gas', said('intrinsic gas too low: gas 100, minimum needed 21000')],
  ['behind', said('header not found')],
  ['behind', said('missing trie node 1234 (path )')],
  ['behind', said('BlockOutOfRangeError: block height is 5 but requested was 9', -32602)],
  ['behind', said('Unknown block', -39001)],
  ['busy', said('limit exceeded', -32005)],
  ['busy', said('Too Many Requests', 429)],
  ['busy', said('txpool is full')],
  ['unknown-method', said('the method eth_getBlockReceipts does not exist/is not available', -32601)],
  ['unknown-method', said('Method not found', -32601)],
  ['other', said('something else entirely')],
  ['other', said('unknown transaction type: 4')],
  ['other', said('nonce too high', -32000)],
];

test.each(texts)('%s is what %o means', (kind, error) => {
  expect(classify(error)).toBe(kind);
});

test('revert data is found wherever nodes put it', () => {
  expect(revertDataOf('0x08C379A0')).toBe('0x08c379a0');
  expect(revertDataOf('Reverted 0x1234')).toBe('0x1234');
  expect(revertDataOf({ data: '0x1234' })).toBe('0x1234');
  expect(revertDataOf({ originalError: { data: '0x1234' } })).toBe('0x1234');
  expect(revertDataOf('no bytes')).toBeUndefined();
  expect(revertDataOf(undefined)).toBeUndefined();
});

test('a problem quotes what a node said without addresses and control characters', () => {
  const error = said('bad thing at https://user:pw@node.example/key\u0000\n here');
  const problem = problemOf(error, 'submit', createErrorRegistry(), { txId: '0x12' });
  expect(problem).toEqual({
    code: 'refused',
    phase: 'submit',
    txId: '0x12',
    detail: 'The node said: bad thing at [address] here (-32000).',
    data: { node: 'other' },
  });
});

test('custom errors that were learned are decoded with their names, others are shown by selector', () => {
  const registry = createErrorRegistry();
  const data = `0xcf479181${'0'.repeat(63)}5${'0'.repeat(63)}7`;
  expect(registry.describe(data).data).toMatchObject({ selector: '0xcf479181', revertData: data });
  registry.learn(['InsufficientBalance(uint256 balance,uint256 needed)', 'not an error']);
  expect(registry.describe(data)).toEqual({
    code: 'reverted',
    detail: 'The contract refused: InsufficientBalance(balance 5, needed 7).',
    data: {
      error: 'InsufficientBalance',
      signature: 'InsufficientBalance(uint256,uint256)',
      arguments: ['5', '7'],
      revertData: data,
    },
  });
});

test('revert data that does not fit its selector is shown as bytes', () => {
  const registry = createErrorRegistry();
  expect(registry.describe('0x08c379a012').data).toMatchObject({ selector: '0x08c379a0' });
  expect(registry.describe('0x12').data).toMatchObject({ revertData: '0x12' });
});

test('learned errors are bounded', () => {
  const registry = createErrorRegistry(10);
  registry.learn(Array.from({ length: 50 }, (_, index) => `E${index}(uint256 a)`));
  registry.learn(['Last(uint256 a)']);
  expect(registry.describe('0x').code).toBe('reverted');
});
