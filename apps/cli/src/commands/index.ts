import type { Command } from '../command.ts';
import { access } from './access.ts';
import { actions } from './actions.ts';
import { installation } from './installation.ts';
import { integrations } from './integrations.ts';
import { ledgers } from './ledgers.ts';
import { operations } from './operations.ts';
import { signIn } from './sign-in.ts';
import { wallets } from './wallets.ts';

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
  contract: 'Registered contracts.',
  role: 'Roles, and what one may do.',
} as const;

/** Every command. */
export const commands: readonly Command[] = [
  ...installation,
  ...signIn,
  ...ledgers,
  ...wallets,
  ...operations,
  ...actions,
  ...access,
  ...integrations,
];
