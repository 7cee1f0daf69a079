import type { LedgerSession } from '@ledger-ops/adapter';
import { createMemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import { describeStores } from '@ledger-ops/store/testing';
import { expect, test } from 'vitest';
import type { LiveAction } from '../../rows/model.ts';
import { defaultTiming } from '../../timing.ts';
import { Accounts, reserve, shortOfFunds } from './accounts.ts';

describeStores('cached accounts', (open) => {
  test('an account is evicted once it is idle and its cached values are outdated', async () => {
    let at = Date.now();
    const accounts = new Accounts({ store: await open(), now: () => at, timing: defaultTiming }, 'chain', {
      isAhead: async () => false,
      isExclusive: async () => false,
    });
    const [busy, queued, read, idle] = ['busy', 'queued', 'read', 'idle'].map((one) => accounts.get(one, 0));
    if (busy === undefined || queued === undefined || read === undefined)
      throw new Error('An account is missing.');
    const reservation = reserve(busy, 1n);
    queued.backlog = true;
    read.balanceAt = at;
    accounts.evictIdle();
    expect([...accounts.all()]).toEqual([busy, queued, read]);
    expect(accounts.loaded('idle')).not.toBe(idle);
    reservation.release();
    queued.backlog = false;
    at += defaultTiming.balanceAge + 1;
    accounts.evictIdle();
    expect([...accounts.all()]).toEqual([]);
  });

  test('the balance of an account is read again after the clock was moved back', async () => {
    const host = { now: Date.now, log: () => {}, signal: new AbortController().signal };
    const ledger = { ledgerId: 'ledger', technology: 'ethereum', properties: {}, nodes: [] } as const;
    let balance = 1n;
    const session: LedgerSession = {
      ...(await memoryAdapter(createMemoryLedger()).open(ledger, host)),
      balances: async (addresses) => addresses.map(() => balance),
    };
    let at = Date.now();
    const accounts = new Accounts({ store: await open(), now: () => at, timing: defaultTiming }, 'chain', {
      isAhead: async () => false,
      isExclusive: async () => false,
    });
    const account = accounts.get('account', 0);
    await accounts.refresh(account, session, { sequence: false, cost: 5n });
    balance = 9n;
    at -= 3_600_000;
    await accounts.refresh(account, session, { sequence: false, cost: 5n });
    expect(account.balance).toBe(9n);
  });

  test("while transactions are in flight, a node's transaction count does not change the next nonce", async () => {
    const host = { now: Date.now, log: () => {}, signal: new AbortController().signal };
    const ledger = { ledgerId: 'ledger', technology: 'ethereum', properties: {}, nodes: [] } as const;
    const session: LedgerSession = {
      ...(await memoryAdapter(createMemoryLedger()).open(ledger, host)),
      sequences: async () => [7n],
    };
    const accounts = new Accounts({ store: await open(), now: Date.now, timing: defaultTiming }, 'chain', {
      isAhead: async () => false,
      isExclusive: async () => false,
    });
    const account = accounts.get('0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed', 0);
    account.live.set('action', { id: 'action' } as LiveAction);
    await accounts.reload(account, session);
    expect(account.next).toBe(0);
    account.live.clear();
    await accounts.reload(account, session);
    expect(account.next).toBe(7);
  });

  test('an account with unknown transactions is compared again before each use', async () => {
    const host = { now: Date.now, log: () => {}, signal: new AbortController().signal };
    const ledger = { ledgerId: 'ledger', technology: 'ethereum', properties: {}, nodes: [] } as const;
    const session = await memoryAdapter(createMemoryLedger()).open(ledger, host);
    let isAhead = false;
    const now = Date.now();
    const accounts = new Accounts({ store: await open(), now: () => now, timing: defaultTiming }, 'chain', {
      isAhead: async () => isAhead,
      isExclusive: async () => true,
    });
    const address = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
    const account = accounts.get(address, 0);
    const needs = { sequence: true, cost: null };
    await accounts.refresh(account, session, needs);
    expect(account).toMatchObject({ hasUnknown: false, next: 0 });
    isAhead = true;
    await accounts.reload(account, session);
    await accounts.refresh(account, session, needs);
    expect(account).toMatchObject({ hasUnknown: true, next: undefined });
    isAhead = false;
    await accounts.refresh(account, session, needs);
    expect(account).toMatchObject({ hasUnknown: false, next: 0 });
  });
});

test('reports how much a wallet lacks in the currency of the ledger', () => {
  const ether = { symbol: 'ETH', decimals: 18 };
  expect(shortOfFunds('0x12', 20_000_000_000_000_000n, 50_000_000_000_000_000n, ether)).toBe(
    'The wallet 0x12 can spend 0.02 ETH in addition to its pending transactions, but this action needs up to 0.05 ETH. Fund the wallet.',
  );
  expect(shortOfFunds('0x12', -1n, 7n, null)).toContain('can spend 0 (in the smallest unit)');
});
