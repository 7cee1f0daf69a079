import { expect, test } from 'vitest';
import { valueChanges } from './value-changes.ts';

test('reports each changed value with its old and new value as strings', () => {
  const before = { name: 'Sepolia', confirmations: 5, active: true, tags: ['a'], node: 'one' };
  const after = { name: 'Sepolia', confirmations: 12, active: false, tags: ['a', 'b'], client: 'geth' };
  expect(valueChanges({ before, after })).toEqual([
    { name: 'confirmations', from: '5', to: '12' },
    { name: 'active', from: 'yes', to: 'no' },
    { name: 'tags', from: 'a', to: 'a, b' },
    { name: 'node', from: 'one', to: null },
    { name: 'client', from: null, to: 'geth' },
  ]);
});

test('reports no change between equal values whose members have a different order', () => {
  const before = { filter: { types: ['a'], ledgers: null }, description: undefined };
  const after = { filter: { ledgers: null, types: ['a'] }, description: null };
  expect(valueChanges({ before, after })).toEqual([]);
});

test('reports hidden values as changed, without their values', () => {
  const hidden = { before: { token: 'first', kept: 'a' }, after: { token: 'second', kept: 'a' } };
  expect(valueChanges({ before: {}, after: {}, hidden })).toEqual([{ name: 'token' }]);
});

test('shortens names and values of changed properties, and limits the number of changes', () => {
  const after = Object.fromEntries(
    Array.from({ length: 100 }, (_, i) => [`${i}`.padEnd(100, 'n'), '🙂'.repeat(900)]),
  );
  const changes = valueChanges({ before: {}, after });
  expect(changes).toHaveLength(40);
  for (const { name, to } of changes) {
    expect(name).toHaveLength(64);
    expect([...(to ?? '')]).toHaveLength(200);
    expect(to).toMatch(/^(🙂)+…$/u);
  }
});
