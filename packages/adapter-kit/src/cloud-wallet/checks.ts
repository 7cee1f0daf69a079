import type { CloudWalletCheck } from './check.ts';
import { coSignerChecks } from './checks-co-signers.ts';
import { dryChecks } from './checks-dry.ts';
import { eventChecks } from './checks-events.ts';
import { ledgerChecks } from './checks-ledger.ts';
import { operationChecks } from './checks-operations.ts';
import { transactionChecks } from './checks-transactions.ts';
import { walletChecks } from './checks-wallets.ts';

/** All checks of the cloud wallet protocol that are possible from outside. */
export const cloudWalletChecks: readonly CloudWalletCheck[] = [
  ...walletChecks,
  ...transactionChecks,
  ...operationChecks,
  ...ledgerChecks,
  ...coSignerChecks,
  ...dryChecks,
  ...eventChecks,
];
