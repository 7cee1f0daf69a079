import { useQueries, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { ledgersQuery, technologiesQuery, walletQuery, walletsQuery } from '../api/queries.ts';
import type { Schemas } from '../api/types.ts';
import { ledgerNamed } from '../lib/ledger-named.ts';
import { Button } from '../ui/button.tsx';
import { type Column, createdColumn } from '../ui/data-table.tsx';
import { Empty, PageHead, RecordLink } from '../ui/layout.tsx';
import { LedgerName } from '../ui/names.tsx';
import { Paging } from '../ui/paging.tsx';
import { Permitted } from '../ui/permitted.tsx';
import { Records } from '../ui/records.tsx';
import { Balance, Id } from '../ui/text.tsx';
import { NewWallet } from './wallets/new-wallet.tsx';

const route = getRouteApi('/frame/wallets');

/** `balance` is null if there is none or it is unavailable, undefined while it is loading. */
type Row = Schemas['Wallet'] & {
  balance: string | null | undefined;
  unit: Schemas['CurrencyUnit'] | undefined;
};
const columns: Column<Row>[] = [
  {
    id: 'walletId',
    header: 'Wallet',
    cell: (one) => (
      <RecordLink to="/wallets/$walletId" params={{ walletId: one.walletId }}>
        {one.walletId}
      </RecordLink>
    ),
  },
  {
    id: 'balance',
    header: 'Balance',
    align: 'right',
    cell: (original) => {
      if (original.balance === null) return '—';
      if (original.balance === undefined || original.unit === undefined) return '…';
      return <Balance of={original.balance} unit={original.unit} />;
    },
  },
  {
    id: 'walletAddress',
    header: 'Address',
    from: 'md',
    cell: (one) => <Id>{one.walletAddress}</Id>,
  },
  { id: 'ledgerId', header: 'Ledger', from: 'sm', cell: (one) => <LedgerName id={one.ledgerId} /> },
  createdColumn('lg'),
];

/** A small page, because the balance of each wallet is requested from its ledger. */
const size = 25;

export function Wallets() {
  const { page = 1 } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useQuery({ ...walletsQuery(page - 1, size), placeholderData: (before) => before });
  const unitOf = useUnits();
  const [making, setMaking] = useState(false);
  const wallets = list.data?.pageContent;
  const balances = useQueries({
    queries: (wallets ?? []).map(({ walletId }) => walletQuery(walletId)),
  });
  const rows = wallets?.map((wallet, index) => {
    const one = balances[index];
    const balance = one?.isError === true ? null : one?.data?.balance;
    return { ...wallet, balance, unit: unitOf(wallet.ledgerId) };
  });
  return (
    <>
      <PageHead
        title="Wallets"
        about="Accounts on ledgers. Each key is encrypted with its wallet’s password."
      >
        <Permitted permission="wallet:create">
          <Button look="primary" onClick={() => setMaking(true)}>
            New wallet
          </Button>
        </Permitted>
      </PageHead>
      <Records
        label="Wallets"
        list={{ data: rows, error: list.error }}
        columns={columns}
        rowId={({ walletId }) => walletId}
        empty={<Empty title="No wallets yet">Create one on a ledger to send operations from it.</Empty>}
      >
        <Paging
          page={page}
          size={size}
          total={list.data?.totalElements}
          choose={(next) => void navigate({ search: next === 1 ? {} : { page: next } })}
        />
      </Records>
      {making ? <NewWallet close={() => setMaking(false)} /> : null}
    </>
  );
}

/** The native currency of a ledger. Null if it has none, undefined while loading. */
export function useUnits(): (ledgerId: string) => Schemas['CurrencyUnit'] | undefined {
  const ledgers = useQuery(ledgersQuery());
  const technologies = useQuery(technologiesQuery());
  return (ledgerId) => {
    if (ledgers.data === undefined || technologies.data === undefined) return undefined;
    const ledger = ledgerNamed(ledgers.data, ledgerId);
    const name = ledger?.technology;
    return technologies.data.find((one) => one.name === name)?.unit ?? null;
  };
}
