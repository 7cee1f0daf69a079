import { expect, test } from 'vitest';
import { ledgerNamed } from './ledger-named.ts';

const ledger = (ledgerId: string, technology: string) => ({ ledgerId, technology });

test('finds a ledger by id, but returns none if ledgers of different technologies have this id', () => {
  const main = ledger('main', 'ethereum');
  expect(ledgerNamed([ledger('other', 'solana'), main], 'main')).toBe(main);
  expect(ledgerNamed([main, ledger('main', 'ethereum')], 'main')).toBe(main);
  expect(ledgerNamed([main, ledger('main', 'solana')], 'main')).toBeUndefined();
  expect(ledgerNamed([main], 'none')).toBeUndefined();
  expect(ledgerNamed([main], undefined)).toBeUndefined();
});
