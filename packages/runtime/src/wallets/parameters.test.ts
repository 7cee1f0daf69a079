import type { AdapterDefinition, JsonSchema } from '@ledger-ops/adapter';
import { createMemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import { Problem, Secret } from '@ledger-ops/base';
import { expect, test } from 'vitest';
import { readWalletParameters } from './parameters.ts';

const { description } = memoryAdapter(createMemoryLedger());
const object = (properties: Record<string, JsonSchema>, more: JsonSchema = {}): JsonSchema => ({
  ...{ type: 'object', properties, additionalProperties: false },
  ...more,
});

type KeyType = AdapterDefinition['keyType'] | null;

function read(keyType: KeyType, given: Record<string, string>, walletParameters?: JsonSchema) {
  const described = walletParameters === undefined ? description : { ...description, walletParameters };
  const secrets = Object.entries({ walletPassword: 'password', ...given });
  const parameters = new Map(secrets.map(([name, value]) => [name, new Secret(value)]));
  return readWalletParameters({ keyType, description: described }, parameters, 8);
}

function refusedAt(run: () => unknown): string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof Problem) return (error.errors ?? []).map(({ pointer }) => pointer);
    throw error;
  }
  throw new Error('Expected a rejection.');
}

test('a key of any type can be imported, with or without parameters defined by the ledger', () => {
  for (const keyType of ['secp256k1', 'p256', 'ed25519'] as const) {
    const { source, forAdapter } = read(keyType, { privateKey: 'key' });
    expect([source.kind, forAdapter]).toEqual(['private-key', {}]);
    const both = read(keyType, { privateKey: 'key', shelf: 'a' }, object({ shelf: { type: 'string' } }));
    expect([both.source.kind, both.forAdapter]).toEqual(['private-key', { shelf: 'a' }]);
  }
});

test('a keystore is accepted only for the key type that it contains', () => {
  expect(read('secp256k1', { keystore: '{}', keystorePassword: 'p' }).source.kind).toBe('keystore');
  for (const keyType of ['p256', 'ed25519', null] as const) {
    const described = object({});
    expect(refusedAt(() => read(keyType, { keystore: '{}', keystorePassword: 'p' }, described))).toEqual([
      '/pluginParameters/keystore',
      '/pluginParameters/keystorePassword',
    ]);
  }
});

test("an adapter receives the parameters in its schema, but never a wallet's key or password", () => {
  const described = object({ shelf: { type: 'string' }, privateKey: { type: 'string' } });
  const { source, forAdapter } = read('ed25519', { privateKey: 'the key', shelf: 'a' }, described);
  expect(forAdapter).toEqual({ shelf: 'a' });
  expect(source).toMatchObject({ kind: 'private-key' });
});

test("the error names each parameter that violates the adapter's schema, including one required only with an imported key", () => {
  const described = object(
    { shelf: { type: 'string', pattern: '^[a-z]$' }, box: { type: 'string' } },
    { required: ['box'], dependentRequired: { privateKey: ['shelf'] } },
  );
  expect(refusedAt(() => read('ed25519', { shelf: 'AA', privateKey: 'k' }, described))).toEqual([
    '/pluginParameters/shelf',
    '/pluginParameters/box',
  ]);
  expect(refusedAt(() => read('ed25519', { box: 'b', privateKey: 'k' }, described))).toEqual([
    '/pluginParameters/shelf',
  ]);
});

test('a remote plugin receives every parameter except the password, or only those in its schema', () => {
  const { source, forAdapter } = read(null, { anything: 'a', privateKey: 'its own' });
  expect([source.kind, forAdapter]).toEqual(['new', { anything: 'a', privateKey: 'its own' }]);
  const described = object({ shelf: { type: 'string' }, privateKey: { type: 'string' } });
  expect(read(null, { privateKey: 'its own' }, described).forAdapter).toEqual({ privateKey: 'its own' });
  expect(refusedAt(() => read(null, { anything: 'a' }, described))).toEqual(['/pluginParameters/anything']);
});
