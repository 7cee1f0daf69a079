import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ledgersQuery } from '../api/queries.ts';
import type { Schemas } from '../api/types.ts';
import { Button } from '../ui/button.tsx';
import type { Column } from '../ui/data-table.tsx';
import { Empty, PageHead, RecordLink } from '../ui/layout.tsx';
import { Owner } from '../ui/names.tsx';
import { Permitted } from '../ui/permitted.tsx';
import { Records } from '../ui/records.tsx';
import { LedgerHealth } from './ledger/health.tsx';
import { TechnologyTitle } from './ledger/technology.tsx';
import { NewLedger } from './ledgers/ledger-form.tsx';

const columns: Column<Schemas['AdminLedger']>[] = [
  {
    id: 'name',
    header: 'Ledger',
    cell: (ledger) => (
      <RecordLink to="/ledgers/$ledgerId" params={{ ledgerId: ledger.ledgerId }}>
        {ledger.name}
      </RecordLink>
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
  { id: 'projectId', header: 'Owner', from: 'md', cell: (one) => <Owner projectId={one.projectId} /> },
];

export function Ledgers() {
  const list = useQuery(ledgersQuery());
  const navigate = useNavigate();
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <PageHead
        title="Ledgers"
        about="Ledgers to which this project can send operations: its own, and those that all projects share."
      >
        <Permitted permission="ledger:create">
          <Button look="primary" onClick={() => setAdding(true)}>
            New ledger
          </Button>
        </Permitted>
      </PageHead>
      <Records
        label="Ledgers"
        list={list}
        columns={columns}
        rowId={({ uid }) => uid}
        empty={<Empty title="No ledgers yet">Add one with the URL of a node.</Empty>}
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
