import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ledgersQuery, technologiesQuery, walletQuery, walletsQuery } from '../../api/queries.ts';
import type { Schemas } from '../../api/types.ts';
import { ledgerNamed } from '../../lib/ledger-named.ts';

/** The wallet that an operation is sent from, with its ledger. */
export interface Target {
  readonly wallet: Schemas['Wallet'];
  readonly ledger: Schemas['AdminLedger'];
  /** Undefined: no plugin describes it. */
  readonly technology: Schemas['LedgerTechnologyDescription'] | undefined;
}

export interface Sender {
  readonly walletId: string;
  readonly choose: (walletId: string) => void;
  /** Undefined: no wallet is chosen, or not all of it is known; nothing can be sent without. */
  readonly target: Target | undefined;
  /** Why it will not be known. */
  readonly error: Error | null;
}

/** @param first id of the wallet that is chosen at the beginning */
export function useSender(first: string | undefined): Sender {
  const [walletId, choose] = useState(first ?? '');
  const list = useQuery(walletsQuery());
  const ledgers = useQuery(ledgersQuery());
  const technologies = useQuery(technologiesQuery());
  const listed = list.data?.pageContent.find((one) => one.walletId === walletId);
  const isBeyond = walletId !== '' && list.data !== undefined && listed === undefined;
  const asked = useQuery({ ...walletQuery(walletId), enabled: isBeyond });
  const wallet = listed ?? (isBeyond ? asked.data : undefined);
  const ledger = ledgerNamed(ledgers.data ?? [], wallet?.ledgerId);
  const isKnown = wallet !== undefined && ledger !== undefined && technologies.data !== undefined;
  const technology = technologies.data?.find(({ name }) => name === ledger?.technology);
  const isUnknown = wallet !== undefined && ledgers.data !== undefined && ledger === undefined;
  return {
    walletId,
    choose,
    target: isKnown ? { wallet, ledger, technology } : undefined,
    error:
      list.error ??
      (isBeyond ? asked.error : null) ??
      ledgers.error ??
      technologies.error ??
      (isUnknown
        ? new Error(
            `There is no ledger ${wallet.ledgerId} here, or several: nothing is sent from the wallet.`,
          )
        : null),
  };
}
