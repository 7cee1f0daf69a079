import { expect, test } from 'vitest';
import { createErrorRegistry, problemOf, revertDataOf } from './errors.ts';

const said = (message: string, code = -32000, data?: unknown) => ({ message, code, data });

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
