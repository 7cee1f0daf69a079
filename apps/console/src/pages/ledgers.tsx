import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ledgersQuery } from '../api/queries.ts';
import type { Schemas } from '../api/types.ts';
import { ownerText } from '../lib/format.ts';
import { Button } from '../ui/button.tsx';
import type { Column } from '../ui/data-table.tsx';
import { Empty, PageHead } from '../ui/layout.tsx';
import { Records } from '../ui/records.tsx';
import { LedgerHealth } from './ledger/health.tsx';
import { TechnologyTitle } from './ledger/technology.tsx';
import { NewLedger } from './ledgers/ledger-form.tsx';

const columns: Column<Schemas['AdminLedger']>[] = [
  {
    id: 'name',
    header: 'Ledger',
    cell: (ledger) => (
      <Link
        to="/ledgers/$ledgerId"
        params={{ ledgerId: ledger.ledgerId }}
        className="font-medium wrap-anywhere underline-offset-4 hover:underline"
      >
        {ledger.name}
      </Link>
    ),
  },
  {
    id: 'health',
    header: 'State',
    cell: (row) => <LedgerHealth uid={row.uid} />,
  },
  { id: 'ledgerId', header: 'Id', from: 'md', cell: (one) => one.ledgerId },
  {
    id: 'technology',
    header: 'Technology',
    from: 'sm',
    cell: (one) => <TechnologyTitle name={one.technology} />,
  },
  { id: 'projectId', header: 'Owner', from: 'md', cell: (one) => ownerText(one.projectId) },
];

export function Ledgers() {
  const list = useQuery(ledgersQuery());
  const navigate = useNavigate();
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <PageHead
        title="Ledgers"
        about="The ledgers that operations of this project can be sent to: its own, and those of the deployer."
      >
        <Button look="primary" onClick={() => setAdding(true)}>
          New ledger
        </Button>
      </PageHead>
      <Records
        label="Ledgers"
        list={list}
        columns={columns}
        rowId={({ uid }) => uid}
        empty={
          <Empty title="No ledger yet">Add one with the address of a node: it tells which chain it is.</Empty>
        }
      />
      {isAdding ? (
        <NewLedger
          done={(ledgerId) => void navigate({ to: '/ledgers/$ledgerId', params: { ledgerId } })}
          close={() => setAdding(false)}
        />
      ) : null}
    </>
  );
}
