import type { Phase } from '@ledger-ops/adapter';
import type { SessionCall } from './messages/messages.ts';

/** As `phaseOf` of the adapter package, which a child process cannot read. */
export const phaseOf: Readonly<Record<SessionCall, Phase>> = {
  chain: 'open',
  createWallet: 'wallet',
  advanceWallet: 'wallet',
  renewWallet: 'wallet',
  check: 'check',
  estimate: 'estimate',
  prepare: 'prepare',
  advance: 'prepare',
  replace: 'prepare',
  inspect: 'confirm',
  submit: 'submit',
  confirm: 'confirm',
  sequences: 'check',
  balances: 'check',
  normaliseAddress: 'check',
  describeContract: 'interface',
  contractEvents: 'lookup',
  emulate: 'emulate',
  emulateAs: 'emulate',
  advanceEmulation: 'emulate',
  lookup: 'lookup',
};
