import { expect, test } from 'vitest';
import { commandsFor } from './commands.ts';

const ledgers = [{ ledgerId: 'rolls', name: 'Rolls chain' }];
const names = (text: string) => commandsFor(text, ledgers).map(({ name }) => name);

test('finds a command by the starts of its words, in any order', () => {
  expect(names('new transfer')).toEqual(['New transfer']);
  expect(names('tran NEW')).toEqual(['New transfer']);
  expect(names('pay')).toEqual(['New transfer']);
});

test('offers to suspend a ledger by its name or id', () => {
  expect(names('suspend ledger')).toEqual(['Suspend or resume Rolls chain']);
  expect(names('suspend rolls')).toEqual(['Suspend or resume Rolls chain']);
});

test('offers commands with the typed word in their name before those found by other words', () => {
  expect(names('ro')).toEqual(['Suspend or resume Rolls chain', 'Access']);
});

test('offers the first commands while nothing is typed', () => {
  expect(names(' ')[0]).toBe('New transfer');
  expect(names('0x1234')).toEqual([]);
});
