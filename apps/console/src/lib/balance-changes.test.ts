import { expect, test } from 'vitest';
import { balanceChanges } from './balance-changes.ts';

const unit = { symbol: 'ETH', decimals: 18 };
const transfer = {
  ...{ status: 'SUCCEEDED' as const, amount: '5', fee: '2', walletId: 'till', recipient: '0xaa', unit },
  ...{ names: { contract: null, recipient: 'rent', arguments: [] }, contract: null },
};
const texts = (...given: Parameters<typeof balanceChanges>) =>
  balanceChanges(...given).map((one) => `${one.account} ${one.amount} ${one.unit?.symbol} ${one.why}`);

test('a transfer moves the amount, and the sender also pays the fee', () => {
  expect(texts(transfer, [], undefined)).toEqual([
    'till -5 ETH transfer',
    'rent 5 ETH transfer',
    'till -2 ETH fee',
  ]);
});

test('a failed transfer costs only the fee', () => {
  expect(texts({ ...transfer, status: 'FAILED' }, [], undefined)).toEqual(['till -2 ETH fee']);
});

test('token transfers of a call are read from its events', () => {
  const event = { id: '1', name: 'Transfer', args: { from: '0x01', to: '0x02', value: '9' }, raw: {} };
  const other = { id: '2', name: 'Approval', args: { owner: '0x01', value: '9' }, raw: {} };
  const call = { ...transfer, amount: '0', fee: null, contract: 'token' };
  expect(texts(call, [event, other], { symbol: 'TOK', decimals: 2 })).toEqual([
    '0x01 -9 TOK transfer',
    '0x02 9 TOK transfer',
  ]);
});
