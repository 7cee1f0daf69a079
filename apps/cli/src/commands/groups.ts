/** Command groups: words that must be followed by a subcommand. */
export const groups = {
  profile: 'Lists and selects stored URLs and credentials.',
  ledger: 'Lists, adds and changes ledgers, and checks whether they work.',
  node: 'Lists, adds and changes the nodes of ledgers.',
  explorer: 'Lists, adds and changes explorers, which show the transactions of ledgers.',
  wallet: 'Lists, creates and exports wallets, and changes their passwords.',
  action: 'Lists, explains, watches and cancels actions, which are accepted operations.',
  org: 'Lists, creates and archives organizations, which contain projects.',
  project: 'Lists, creates and archives projects, which contain wallets and ledgers.',
  app: 'Lists, creates and archives applications, which identify programs.',
  account: 'Lists, creates and archives service accounts, the accounts of programs.',
  token: 'Issues, lists and disables tokens of service accounts and applications.',
  key: 'Lists, creates and disables the keys of service accounts.',
  plugin: 'Registers, checks and activates plugins, which connect ledgers.',
  webhook: 'Lists, adds and tests webhooks, and replays events to them.',
  contract: 'Lists, registers and changes contracts, and shows their methods.',
  'contract events': 'Lists, adds, removes and watches subscriptions to events of contracts.',
  template: 'Lists and adds templates, the versioned code of contracts to deploy.',
  invite: 'Sends, lists and cancels invitations of people.',
  role: 'Grants, revokes, lists and checks roles and permissions.',
  storage: 'Lists and sets storage limits of organizations.',
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
