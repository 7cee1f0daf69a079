import type { AddressForm, ContractMethod } from '@ledger-ops/adapter';
import { expect, test } from 'vitest';
import { expectQuick } from '../../../../testing/longest-block.ts';
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

test('a contract’s document describes each type as the ledger returns it, without patterns for addresses of unknown form', () => {
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

test('a contract’s document describes an array once, regardless of the number of its dimensions', () => {
  const method = (type: string): ContractMethod => ({
    ...{ name: 'm', signature: `m(${type})`, view: false },
    ...{ inputs: [{ name: 'a', type }], outputs: [] },
  });
  const argument = (type: string) => {
    const { paths } = contractDocument(contract, [method(type)], 'https://server.example', undefined);
    const given = Object.values(paths)[0]?.post.requestBody.content['application/json'].schema.properties;
    return given?.arguments?.properties;
  };
  expect(argument('bool[2][]')).toEqual({
    a: {
      ...{ type: 'array', description: 'bool[2][]' },
      items: { type: 'array', minItems: 2, maxItems: 2, items: { type: 'boolean', description: 'bool' } },
    },
  });
  const deep = `bool${'[1]'.repeat(2_000)}`;
  expect(argument(deep)).toEqual({ a: { description: `${deep.slice(0, 512)}…` } });
  expect(JSON.stringify(argument(`bool[x${'[1]'.repeat(20)}`)).length).toBeLessThan(2_000);
});

test('a document that would be too long is refused before it is generated', async () => {
  const type = `(${'uint256,'.repeat(200)}uint256)[][]`;
  const methods = Array.from(
    { length: 2_000 },
    (_, at): ContractMethod => ({
      ...{ name: `m${at}`, signature: `m${at}(${type})`, view: true },
      ...{ inputs: [{ name: 'a', type }], outputs: [{ name: '', type }] },
    }),
  );
  await expectQuick(100, () => {
    expect(() => contractDocument(contract, methods, 'https://server.example', undefined)).toThrow(
      expect.objectContaining({ problem: 'unsupported-operation' }),
    );
  });
  const fitting = contractDocument(contract, methods.slice(0, 100), 'https://server.example', undefined);
  expect(JSON.stringify(fitting).length).toBeLessThan(2_097_152);
});
