import { type FinishedAction, statusText } from '@ledger-ops/client/text';
import { amountText } from '../amounts.ts';

/** The members of an action that describe its operation. */
interface Described {
  readonly type: string | null;
  readonly method: string | null;
  readonly amount: string | null;
  readonly unit: Parameters<typeof amountText>[1];
  readonly walletId: string;
  readonly recipient: string | null;
  readonly contract: string | null;
}

/** Returns an operation in one line: `0.05 ETH from till to rent`. */
export function operationText(described: Described): string {
  const { walletId, recipient } = described;
  if (isTransfer(described)) return `${sumOf(described)} from ${walletId} to ${recipient ?? 'unknown'}`;
  return `${callText(described)} by ${walletId}${withSum(described)}`;
}

/** Returns an operation in one line, next to the name of its wallet: `0.05 ETH to rent`, `vault.take`. */
export function operationOfWallet(described: Omit<Described, 'walletId'>): string {
  if (isTransfer(described)) return `${sumOf(described)} to ${described.recipient ?? 'unknown'}`;
  return `${callText(described)}${withSum(described)}`;
}

type Part = Omit<Described, 'walletId'>;

/** Whether the operation transfers native currency itself, rather than tokens by calling a contract. */
const isTransfer = ({ type, method }: Part) => type === 'transfer' && method === null;
const callText = ({ type, contract, method }: Part) =>
  type === 'contract_deploy' ? `deploy ${contract ?? 'raw code'}` : `${contract}.${method ?? 'call'}`;
const sumOf = ({ amount, unit }: Part) => (amount === null ? '' : amountText(amount, unit));
const withSum = (described: Part) =>
  described.amount === null || described.amount === '0' ? '' : ` with ${sumOf(described)}`;

/** Returns a code for why an action is pending or has failed. Empty for a canceled action: its status is the reason. */
export function reasonCode(
  action: FinishedAction & { readonly pending?: { readonly code: string } | null },
): string {
  if (statusText(action) === 'CANCELED') return '';
  return action.pending?.code ?? action.problem?.type.split(':').at(-1) ?? '';
}
