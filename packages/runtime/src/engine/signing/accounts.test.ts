import type { LedgerSession } from '@ledger-ops/adapter';
import { createMemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import { describeStores } from '@ledger-ops/store/testing';
import { expect, test } from 'vitest';
import { defaultTiming } from '../../timing.ts';
import { createAccounts, reserve } from './accounts.ts';

describeStores('an account in memory', (open) => {
  test('is there as long as something of it is, and for as long as what was read of it is believed', async () => {
    let at = Date.now();
    const accounts = createAccounts({ store: await open(), now: () => at, timing: defaultTiming }, 'chain');
    const [busy, queued, read, idle] = ['busy', 'queued', 'read', 'idle'].map((one) => accounts.get(one, 0));
    if (busy === undefined || queued === undefined || read === undefined) throw new Error('None was made.');
    const reservation = reserve(busy, 1n);
    queued.backlog = true;
    read.balanceAt = at;
    accounts.forgetIdle();
    expect([...accounts.all()]).toEqual([busy, queued, read]);
    expect(accounts.known('idle')).not.toBe(idle);
    reservation.release();
    queued.backlog = false;
    at += defaultTiming.balanceAge + 1;
    accounts.forgetIdle();
    expect([...accounts.all()]).toEqual([]);
  });

  test('is read again when the clock was set back', async () => {
    const host = { now: Date.now, log: () => {}, signal: new AbortController().signal };
    const ledger = { ledgerId: 'ledger', technology: 'ethereum', properties: {}, nodes: [] } as const;
    let balance = 1n;
    const session: LedgerSession = {
      ...(await memoryAdapter(createMemoryLedger()).open(ledger, host)),
      balances: async (addresses) => addresses.map(() => balance),
    };
    let at = Date.now();
    const accounts = createAccounts({ store: await open(), now: () => at, timing: defaultTiming }, 'chain');
    const account = accounts.get('account', 0);
    await accounts.refresh(account, session, { sequence: false, cost: 5n });
    balance = 9n;
    at -= 3_600_000;
    await accounts.refresh(account, session, { sequence: false, cost: 5n });
    expect(account.balance).toBe(9n);
  });
});
