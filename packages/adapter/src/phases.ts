import type { Phase } from './contract/problem.ts';
import type { SessionCall } from './host.ts';

/** The phase that a call belongs to. */
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
