import { expect, test } from 'vitest';
import { createErrorRegistry } from './error-registry.ts';

test('decodes known custom errors with their names, and shows unknown errors by selector', () => {
  const registry = createErrorRegistry();
  const data = `0xcf479181${'0'.repeat(63)}5${'0'.repeat(63)}7`;
  expect(registry.describe(data).data).toMatchObject({ selector: '0xcf479181', revertData: data });
  registry.learn(['InsufficientBalance(uint256 balance,uint256 needed)', 'not an error']);
  expect(registry.describe(data)).toEqual({
    code: 'reverted',
    detail: 'The contract reverted: InsufficientBalance(balance 5, needed 7).',
    data: {
      error: 'InsufficientBalance',
      signature: 'InsufficientBalance(uint256,uint256)',
      arguments: ['5', '7'],
      revertData: data,
    },
  });
});

test('shows revert data as bytes if it is too short, or does not match the error that has its selector', () => {
  const registry = createErrorRegistry();
  expect(registry.describe('0x08c379a012').data).toMatchObject({ selector: '0x08c379a0' });
  expect(registry.describe('0x12').data).toMatchObject({ revertData: '0x12' });
});

test('limits the number of known errors', () => {
  const registry = createErrorRegistry(10);
  registry.learn(Array.from({ length: 50 }, (_, index) => `E${index}(uint256 a)`));
  registry.learn(['Last(uint256 a)']);
  expect(registry.describe('0x').code).toBe('reverted');
});
