import { expect, test } from 'vitest';
import type { LedgerSession } from './host.ts';
import { createCalls, isDeclared, wrapCalls } from './session-calls.ts';

const capabilities = {
  operations: ['transfer'],
  sequence: 'none',
  replacement: false,
  emulation: true,
  lookup: false,
  balance: false,
} as const;

test('creates every required call, and optional calls only if the session offers them', async () => {
  const run = async (method: string, args: unknown[]) => [method, ...args];
  const calls = createCalls(run, (method) => method === 'inspect');
  expect(await calls.sequences(['a'], { everyNode: true })).toEqual([
    'sequences',
    ['a'],
    { everyNode: true },
  ]);
  expect(calls.inspect).toBeTypeOf('function');
  expect(calls.replace).toBeUndefined();
  expect(calls).not.toHaveProperty('onHead');
});

test("a wrapped session calls the original's methods, and lacks the optional methods that the original lacks", async () => {
  class Own {
    readonly balance = 7n;
    async balances(addresses: string[]) {
      return addresses.map(() => this.balance);
    }
  }
  // This session has only the methods that the test calls.
  const session: LedgerSession = Object.create(new Own());
  const seen: unknown[] = [];
  const wrapped = wrapCalls(session, async (method, args, call) => {
    seen.push(method, args);
    return await call(args);
  });
  expect(await wrapped.balances(['a', 'b'])).toEqual([7n, 7n]);
  expect(seen).toEqual(['balances', [['a', 'b']]]);
  expect(wrapped.replace).toBeUndefined();
});

test('reports an optional method as declared only if the adapter has its capability', () => {
  const declared = (['chain', 'emulate', 'sequences', 'replace', 'lookup', 'renewWallet'] as const).filter(
    (method) => isDeclared(method, capabilities),
  );
  expect(declared).toEqual(['chain', 'emulate', 'renewWallet']);
  expect(isDeclared('sequences', { ...capabilities, sequence: 'account' })).toBe(true);
});
