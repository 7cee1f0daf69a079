import { expect, expectTypeOf, test } from 'vitest';
import type { Accepted, Argument, Interface } from '../src/index.ts';
import { json, openFake } from './fake-service.ts';

const accepted = { actionId: 'a1', id: 'a1', intent: null, status: 'PENDING' };
const uint = { name: '', type: 'uint256' } as const;
const abi = [
  { type: 'constructor', inputs: [uint], stateMutability: 'nonpayable' },
  {
    type: 'function',
    name: 'transfer',
    stateMutability: 'nonpayable',
    inputs: [
      { name: 'to', type: 'address' },
      { name: 'value', type: 'uint256' },
    ],
    outputs: [{ name: '', type: 'bool' }],
  },
  {
    type: 'function',
    name: 'balanceOf',
    inputs: [{ name: 'of', type: 'address' }],
    outputs: [uint],
    stateMutability: 'view',
  },
  {
    type: 'function',
    name: 'decimals',
    inputs: [],
    outputs: [{ name: '', type: 'uint8' }],
    stateMutability: 'pure',
  },
  {
    type: 'function',
    name: 'pair',
    stateMutability: 'view',
    inputs: [],
    outputs: [
      { name: 'low', type: 'uint256' },
      {
        name: 'rest',
        type: 'tuple[]',
        components: [
          { name: 'on', type: 'bool' },
          { name: 'n', type: 'int32[2]' },
        ],
      },
    ],
  },
  { type: 'function', name: 'set', inputs: [uint], outputs: [], stateMutability: 'nonpayable' },
  { type: 'function', name: 'set', inputs: [uint, uint], outputs: [], stateMutability: 'nonpayable' },
  {
    type: 'function',
    name: 'set',
    inputs: [{ name: '', type: 'bool' }, uint],
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    name: 'fill',
    stateMutability: 'payable',
    outputs: [],
    inputs: [
      {
        name: 'o',
        type: 'tuple',
        components: [
          { name: 'ids', type: 'uint8[]' },
          { name: 'data', type: 'bytes' },
        ],
      },
    ],
  },
] as const;

function open<const I extends Interface>(of: I) {
  const { service, ledger, asked } = openFake();
  const sender = { walletId: 'w', walletPassword: 'p' };
  const contract = ledger.contract({ contract: 'token', interface: of, sender });
  const options = () => JSON.parse(asked().at(-1)?.text ?? '').glo.options;
  return { service, ledger, asked, contract, options };
}

test('methods created from an ABI send calls by signature, and decode the results of reads', async () => {
  const { service, contract, options, asked } = open(abi);
  service.answers = [() => json(accepted, 201)];
  const sent = await contract.transfer('0xaa', 5n);
  expectTypeOf(sent).toEqualTypeOf<Accepted>();
  expect(options()).toMatchObject({ method_name: 'transfer(address,uint256)', args: ['0xaa', '5'] });
  await contract.set(1n);
  expect(options()).toMatchObject({ method_name: 'set(uint256)' });
  await contract.fill({ ids: [1, 2n], data: '0x00' });
  expect(options()).toMatchObject({
    method_name: 'fill((uint8[],bytes))',
    args: ['{"ids":[1,2],"data":"0x00"}'],
  });

  service.answers = [() => json({ result: '100000000000000000000' })];
  const balance = await contract.balanceOf('0xaa');
  expectTypeOf(balance).toEqualTypeOf<bigint>();
  expect(balance).toBe(10n ** 20n);
  expect(asked().at(-1)).toMatchObject({ path: '/v1/ledger-ops/emulate' });
  expect(JSON.parse(asked().at(-1)?.text ?? '')).toMatchObject({ walletId: 'w' });
  expect(asked().at(-1)?.text).not.toContain('walletPassword');
  service.answers = [() => json({ result: '18' })];
  expectTypeOf(await contract.decimals()).toEqualTypeOf<number>();
  expect(await contract.decimals()).toBe(18);
  service.answers = [() => json({ result: { low: '1', rest: [{ on: true, n: ['2', '-3'] }] } })];
  const pair = await contract.pair();
  expectTypeOf(pair.low).toEqualTypeOf<bigint>();
  expectTypeOf(pair.rest[0]?.n).toEqualTypeOf<readonly [number, number] | undefined>();
  expect(pair).toEqual({ low: 1n, rest: [{ on: true, n: [2, -3] }] });
});

const library = [
  {
    type: 'function',
    name: 'paint',
    stateMutability: 'nonpayable',
    outputs: [],
    inputs: [
      { name: 'color', type: 'Colors.Color' },
      { name: 'callback', type: 'function' },
    ],
  },
  {
    type: 'function',
    name: 'rate',
    stateMutability: 'view',
    inputs: [],
    outputs: [
      { name: 'count', type: 'uint256' },
      { name: 'ratio', type: 'fixed128x18' },
    ],
  },
  { type: 'event', name: 'Painted', inputs: [{ name: 'color', type: 'Colors.Color', indexed: false }] },
] as const;

test('passes arguments and results through unchanged if the client does not know their type', async () => {
  const { service, contract, options } = open(library);
  service.answers = [() => json(accepted, 201)];
  await contract.paint('1', '0x00');
  expect(options()).toMatchObject({ method_name: 'paint(Colors.Color,function)', args: ['1', '0x00'] });
  service.answers = [() => json({ result: '0x01' })];
  expect(await contract.rate()).toBe('0x01');
});

test('accepts options for a single call', async () => {
  const { service, contract, asked } = open(abi);
  service.answers = [() => json(accepted, 201)];
  const pay = contract.fill.with({
    ...{ idempotencyKey: 'mine', tag: 'rent', dependencies: ['d'], deadline: new Date(0) },
    meta: { ledger: { other: { version: '1', native_transaction_content: {} } } },
    wallets: [{ walletId: 'x', walletPassword: 'q' }],
  });
  expectTypeOf(pay).toEqualTypeOf<(...args: Parameters<typeof contract.fill>) => Promise<Accepted>>();
  await pay({ ids: [], data: '0x' });
  expect(asked().at(-1)?.headers.get('idempotency-key')).toBe('mine');
  expect(JSON.parse(asked().at(-1)?.text ?? '')).toMatchObject({
    ...{ walletId: 'w', walletPassword: 'p', tag: 'rent', dependencies: ['d'] },
    ...{ deadline: '1970-01-01T00:00:00.000Z', wallets: [{ walletId: 'x', walletPassword: 'q' }] },
    glo: { meta: { ledger: { other: { version: '1' } } }, options: { method_name: 'fill((uint8[],bytes))' } },
  });
  service.answers = [() => json({ result: '7' })];
  const read = contract.balanceOf.with({ walletId: 'another' });
  expectTypeOf(read).returns.resolves.toEqualTypeOf<bigint>();
  expect(await read('0xaa')).toBe(7n);
  expect(JSON.parse(asked().at(-1)?.text ?? '')).toMatchObject({ walletId: 'another' });
  const over = AbortSignal.abort(new Error('No more.'));
  await expect(contract.balanceOf.with({ signal: over })('0xaa')).rejects.toThrow('No more.');
  await expect(contract.transfer.with({ signal: over })('0xaa', 1n)).rejects.toThrow('No more.');
  // @ts-expect-error what reads is sent to no ledger, and has no tag
  contract.balanceOf.with({ tag: 'rent' });
});

test('rejects wrong arguments and a missing sender at run time, without a request', async () => {
  const { contract, ledger, asked } = open(abi);
  // @ts-expect-error an argument is missing
  await expect(contract.transfer('0xaa')).rejects.toThrow(
    'transfer does not accept 1 arguments. It is declared as: transfer(address,uint256).',
  );
  await expect(contract.set(1n, 2n)).rejects.toThrow('set(uint256,uint256), set(bool,uint256)');
  // @ts-expect-error there is no such method
  expect(contract.mint).toBeUndefined();
  const unsent = ledger.contract({ contract: 'token', interface: abi });
  await expect(unsent.transfer('0xaa', 1)).rejects.toThrow('Create the contract with sender');
  expect(asked()).toEqual([]);
});

const asset = {
  $schema: 'https://fabric-shim.github.io/release-1.4/contract-schema.json',
  contracts: {
    Asset: {
      name: 'Asset',
      contractInstance: { name: 'Asset', default: true },
      transactions: [
        {
          name: 'Create',
          tag: ['submit', 'submitTx'],
          parameters: [
            { name: 'id', schema: { type: 'string' } },
            { name: 'size', schema: { type: 'integer' } },
            { name: 'owner', schema: { $ref: '#/components/schemas/Owner' } },
          ],
        },
        { name: 'Read', tag: ['evaluate'], parameters: [{ name: 'id', schema: { type: 'string' } }] },
      ],
    },
    Admin: { name: 'Admin', transactions: [{ name: 'Reset' }] },
    'org.hyperledger.fabric': {
      name: 'org.hyperledger.fabric',
      transactions: [{ name: 'GetMetadata', tag: ['evaluate'] }],
    },
  },
} as const;

test("creates methods from chaincode metadata, with other contracts' methods under the contract name", async () => {
  const { service, contract, options } = open(asset);
  service.answers = [() => json(accepted, 201)];
  expectTypeOf(contract.Create).parameters.toEqualTypeOf<[string, bigint | number, Argument]>();
  expectTypeOf(await contract.Create('a', 5n, { name: 'Ada' })).toEqualTypeOf<Accepted>();
  expect(options()).toMatchObject({ method_name: 'Create', args: ['a', '5', '{"name":"Ada"}'] });
  await contract['Admin:Reset']();
  expect(options()).toMatchObject({ method_name: 'Admin:Reset', args: [] });
  service.answers = [() => json({ result: { id: 'a' } })];
  const read = await contract.Read('a');
  expectTypeOf(read).toBeUnknown();
  expect(read).toEqual({ id: 'a' });
  service.answers = [() => json(accepted, 201)];
  // @ts-expect-error a size is no text
  await contract.Create('a', '5', {});
  expect(Object.keys(contract).sort()).toEqual([
    'Admin:Reset',
    'Asset:Create',
    'Asset:Read',
    'Create',
    'Read',
  ]);
});
