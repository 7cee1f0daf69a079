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

type KeyType = AdapterDefinition['keyType'] | 'remote';

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
  throw new Error('It should have been refused.');
}

test('a key of any type is imported, whether or not the ledger has parameters of its own', () => {
  for (const keyType of ['secp256k1', 'p256', 'ed25519'] as const) {
    const { source, forAdapter } = read(keyType, { privateKey: 'key' });
    expect([source.kind, forAdapter]).toEqual(['private-key', {}]);
    const both = read(keyType, { privateKey: 'key', shelf: 'a' }, object({ shelf: { type: 'string' } }));
    expect([both.source.kind, both.forAdapter]).toEqual(['private-key', { shelf: 'a' }]);
  }
});

test('a keystore is for the one type of key that it holds', () => {
  expect(read('secp256k1', { keystore: '{}', keystorePassword: 'p' }).source.kind).toBe('keystore');
  for (const keyType of ['p256', 'ed25519', 'remote'] as const) {
    const described = object({});
    expect(refusedAt(() => read(keyType, { keystore: '{}', keystorePassword: 'p' }, described))).toEqual([
      '/pluginParameters/keystore',
      '/pluginParameters/keystorePassword',
    ]);
  }
});

test('an adapter is told what it describes, and never a key or a password of the wallet, whatever it describes', () => {
  const described = object({ shelf: { type: 'string' }, privateKey: { type: 'string' } });
  const { source, forAdapter } = read('ed25519', { privateKey: 'the key', shelf: 'a' }, described);
  expect(forAdapter).toEqual({ shelf: 'a' });
  expect(source).toMatchObject({ kind: 'private-key' });
});

test("what does not obey the adapter's schema is refused at its name, and may depend on the import of a key", () => {
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

test('a remote plugin is told everything but the password, or what it describes', () => {
  const { source, forAdapter } = read('remote', { anything: 'a', privateKey: 'its own' });
  expect([source.kind, forAdapter]).toEqual(['new', { anything: 'a', privateKey: 'its own' }]);
  const described = object({ shelf: { type: 'string' }, privateKey: { type: 'string' } });
  expect(read('remote', { privateKey: 'its own' }, described).forAdapter).toEqual({ privateKey: 'its own' });
  expect(refusedAt(() => read('remote', { anything: 'a' }, described))).toEqual([
    '/pluginParameters/anything',
  ]);
});
