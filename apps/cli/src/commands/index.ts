import type { Command } from '../command.ts';
import { access } from './access.ts';
import { actions } from './actions.ts';
import { completion } from './completion.ts';
import { contractEvents } from './contract-events.ts';
import { contracts } from './contracts.ts';
import { installation } from './installation.ts';
import { ledgers } from './ledgers.ts';
import { operations } from './operations.ts';
import { plugins } from './plugins.ts';
import { signIn } from './sign-in.ts';
import { wallets } from './wallets.ts';
import { webhooks } from './webhooks.ts';

/** Every command. */
export const commands: readonly Command[] = [
  ...installation,
  ...signIn,
  ...ledgers,
  ...wallets,
  ...operations,
  ...actions,
  ...access,
  ...plugins,
  ...webhooks,
  ...contracts,
  ...contractEvents,
  ...completion,
];
