import { amountText } from '@ledger-ops/client/text';
import type { ActionDetails, Schemas } from '../api/types.ts';
import { type Fix, fixOf } from './fix.ts';
import { storedOf } from './glo-of.ts';

/** Initial values of the forms for operations. */
export interface FirstValues {
  readonly wallet?: string | undefined;
  readonly recipient?: string | undefined;
  /** The amount as a user types it, in the currency's main unit. */
  readonly amount?: string | undefined;
  /** Id of a registered contract. */
  readonly contract?: string | undefined;
  /** Address of a contract that is not registered. */
  readonly address?: string | undefined;
  readonly method?: string | undefined;
  readonly args?: readonly string[] | undefined;
  /** Template and version: `token:1`. */
  readonly template?: string | undefined;
  readonly tag?: string | undefined;
  /** The fields to change before the action is sent again. */
  readonly fix?: Fix | undefined;
}

/** Returns the values of an earlier action, to send it again. */
export function firstValuesOf(
  action: Pick<ActionDetails, 'operation' | 'walletId' | 'amount' | 'unit' | 'problem' | 'tag'>,
  contracts: readonly Pick<Schemas['Contract'], 'contractId' | 'ledgerReference'>[],
): FirstValues {
  const { recipient, contract, source, method, args } = storedOf(action);
  const address = contract?.resource;
  const registered = contracts.find(
    ({ contractId, ledgerReference }) =>
      contractId === address || ledgerReference.nativeReference.toLowerCase() === address?.toLowerCase(),
  );
  return {
    wallet: action.walletId,
    recipient: recipient?.resource,
    amount:
      action.amount === null || action.amount === '0'
        ? undefined
        : amountText(action.amount, { symbol: '', decimals: action.unit?.decimals ?? 0 }).replaceAll(' ', ''),
    contract: registered?.contractId,
    address: registered === undefined ? address : undefined,
    method: method?.name,
    args: method?.args ?? args,
    template: source?.resource,
    tag: action.tag ?? undefined,
    fix: fixOf(action.problem),
  };
}
