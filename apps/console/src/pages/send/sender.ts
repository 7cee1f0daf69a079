import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ledgersQuery, technologiesQuery, walletQuery, walletsQuery } from '../../api/queries.ts';
import type { Schemas } from '../../api/types.ts';
import { ledgerNamed } from '../../lib/ledger-named.ts';

/** The sending wallet and its ledger. */
export interface Target {
  readonly wallet: Schemas['Wallet'];
  readonly ledger: Schemas['AdminLedger'];
  /** Undefined if no plugin describes the technology. */
  readonly technology: Schemas['LedgerTechnologyDescription'] | undefined;
}

export interface Sender {
  readonly walletId: string;
  readonly choose: (walletId: string) => void;
  /** Undefined until a wallet is chosen and its data is loaded. Nothing can be sent until then. */
  readonly target: Target | undefined;
  /** Error of loading the wallet's data. */
  readonly error: Error | null;
}

/** @param first id of the preselected wallet */
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
            `The wallet cannot send: its ledger ${wallet.ledgerId} does not exist, or several ledgers have this id.`,
          )
        : null),
  };
}
