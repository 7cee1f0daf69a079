import type { AddressForm, ContractMethod } from '@ledger-ops/adapter';
import { expect, test } from 'vitest';
import { contractDocument } from '../../src/present/contract-document.ts';

const contract = { contractId: 'c', groupId: 'g', name: 'C', ledgerId: 'l', nativeReference: 'Aa' };
const inputs = ['address', 'bytes', 'bytes4', 'uint8'].map((type, at) => ({ name: `a${at}`, type }));
const method: ContractMethod = { name: 'm', signature: 'm()', view: true, inputs, outputs: [] };

function formsFor(account: AddressForm | undefined) {
  const { paths } = contractDocument(contract, [method], 'https://server.example', account);
  const [path] = Object.values(paths);
  const { properties } = path?.post.requestBody.content['application/json'].schema ?? {};
  const given: unknown = properties?.arguments?.properties;
  return given;
}

test('a type is written as its ledger writes it, and no form is told that is not known', () => {
  const integer = { type: ['string', 'integer'] };
  const hex = { pattern: '^0x[0-9a-fA-F]{40}$', example: `0x${'aB'.repeat(20)}` };
  expect(formsFor(hex)).toMatchObject({
    a0: { type: 'string', pattern: hex.pattern },
    a1: { type: 'string', pattern: '^0x([0-9a-fA-F]{2})*$' },
    a2: { type: 'string', pattern: '^0x([0-9a-fA-F]{2}){4}$' },
    a3: integer,
  });
  const base58 = { pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$', example: 'x'.repeat(32) };
  expect(formsFor(base58)).toEqual({
    a0: { type: 'string', pattern: base58.pattern, description: 'address' },
    a1: { type: 'string', description: 'bytes' },
    a2: { type: 'string', description: 'bytes4' },
    a3: expect.objectContaining(integer),
  });
  for (const account of [undefined, { pattern: '(?i)^a\\z', example: 'a' }]) {
    expect(formsFor(account)).toMatchObject({ a0: { type: 'string', description: 'address' } });
    expect(JSON.stringify(formsFor(account))).not.toContain('(?i)');
  }
});
