import type { Capabilities, LedgerSession, LookupResult } from '@ledger-ops/adapter';
import type { Principal } from '@ledger-ops/auth';
import type { Queries, SqlValue, Store } from '@ledger-ops/store';
import { expect, test } from 'vitest';
import type { OpenLedger } from '../open-ledger.ts';
import type { Settlement } from '../rows/model.ts';
import type { WalletRow } from '../wallets/types.ts';
import { OutsideTransactions, type OutsideTransactionsOptions } from './outside-transactions.ts';
import type { ActionView } from './types.ts';

const effect = { recipient: '0xb', amount: '5' };
const executed: LookupResult = { txId: '0x1', status: 'SUCCEEDED', sender: '0xA', effect };

/** Marks an action as executed. The ledger returns `found` as the transaction. */
async function mark(found: LookupResult | null): Promise<Settlement[]> {
  const settlements: Settlement[] = [];
  const row = { id: 'action', address: '0xa', stage: 'ready', plan: JSON.stringify(effect), plugin: null };
  const read: Pick<Queries, 'all'> = {
    all: async <Row = Record<string, SqlValue>>() => [row] as Row[],
  };
  const store: Pick<Store, 'read'> = { read: read as Queries };
  const session: Pick<LedgerSession, 'lookup'> = { lookup: async () => found };
  const definition: { capabilities: Pick<Capabilities, 'lookup'> } = { capabilities: { lookup: true } };
  const open = { definition, session } as OpenLedger;
  const wallet = { address: '0xa', material: null, aliases: null, renewAt: null } as WalletRow;
  const options: Partial<OutsideTransactionsOptions> = {
    store: store as Store,
    wallets: { demand: async () => wallet },
    ledgers: { open: async () => open, reopen: async () => null },
    engine: {
      async markExecuted(settlement) {
        settlements.push(settlement);
      },
    },
    get: async () => ({ uid: 'action', status: 'PENDING', walletId: 'wallet' }) as ActionView,
    now: Date.now,
  };
  const outside = new OutsideTransactions(options as OutsideTransactionsOptions);
  await outside.markExecuted({} as Principal, 'action', '0x1');
  return settlements;
}

test('an action that a person marks as executed gets the outcome of the transaction that the person names', async () => {
  expect(await mark(executed)).toMatchObject([{ status: 'SUCCEEDED', locator: '0x1', problem: null }]);
  expect(await mark({ ...executed, status: 'FAILED' })).toMatchObject([
    { status: 'FAILED', locator: '0x1', problem: { type: 'urn:ledger-ops:problem:reverted' } },
  ]);
});

test.each<[string, LookupResult | null, string]>([
  ['does not exist', null, 'does not exist on the ledger'],
  ['is not final', { ...executed, status: 'PENDING' }, 'is not final yet'],
  ['was sent by another account', { ...executed, sender: '0xc' }, 'was sent by 0xc'],
  ['was signed only by others', { ...executed, signers: ['0xc', '0xd'] }, 'but the action belongs to 0xa'],
  [
    'has another effect',
    { ...executed, effect: { ...effect, amount: '6' } },
    'does not have the effect of the action',
  ],
  [
    'has no known effect',
    { txId: '0x1', status: 'SUCCEEDED' },
    'does not report the effects of transactions',
  ],
])('refuses to mark an action as executed if the transaction %s', async (_, found, detail) => {
  await expect(mark(found)).rejects.toThrow(detail);
});
