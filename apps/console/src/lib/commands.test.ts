import { expect, test } from 'vitest';
import { commandsFor } from './commands.ts';

const ledgers = [{ ledgerId: 'rolls', name: 'Rolls chain' }];
const names = (text: string) => commandsFor(text, ledgers).map(({ name }) => name);

test('finds a command by the first letters of its words, in any order', () => {
  expect(names('new transfer')).toEqual(['New transfer']);
  expect(names('tran NEW')).toEqual(['New transfer']);
  expect(names('pay')).toEqual(['New transfer']);
});

test('offers to suspend a ledger by its name or id', () => {
  expect(names('suspend ledger')).toEqual(['Suspend or resume Rolls chain']);
  expect(names('suspend rolls')).toEqual(['Suspend or resume Rolls chain']);
});

test('lists commands whose name contains the typed word before other matches', () => {
  expect(names('ro')).toEqual(['Suspend or resume Rolls chain', 'Access']);
});

test('offers the first commands of the list while nothing is typed', () => {
  expect(names(' ')[0]).toBe('New transfer');
  expect(names('0x1234')).toEqual([]);
});
