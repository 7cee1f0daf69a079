import { sentenceText } from './format.ts';

/** Short names of the reasons why actions are pending. */
const texts: Readonly<Record<string, string>> = {
  dependencies: 'Waiting for other actions',
  turn: 'Waiting to be signed',
  funds: 'The wallet lacks funds',
  'fee-cap': 'The fee is above its cap',
  approvals: 'Waiting for approvals',
  refused: 'Rejected for now',
  'earlier-actions': 'Waiting for earlier actions of the wallet',
  'nonce-gap': 'Waiting for an earlier nonce',
  'plugin-unavailable': 'The plugin is not running',
  'next-transaction': 'Waiting for its next transaction',
  confirmation: 'Waiting for the ledger',
  late: 'Not confirmed in time',
  expiring: 'The transaction has expired or will soon',
  'ledger-remark': 'Reason reported by the ledger',
  'change-hindered': 'A requested change is not possible yet',
};

/** Returns a reason why actions are pending, by its code. Codes of newer servers are split into words. */
export function pendingText(code: string): string {
  return texts[code] ?? sentenceText(code);
}
