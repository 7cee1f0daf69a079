import { expect, test } from 'vitest';
import { firstValuesOf } from './first-values.ts';

const ether = { symbol: 'ETH', decimals: 18 };
const address = '0x927F4130369F97F46d6b2f4c391d6906d4CF3506';
const method = { name: 'take(uint256)', args: ['500'] };
const call = {
  ...{ walletId: 'till', amount: '0', unit: ether, tag: null },
  operation: { type: 'contract_call', contract: { type: 'ledger', resource: address }, method },
};
const registered = {
  contractId: 'vault',
  ledgerReference: { ledgerId: 'chain', nativeReference: address.toLowerCase() },
};

test('repeating a transfer fills the form with the recipient, the amount in the main unit, and the tag', () => {
  const operation = { type: 'transfer', recipient: { type: 'service', resource: 'rent' } };
  const amount = '1234500000000000000000';
  expect(
    firstValuesOf({ walletId: 'till', amount, unit: ether, operation, tag: 'rent 11' }, []),
  ).toMatchObject({
    ...{ wallet: 'till', recipient: 'rent', amount: '1234.5', tag: 'rent 11' },
  });
});

test('selects the registered contract of a repeated call, even if the call contains the contract’s address', () => {
  expect(firstValuesOf(call, [registered])).toMatchObject({
    ...{ contract: 'vault', address: undefined, method: 'take(uint256)', args: ['500'], amount: undefined },
  });
});

test('keeps the address of a repeated call whose contract is not registered', () => {
  expect(firstValuesOf(call, [])).toMatchObject({ contract: undefined, address });
});
