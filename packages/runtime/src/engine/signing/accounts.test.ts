import type { LedgerSession } from '@ledger-ops/adapter';
import { createMemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import { describeStores } from '@ledger-ops/store/testing';
import { expect, test } from 'vitest';
import { defaultTiming } from '../../timing.ts';
import { createAccounts } from './accounts.ts';

describeStores('an account in memory', (open) => {
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
