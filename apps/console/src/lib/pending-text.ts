import { sentenceText } from './format.ts';

/** Short names of the reasons why actions are pending. */
const texts: Readonly<Record<string, string>> = {
  dependencies: 'Waiting for other actions',
  turn: 'Waiting to be signed',
  funds: 'The wallet lacks funds',
  'fee-cap': 'The fee is above its cap',
  approvals: 'Waiting for approvals',
  refused: 'Rejected for now',
  'earlier-actions': 'Behind earlier actions of the wallet',
  'nonce-gap': 'Waiting for an earlier nonce',
  'plugin-unavailable': 'The plugin is not running',
  'next-transaction': 'Another transaction follows',
  confirmation: 'Waiting for the ledger',
  late: 'Not confirmed in time',
  expiring: 'The transaction expires',
  'ledger-remark': 'The ledger reports why',
  'change-hindered': 'A requested change has to wait',
};

/** Returns a reason why actions are pending, by its code. Codes of newer servers are split into words. */
export function pendingText(code: string): string {
  return texts[code] ?? sentenceText(code);
}
