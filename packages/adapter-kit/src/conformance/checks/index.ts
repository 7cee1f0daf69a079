import type { AdapterCheck } from '../check.ts';
import { claimChecks } from './claims.ts';
import { coSigningChecks } from './co-signing.ts';
import { confirmChecks } from './confirm.ts';
import { definitionChecks } from './definition.ts';
import { effectChecks } from './effects.ts';
import { estimateChecks } from './estimate.ts';
import { eventChecks } from './events.ts';
import { expiringChecks } from './expiring.ts';
import { independentChecks } from './independent.ts';
import { listingChecks } from './listing.ts';
import { operationChecks } from './operations.ts';
import { raisingChecks } from './raising.ts';
import { readingChecks } from './reading.ts';
import { replacingChecks } from './replacing.ts';
import { sessionChecks } from './session.ts';
import { signingChecks } from './signing.ts';
import { submitChecks } from './submit.ts';
import { walletChecks } from './wallet.ts';

/**
 * All checks of the adapter interface that are possible from outside, in the order of an operation's phases.
 */
export const adapterChecks: readonly AdapterCheck[] = [
  ...definitionChecks,
  ...sessionChecks,
  ...walletChecks,
  ...operationChecks,
  ...estimateChecks,
  ...signingChecks,
  ...submitChecks,
  ...effectChecks,
  ...replacingChecks,
  ...independentChecks,
  ...claimChecks,
  ...coSigningChecks,
  ...expiringChecks,
  ...raisingChecks,
  ...confirmChecks,
  ...readingChecks,
  ...listingChecks,
  ...eventChecks,
];
