import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ledgersQuery } from '../api/queries.ts';
import type { Schemas } from '../api/types.ts';
import { ownerText } from '../lib/format.ts';
import type { Column } from '../ui/data-table.tsx';
import { Empty, PageHead } from '../ui/layout.tsx';
import { Records } from '../ui/records.tsx';
import { LedgerHealth } from './ledger/health.tsx';
import { TechnologyTitle } from './ledger/technology.tsx';

const columns: Column<Schemas['AdminLedger']>[] = [
  {
    id: 'name',
    header: 'Ledger',
    cell: (ledger) => (
      <Link
        to="/ledgers/$ledgerId"
        params={{ ledgerId: ledger.ledgerId }}
        className="font-medium break-words underline-offset-4 hover:underline"
      >
        {ledger.name}
      </Link>
    ),
  },
  {
    id: 'health',
    header: 'State',
    cell: (row) => <LedgerHealth ledgerId={row.ledgerId} />,
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
  return (
    <>
      <PageHead
        title="Ledgers"
        about="The ledgers that operations of this project can be sent to: its own, and those of the deployer."
      />
      <Records
        label="Ledgers"
        list={list}
        columns={columns}
        rowId={({ ledgerId }) => ledgerId}
        empty={
          <Empty title="No ledger yet">
            One is added with <code className="font-mono text-xs">ledger-ops ledger add</code>.
          </Empty>
        }
      />
    </>
  );
}
