import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { CostOfAnswers } from '../../../../testing/cost-of-answers.ts';
import { expectQuick } from '../../../../testing/longest-block.ts';
import { encodeText } from './borsh.ts';
import { instructionsOf } from './call.ts';
import { parseIdl } from './idl.ts';
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

test('in an older IDL, the accounts that a caller passes come before the arguments', () => {
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

test('a newer IDL has its own discriminators, and the caller passes addresses that depend on account data', () => {
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

test.each([legacy, current])('parsing a described interface returns the same description', (idl) => {
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
])('rejects the IDL %s with the pointer "%s"', (text, pointer) => {
  expect(() => readInterface(text)).toThrow(
    expect.objectContaining({
      problem: expect.objectContaining({ issues: [expect.objectContaining({ pointer })] }),
    }),
  );
});

test.each([
  ['a map', { hashMap: ['string', 'u64'] }, '{"a": 1}'],
  ['a list of maps', { vec: { hashMap: ['string', 'u64'] } }, '[1]'],
  ['a type of a newer IDL', 'u512', '1'],
  ['a generic type', { defined: { name: 'Box', generics: [{ kind: 'type', type: 'u8' }] } }, '1'],
  ['a type with another layout', { defined: { name: 'Packed' } }, '{"a": 1}'],
])('if an IDL contains %s, refuses only calls that need to encode it', async (_, type, text) => {
  const parsed = readInterface(
    JSON.stringify({
      instructions: [
        { name: 'odd', accounts: [], args: [{ name: 'one', type }] },
        { name: 'plain', accounts: [], args: [{ name: 'one', type: 'u8' }] },
      ],
      types: [
        {
          ...{ name: 'Box', generics: [{ kind: 'type', name: 'T' }] },
          type: { kind: 'struct', fields: [{ name: 'a', type: { generic: 'T' } }] },
        },
        {
          ...{ name: 'Packed', serialization: 'bytemuck' },
          type: { kind: 'struct', fields: [{ name: 'a', type: 'u8' }] },
        },
      ],
    }),
  );
  expect(parsed.methods.map(({ name }) => name)).toEqual(['odd', 'plain']);
  const idl = parseIdl(parsed.interface, 'interface');
  const call = (name: string, arg: string) =>
    instructionsOf(
      {
        ...{ wallet: 'w', signing: new Set<string>(), program: 'p', idl, named: {}, remaining: [] },
        method: { name, args: [arg] },
      },
      'check',
    );
  expect(await call('plain', '7')).toHaveLength(1);
  await expect(call('odd', text)).rejects.toThrow(/args\/0.* has a type that cannot be encoded/);
});

test('the largest interface takes little time to read and to use', async () => {
  const types = Array.from({ length: 4_000 }, (_, at) => ({
    name: `T${at}`,
    type: { kind: 'type', alias: at === 0 ? 'u8' : { defined: `T${at - 1}` } },
  }));
  const instructions = Array.from({ length: 4_000 }, (_, at) => ({ name: `i${at}`, accounts: [], args: [] }));
  const text = JSON.stringify(Array.from({ length: 4_000 }, () => 1));
  await expectQuick(2_000, () => {
    const idl = parseIdl(JSON.stringify({ instructions, types }), 'interface');
    for (let again = 0; again < 20; again += 1) {
      expect(encodeText({ vec: { defined: 'T9' } }, text, idl.types, 'prepare', '/args/0')).toHaveLength(
        4_004,
      );
    }
  });
});

test('rejects arguments that are too long for any transaction before encoding them', async () => {
  const args = Array.from({ length: 200 }, (_, at) => ({ name: `a${at}`, type: { vec: 'u8' } }));
  const idl = parseIdl(JSON.stringify({ instructions: [{ name: 'f', accounts: [], args }] }), 'interface');
  const call = {
    ...{ wallet: 'w', signing: new Set<string>(), program: 'p', idl, named: {}, remaining: [] },
    method: { name: 'f', args: args.map(() => 'AAAA'.repeat(2_000)) },
  };
  await expect(instructionsOf(call, 'prepare')).rejects.toThrow(/but a transaction can carry at most/);
});

const repeat = (count: number, item: unknown) => Array.from({ length: count }, () => item);
const inInstruction = (more: object) => ({ instructions: [{ name: 'a', accounts: [], args: [], ...more }] });

const wrongIdls: readonly [what: string, idl: object][] = [
  ['accounts that are strings', inInstruction({ accounts: repeat(20_000, '') })],
  ['accounts without names', inInstruction({ accounts: repeat(20_000, {}) })],
  ['groups of wrong accounts', inInstruction({ accounts: [{ name: 'g', accounts: repeat(20_000, {}) }] })],
  ['wrong seeds', inInstruction({ accounts: [{ name: 'a', pda: { seeds: repeat(20_000, 1) } }] })],
  ['wrong arguments', inInstruction({ args: repeat(20_000, 1) })],
  ['a discriminator of strings', inInstruction({ discriminator: repeat(20_000, '') })],
  ['wrong instructions', { instructions: repeat(20_000, 1) }],
  ['wrong errors', { instructions: [], errors: repeat(20_000, {}) }],
  ['wrong events', { instructions: [], events: repeat(20_000, {}) }],
  ['wrong types', { instructions: [], types: repeat(20_000, {}) }],
  [
    'wrong variants',
    { instructions: [], types: [{ name: 'a', type: { kind: 'enum', variants: repeat(20_000, 1) } }] },
  ],
];

test('rejects invalid IDLs without blocking the event loop', async () => {
  // One measurement for all IDLs, because garbage collection takes longer than one of them.
  const costs = await CostOfAnswers.start();
  const problems: unknown[] = [];
  for (const [what, idl] of wrongIdls)
    await costs.measure(what, async () => {
      try {
        parseIdl(JSON.stringify({ ...idl, round: problems.length }), 'interface');
      } catch (error) {
        problems.push(error);
      }
    });
  expect(problems.length).toBeGreaterThanOrEqual(wrongIdls.length);
  for (const problem of problems) expect(String(problem)).toContain('not an Anchor IDL');
  expect(await costs.excesses()).toEqual([]);
});
