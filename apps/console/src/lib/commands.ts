/** A place that the search offers by name. */
export interface Command {
  readonly name: string;
  /** Words that find it in addition to its name. */
  readonly words?: string;
  /** Address below the console's base path. */
  readonly address: string;
}

const commands: readonly Command[] = [
  { name: 'New transfer', words: 'send pay', address: '/send?kind=transfer' },
  { name: 'Call a contract', words: 'new call send', address: '/send?kind=call' },
  { name: 'Deploy a contract', words: 'new deployment', address: '/send?kind=deploy' },
  { name: 'Overview', words: 'home status', address: '/' },
  { name: 'Actions', words: 'operations transactions', address: '/actions' },
  { name: 'Pending actions', words: 'waiting stuck', address: '/actions?status=PENDING' },
  { name: 'Failed actions', words: 'errors', address: '/actions?status=FAILED' },
  { name: 'Canceled actions', address: '/actions?status=CANCELED' },
  { name: 'Wallets', words: 'new wallet accounts balances import key', address: '/wallets' },
  { name: 'Contracts', words: 'register subscribe events', address: '/contracts' },
  { name: 'Templates', words: 'new template compile solidity', address: '/templates' },
  { name: 'Ledgers', words: 'new ledger nodes chains', address: '/ledgers' },
  { name: 'Plugins', words: 'register plugin adapters', address: '/plugins' },
  { name: 'Webhooks', words: 'new webhook deliveries', address: '/webhooks' },
  { name: 'Invitations', words: 'invite person', address: '/access?part=invitations' },
  { name: 'Access', words: 'roles people accounts applications projects', address: '/access' },
  { name: 'Permissions', words: 'may who', address: '/access?part=may' },
  { name: 'Timeline', words: 'audit history changes', address: '/timeline' },
];

/** Maximum number of commands in the list. */
const most = 6;

/** Commands for a ledger that the user may choose by its name. */
function ledgerCommands({ ledgerId, name }: { ledgerId: string; name: string }): Command[] {
  const address = `/ledgers/${encodeURIComponent(ledgerId)}`;
  return [{ name: `Suspend or resume ${name}`, words: `ledger ${ledgerId}`, address }];
}

/**
 * Commands with words that begin with the typed words. Commands whose names match come first. Without text, returns the
 * first commands.
 */
export function commandsFor(
  text: string,
  ledgers: readonly { readonly ledgerId: string; readonly name: string }[],
): Command[] {
  const typed = wordsOf(text);
  const all = typed.length === 0 ? commands : [...commands, ...ledgers.flatMap(ledgerCommands)];
  const fits = (words: string) => typed.every((one) => wordsOf(words).some((word) => word.startsWith(one)));
  const found = all.filter(({ name, words = '' }) => fits(`${name} ${words}`));
  const [named, others] = [found.filter(({ name }) => fits(name)), found.filter(({ name }) => !fits(name))];
  return [...named, ...others].slice(0, most);
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
}
