import type { ProblemName } from '@ledger-ops/base';
import { ledgerProblems } from '../ledger-problems.ts';

export const sendProblems: readonly ProblemName[] = [
  'unsupported-glo-version',
  'wrong-ledger',
  'unknown-dependency',
  'wrong-wallet-password',
  'not-found',
  'conflict',
  'nonce-conflict',
  'wallets-mismatch',
  'insufficient-funds',
  'unknown-method',
  'unknown-contract',
  'unsupported-operation',
  'wrong-sender',
  'wrong-chain',
  'reverted',
  'out-of-gas',
  'not-preparable',
  ...ledgerProblems,
];
