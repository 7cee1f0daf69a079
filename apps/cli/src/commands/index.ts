import type { Command } from '../command.ts';
import { actions } from './actions.ts';
import { installation } from './installation.ts';
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
} as const;

/** Every command. */
export const commands: readonly Command[] = [
  ...installation,
  ...signIn,
  ...ledgers,
  ...wallets,
  ...operations,
  ...actions,
];
