import type { Command } from '../command.ts';
import { actions } from './actions.ts';
import { completion } from './completion.ts';
import { contractEvents } from './contract-events.ts';
import { contracts } from './contracts.ts';
import { explorers } from './explorers.ts';
import { installation } from './installation.ts';
import { invitations } from './invitations.ts';
import { ledgers } from './ledgers.ts';
import { operations } from './operations.ts';
import { organizations } from './organizations.ts';
import { plugins } from './plugins.ts';
import { roles } from './roles.ts';
import { search } from './search.ts';
import { signIn } from './sign-in.ts';
import { storage } from './storage.ts';
import { suspensions } from './suspensions.ts';
import { open, tail } from './tail.ts';
import { timeline } from './timeline.ts';
import { tokens } from './tokens.ts';
import { wallets } from './wallets.ts';
import { webhooks } from './webhooks.ts';

export const commands: readonly Command[] = [
  ...installation,
  ...signIn,
  ...ledgers,
  ...explorers,
  ...wallets,
  ...operations,
  ...actions,
  ...tail,
  ...open,
  ...search,
  ...timeline,
  ...suspensions,
  ...organizations,
  ...storage,
  ...tokens,
  ...roles,
  ...invitations,
  ...plugins,
  ...webhooks,
  ...contracts,
  ...contractEvents,
  ...completion,
];
