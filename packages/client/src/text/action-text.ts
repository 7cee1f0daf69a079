import type { components } from '../schema.generated.ts';
import { shortAmountText } from './amount-text.ts';
import { shortText } from './short-text.ts';

/** The members of an action that its summary contains. */
export type SummarizedAction = Pick<
  components['schemas']['ActionOverview'],
  'type' | 'amount' | 'unit' | 'recipient' | 'method' | 'contract' | 'names' | 'argumentsPreview'
>;

/** One-line summary of an action: `Transfer 0.05 ETH to rent`, `Token.transfer(rent, 500)`. */
export function actionText(action: SummarizedAction): string {
  const { type, amount, unit, recipient, contract, names } = action;
  const sum = amount === null || amount === '0' ? '' : shortAmountText(amount, unit);
  switch (type) {
    case 'transfer':
      return `Transfer ${sum === '' ? 'nothing' : sum} to ${names.recipient ?? shortText(recipient ?? '')}`;
    case 'contract_call':
      return `${callText(action)}${sum && `, with ${sum}`}`;
    case 'contract_deploy':
      return `Deploy ${names.contract ?? shortText(contract ?? 'raw code', 12)}${sum && `, with ${sum}`}`;
    default:
      return 'Operation';
  }
}

/** Maximum number of arguments that a summary shows. */
const shownArguments = 3;

function callText({ method, contract, names, argumentsPreview }: SummarizedAction): string {
  const [, deployment] = /^action:(.+)$/.exec(contract ?? '') ?? [];
  const called = names.contract ?? (deployment === undefined ? shortText(contract ?? '') : 'new contract');
  if (method === null) return `Call ${called} with raw data`;
  const given = argumentsPreview ?? [];
  const shown = given
    .slice(0, shownArguments)
    .map((text, index) => names.arguments[index] ?? shortText(text));
  const args = given.length > shownArguments ? [...shown, '…'] : shown;
  return `${called}.${method.replace(/\(.*/, '')}(${args.join(', ')})`;
}

/** The members of an action that show whether it was canceled, or lost its result. */
export interface FinishedAction<Status extends string = string> {
  readonly status: Status;
  readonly problem?: { readonly type: string } | null | undefined;
  /** Present while the result is missing from the ledger because a reorg removed it. */
  readonly retracted?: object | null | undefined;
}

/**
 * Returns the status in words for users. The status itself does not change once it is final: programs read
 * FAILED for a canceled action, and the original status and `retracted` for a retracted action.
 */
export function statusText<Status extends string>({
  status,
  problem,
  retracted,
}: FinishedAction<Status>): Status | 'CANCELED' | 'RETRACTED' {
  if (retracted !== undefined && retracted !== null) return 'RETRACTED';
  return problem?.type.endsWith(':cancelled') === true ? 'CANCELED' : status;
}
