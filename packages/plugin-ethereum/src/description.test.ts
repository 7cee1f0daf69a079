import { readDescription } from '@ledger-ops/adapter';
import { readSchema } from '@ledger-ops/glo-core';
import { expect, test } from 'vitest';
import { ethereumDescription } from './description.ts';
import { readProperties } from './properties.ts';

test('the description of Ethereum is valid for hosts', () => {
  expect(readDescription('ethereum', 'ethereum', ethereumDescription)).toEqual(ethereumDescription);
});

const properties = () => readSchema(ethereumDescription.ledgerProperties);

test('converts quantities to decimal strings', () => {
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
])('rejects %s = %j and reports its JSON pointer', (name, value) => {
  expect(properties().read({ [name]: value }).issues).toMatchObject([{ pointer: `/${name}` }]);
});

/** Whether a session can be opened with this property. */
function opens(name: string, value: string | number): boolean {
  try {
    readProperties({ ledgerId: 'l', technology: 'ethereum', properties: { [name]: value }, nodes: [] });
    return true;
  } catch {
    return false;
  }
}

test.each<[name: string, good: (string | number)[], bad: (string | number)[]]>([
  ['max_bumps', [0, 10], [-1, 11]],
  ['max_fee_cap', ['1'], ['0']],
  ['max_transaction_gas', ['21000'], ['20999']],
  ['replace_after', [0, 86_400], [-1, 86_401]],
  ['rpc_batch', [1, 1_000], [0, 1_001]],
])('the description and a new session accept the same range of %s', (name, good, bad) => {
  for (const value of [...good, ...bad]) {
    const isDescribed = properties().read({ [name]: value }).issues.length === 0;
    expect([value, isDescribed, opens(name, value)]).toEqual([
      value,
      good.includes(value),
      good.includes(value),
    ]);
  }
});

test.each([
  ['confirmations', 1, 100_000],
  ['polling_interval', 10, 600_000],
  ['rpc_timeout', 100, 600_000],
])('the host property %s accepts every value that hosts accept', (name, least, most) => {
  expect([opens(name, least), opens(name, most)]).toEqual([true, true]);
});
