import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { readInterface } from './interface.ts';

const program = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';

const legacy = {
  version: '0.1.0',
  name: 'vault',
  instructions: [
    {
      name: 'openVault',
      accounts: [
        { name: 'owner', isMut: true, isSigner: true },
        { name: 'mint', isMut: false, isSigner: false },
        {
          name: 'vault',
          isMut: true,
          isSigner: false,
          pda: {
            seeds: [
              { kind: 'const', type: 'string', value: 'vault' },
              { kind: 'account', type: 'publicKey', path: 'mint' },
            ],
          },
        },
        {
          name: 'extra',
          accounts: [{ name: 'oracle', isMut: false, isSigner: false, isOptional: true }],
        },
      ],
      args: [
        { name: 'limit', type: 'u64' },
        { name: 'admin', type: 'publicKey' },
        { name: 'kind', type: { defined: 'Kind' } },
      ],
    },
  ],
  types: [{ name: 'Kind', type: { kind: 'enum', variants: [{ name: 'A' }] } }],
  errors: [{ code: 6000, name: 'Full', msg: 'It is full' }],
  metadata: { address: program },
};

const current = {
  address: program,
  metadata: { name: 'vault', version: '0.1.0', spec: '0.1.0' },
  instructions: [
    {
      name: 'total',
      docs: ['Not kept.'],
      discriminator: [1, 2],
      accounts: [
        { name: 'vault', pda: { seeds: [{ kind: 'account', path: 'vault.owner', account: 'Vault' }] } },
      ],
      args: [],
      returns: { vec: { array: ['u8', 4] } },
    },
  ],
};

test('of an older IDL: accounts that a caller names come before the arguments', () => {
  const { methods, interface: text } = readInterface(JSON.stringify(legacy));
  expect(methods).toEqual([
    {
      name: 'openVault',
      signature: 'openVault(account,option<account>,u64,pubkey,Kind)',
      view: false,
      inputs: [
        { name: 'mint', type: 'account' },
        { name: 'extra.oracle', type: 'option<account>' },
        { name: 'limit', type: 'u64' },
        { name: 'admin', type: 'pubkey' },
        { name: 'kind', type: 'Kind' },
      ],
      outputs: [],
    },
  ]);
  const hash = createHash('sha256').update('global:open_vault').digest();
  expect(JSON.parse(text).instructions[0].discriminator).toEqual([...hash.subarray(0, 8)]);
  expect(JSON.parse(text).address).toBe(program);
});

test('of a newer IDL: its own discriminators; an address from the data of an account is named by the caller', () => {
  const { methods } = readInterface(JSON.stringify(current));
  expect(methods).toEqual([
    {
      name: 'total',
      signature: 'total(account)',
      view: true,
      inputs: [{ name: 'vault', type: 'account' }],
      outputs: [{ name: '', type: 'vec<[u8;4]>' }],
    },
  ]);
});

test.each([legacy, current])('what was read is read alike again', (idl) => {
  const once = readInterface(JSON.stringify(idl));
  expect(readInterface(once.interface)).toEqual(once);
  expect(once.eventNames).toEqual(JSON.parse(once.interface).events.map((one: { name: string }) => one.name));
});

test.each([
  ['[]', ''],
  ['{"instructions": [', ''],
  [
    '{"instructions": [{"name": "a", "accounts": [], "args": [{"name": "b"}]}]}',
    '/instructions/0/args/0/type',
  ],
  [
    '{"instructions": [{"name": "a", "accounts": [], "args": []}, {"name": "a", "accounts": [], "args": []}]}',
    '/instructions/1/name',
  ],
])('%s is refused at %s', (text, pointer) => {
  expect(() => readInterface(text)).toThrow(
    expect.objectContaining({
      problem: expect.objectContaining({ issues: [expect.objectContaining({ pointer })] }),
    }),
  );
});
