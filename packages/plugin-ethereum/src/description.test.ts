import { readDescription } from '@ledger-ops/adapter';
import { readSchema } from '@ledger-ops/glo-core';
import { expect, test } from 'vitest';
import { ethereumDescription } from './description.ts';

test('a host can read what it is to know of Ethereum', () => {
  expect(readDescription('ethereum', 'ethereum', ethereumDescription)).toEqual(ethereumDescription);
});

const properties = () => readSchema(ethereumDescription.ledgerProperties);

test('quantities have one form, whatever they are written in', () => {
  const given = { chain_id: '0x1', max_fee_cap: '0xde0b6b3a7640000', replace_after: 7.5, fee_mode: 'legacy' };
  expect(properties().read(given)).toMatchObject({
    value: { ...given, chain_id: '1', max_fee_cap: '1000000000000000000' },
    issues: [],
  });
});

test.each([
  ['chain_id', 0],
  ['chain_id', 'one'],
  ['replace_after', -1],
  ['replace_after', 86_401],
  ['max_bumps', 11],
  ['max_fee_cap', '1e18'],
  ['fee_mode', 'cheap'],
  ['rpc_batch', 0],
  ['max_transaction_gas', 20_999],
  ['chainId', 1],
])('%s = %j is refused by its pointer', (name, value) => {
  expect(properties().read({ [name]: value }).issues).toMatchObject([{ pointer: `/${name}` }]);
});
