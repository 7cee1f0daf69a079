/** Words that are followed by others. */
export const groups = {
  profile: 'Installations, and who one is there.',
  ledger: 'Ledgers, and their nodes.',
  wallet: 'Wallets.',
  action: 'Actions: what was accepted, and what became of it.',
  org: 'Organizations.',
  project: 'Projects.',
  app: 'Applications.',
  account: 'Service accounts.',
  token: 'Tokens of accounts and applications.',
  plugin: 'Plugins: adapters of ledgers.',
  webhook: 'Webhooks.',
  contract: 'Registered contracts, in groups.',
  'contract events': 'Events of contracts: which are read, and what they tell.',
  template: 'What contracts are deployed from.',
  invite: 'Invitations of people.',
  role: 'Roles, and what one may do.',
} as const;
