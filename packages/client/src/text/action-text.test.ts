import { expect, test } from 'vitest';
import { actionText, statusText } from './action-text.ts';

const ether = { symbol: 'ETH', decimals: 18 };

const call: Parameters<typeof actionText>[0] = {
  ...{ type: 'contract_call', amount: '0', unit: ether, recipient: null, method: 'take(uint256)' },
  ...{ contract: '0x927F4130369F97F46d6b2f4c391d6906d4CF3506', argumentsPreview: ['500'] },
  names: { contract: 'Vault', recipient: null, arguments: [] },
};

test.each<[string, Partial<typeof call>]>([
  ['Vault.take(500)', {}],
  ['Vault.take(500), with 0.5 ETH', { amount: '500000000000000000' }],
  ['0x927F41…CF3506.take(500)', { names: { contract: null, recipient: null, arguments: [] } }],
  ['Vault.take(rent)', { names: { contract: 'Vault', recipient: null, arguments: ['rent'] } }],
  ['Vault.take(1, 2, 3, …)', { argumentsPreview: ['1', '2', '3', '4'] }],
  ['Vault.take()', { argumentsPreview: [] }],
  ['Call Vault with raw data', { method: null }],
  [
    'new contract.take(500)',
    {
      contract: 'action:01a20994-2885-729f-a5b4-eb68ebc7ea1b',
      names: { contract: null, recipient: null, arguments: [] },
    },
  ],
  ['Deploy Token', { type: 'contract_deploy', names: { contract: 'Token', recipient: null, arguments: [] } }],
  [
    'Transfer 0.05 ETH to rent',
    {
      ...{ type: 'transfer', recipient: '0x927F4130369F97F46d6b2f4c391d6906d4CF3506' },
      ...{ amount: '50000000000000000', names: { contract: null, recipient: 'rent', arguments: [] } },
    },
  ],
])('summarizes an action as %s', (text, action) => {
  expect(actionText({ ...call, ...action })).toBe(text);
});

test.each([
  ['SUCCEEDED', { status: 'SUCCEEDED' }],
  ['FAILED', { status: 'FAILED', problem: { type: 'urn:ledger-ops:problem:reverted' } }],
  ['CANCELED', { status: 'FAILED', problem: { type: 'urn:ledger-ops:problem:cancelled' } }],
  ['RETRACTED', { status: 'SUCCEEDED', retracted: { detail: 'The block was removed.' } }],
  ['RETRACTED', { status: 'FAILED', retracted: { detail: 'The ledger executed it after all.' } }],
])('shows the status %s to users', (text, action) => {
  expect(statusText(action)).toBe(text);
});
