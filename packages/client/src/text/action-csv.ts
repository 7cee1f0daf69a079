import type { components } from '../schema.generated.ts';
import { actionText, statusText } from './action-text.ts';
import { decimalText } from './amount-text.ts';

type Action = components['schemas']['ActionOverview'];

/** Columns of actions in CSV, by heading. Amounts are in the unit that `unit` names. */
export const actionCsv = {
  id: (one) => one.actionId,
  accepted: (one) => one.createdAt,
  completed: (one) => one.endedAt ?? '',
  status: statusText,
  operation: actionText,
  type: (one) => one.type ?? '',
  wallet: (one) => one.walletId,
  ledger: (one) => one.ledgerId ?? '',
  recipient: (one) => one.recipient ?? '',
  contract: (one) => one.contract ?? '',
  method: (one) => one.method ?? '',
  amount: (one) => (one.amount === null ? '' : decimalText(one.amount, one.unit)),
  fee: (one) => (one.fee === null ? '' : decimalText(one.fee, one.unit)),
  unit: (one) => one.unit?.symbol ?? '',
  tag: (one) => one.tag ?? '',
  intent: (one) => one.intent ?? '',
  transaction: (one) => one.locator ?? '',
  error: (one) => one.problem?.detail ?? '',
} as const satisfies Readonly<Record<string, (action: Action) => string>>;
