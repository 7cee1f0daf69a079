import { useQuery } from '@tanstack/react-query';
import { type StorageLimit, storageQuery } from '../../api/access.ts';
import type { Project } from '../../api/person.ts';
import type { Column } from '../../ui/data-table.tsx';
import { Empty } from '../../ui/layout.tsx';
import { Records } from '../../ui/records.tsx';

/** Share of a limit above which the page shows a warning, as in the installation's alert. */
const nearLimit = 0.8;

const setBy = {
  default: 'the default',
  installation: 'the installation',
  organization: 'this organization',
} as const;

const columns: Column<StorageLimit>[] = [
  {
    id: 'limit',
    header: 'Limit',
    cell: ({ limit, description }) => (
      <div className="min-w-0">
        <p className="font-medium first-letter:uppercase">{description}</p>
        <p className="text-xs wrap-anywhere text-ink-3">{limit}</p>
      </div>
    ),
  },
  {
    id: 'used',
    header: 'Stored',
    align: 'right',
    cell: (one) => <Used of={one} />,
  },
  {
    id: 'most',
    header: 'At most',
    align: 'right',
    cell: ({ most, unit }) => <span className="whitespace-nowrap">{inUnits(most, unit)}</span>,
  },
  { id: 'setBy', header: 'Set by', from: 'md', align: 'right', cell: (one) => setBy[one.setBy] },
];

/** Storage usage and limits of the project's organization. */
export function Storage({ project: { organizationId } }: { project: Project }) {
  const list = useQuery(storageQuery(organizationId));
  const near = list.data?.filter((one) => shareOf(one) >= nearLimit) ?? [];
  return (
    <>
      {near.length === 0 ? null : (
        <p className="mb-5 rounded-lg bg-wait-soft px-4 py-3 text-sm wrap-anywhere">
          <span className="font-medium">
            {organizationId} uses more than 80% of {near.length === 1 ? 'a storage limit' : 'storage limits'}:
          </span>{' '}
          {near.map(({ description }) => description).join(', ')}. Remove what is not needed, or ask an
          administrator of the installation to raise the limit.
        </p>
      )}
      <Records
        title={`Storage of ${organizationId}`}
        label="Storage limits table"
        list={list}
        columns={columns}
        rowId={({ limit }) => limit}
        empty={<Empty title="No storage limits">The storage of this organization is not limited.</Empty>}
      />
    </>
  );
}

function Used({ of }: { of: StorageLimit }) {
  const { used, unit } = of;
  if (used === null) return <span className="text-ink-3">–</span>;
  const share = shareOf(of);
  return (
    <span className={share >= nearLimit ? 'font-medium whitespace-nowrap' : 'whitespace-nowrap'}>
      {inUnits(used, unit)}
      <span className="block text-xs text-ink-3">{Math.floor(100 * share)}%</span>
    </span>
  );
}

function shareOf({ used, most }: StorageLimit): number {
  return used === null || used === 0 ? 0 : used / Math.max(1, most);
}

const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** Formats a number of records, or bytes in a readable unit. */
function inUnits(amount: number, unit: StorageLimit['unit']): string {
  if (unit === 'records') return amount.toLocaleString('en-US');
  let value = amount;
  let at = 0;
  while (value >= 1_024 && at < units.length - 1) {
    value /= 1_024;
    at += 1;
  }
  return `${value.toLocaleString('en-US', { maximumFractionDigits: 1 })} ${units[at]}`;
}
