import type { Command } from './command.ts';

/**
 * Returns the command that lists the records whose id is the first argument of a command: `ledger-ops wallet list` for
 * `wallet show <walletId>`. Commands that sign list the wallets. Undefined if no list command works without arguments.
 */
export function listCommandOf(command: Command, commands: readonly Command[]): string | undefined {
  const [group = ''] = command.name.split(' ');
  const [argument = ''] = Object.keys(command.arguments);
  const kinds: Readonly<Record<string, string>> = { id: group, organizationId: 'org' };
  const kind = Object.hasOwn(command.options, 'from')
    ? 'wallet'
    : (kinds[argument] ?? /^([a-z]+)Id$/.exec(argument)?.[1]);
  const list = commands.find(({ name }) => name === `${kind} list`);
  return list === undefined || Object.keys(list.arguments).length > 0 ? undefined : `ledger-ops ${list.name}`;
}
