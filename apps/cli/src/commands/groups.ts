/** Command groups: words that must be followed by a subcommand. */
export const groups = {
  profile: 'Stored installations and credentials.',
  ledger: 'Ledgers.',
  node: 'Nodes of ledgers.',
  explorer: 'Explorers that show the transactions of ledgers.',
  wallet: 'Wallets.',
  action: 'Actions: accepted operations and their status.',
  org: 'Organizations.',
  project: 'Projects.',
  app: 'Applications.',
  account: 'Service accounts.',
  token: 'Tokens of accounts and applications.',
  key: 'Keys of accounts.',
  plugin: 'Plugins, which connect ledgers.',
  webhook: 'Webhooks.',
  contract: 'Registered contracts, in groups.',
  'contract events': 'Subscriptions to the events of contracts.',
  template: 'Templates from which contracts are deployed.',
  invite: 'Invitations of people.',
  role: 'Roles and permissions.',
  storage: 'Storage limits of organizations.',
} as const;

/** Headings of the help by task, with the first words of their commands, in the order of the help. */
export const topics: Readonly<Record<string, readonly string[]>> = {
  'Core commands:': [
    'send',
    'call',
    'read',
    'deploy',
    'batch',
    'action',
    'search',
    'timeline',
    'tail',
    'open',
  ],
  'Wallets and ledgers:': ['wallet', 'ledger', 'node', 'explorer'],
  'Contracts:': ['contract', 'template'],
  'Access:': [
    ...['login', 'logout', 'whoami', 'profile', 'org', 'project', 'app', 'account', 'token', 'key'],
    ...['role', 'invite'],
  ],
  'Operate:': [
    ...['init', 'serve', 'dev', 'suspend', 'suspended', 'resume', 'webhook', 'plugin', 'storage', 'doctor'],
    ...['backup', 'restore', 'migrate', 'move', 'verify', 'end-pending', 'adopt'],
  ],
  'Shell:': ['completion', 'complete'],
};
