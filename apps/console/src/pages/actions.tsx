import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ChevronRight, ChevronsLeft } from 'lucide-react';
import { useRef } from 'react';
import { useEvents } from '../api/live.ts';
import { type ActionFilter, actionsQuery, queries } from '../api/queries.ts';
import type { Action } from '../api/types.ts';
import { actionText } from '../lib/format.ts';
import { buttonClass } from '../ui/button.tsx';
import type { Column } from '../ui/data-table.tsx';
import { Empty, PageHead } from '../ui/layout.tsx';
import { Records } from '../ui/records.tsx';
import { Status } from '../ui/status.tsx';
import { Amount, Time } from '../ui/text.tsx';
import { Filters } from './actions/filters.tsx';

const route = getRouteApi('/frame/actions');

export const actionColumns: Column<Action>[] = [
  { id: 'status', header: 'State', cell: (row) => <Status of={row} /> },
  {
    id: 'what',
    header: 'Operation',
    cell: (action) => (
      <div className="max-w-md min-w-0">
        <Link
          to="/actions/$actionId"
          params={{ actionId: action.actionId }}
          className="font-medium wrap-anywhere underline-offset-4 hover:underline"
        >
          {actionText(action)}
        </Link>
        <p className="text-xs wrap-anywhere text-ink-3">
          {action.pending === undefined ? (action.tag ?? '') : action.pending.detail}
        </p>
        <p className="text-xs text-ink-3 sm:hidden">
          <Time at={action.createdAt} />
        </p>
      </div>
    ),
  },
  { id: 'walletId', header: 'From', from: 'md', cell: (one) => one.walletId },
  { id: 'ledgerId', header: 'Ledger', from: 'md', cell: (one) => one.ledgerId ?? '—' },
  {
    id: 'fee',
    header: 'Fee',
    from: 'lg',
    align: 'right',
    cell: (original) => (original.fee === null ? '—' : <Amount of={original.fee} unit={original.unit} />),
  },
  {
    id: 'createdAt',
    header: 'Accepted',
    align: 'right',
    from: 'sm',
    cell: (one) => <Time at={one.createdAt} />,
  },
];

export function Actions() {
  const filter = route.useSearch();
  const list = useQuery({ ...actionsQuery(filter), placeholderData: (before) => before });
  useRefresh();
  return (
    <>
      <PageHead title="Actions" about="Every operation that was accepted, and what became of it." />
      <Filters filter={filter} />
      <Records
        label="Actions"
        list={{ data: list.data?.actions, error: list.error }}
        columns={actionColumns}
        rowId={({ actionId }) => actionId}
        empty={<NoAction filter={filter} isSearched={list.data?.next === null} />}
      >
        {list.data === undefined ? null : <Pages filter={filter} next={list.data.next} />}
      </Records>
    </>
  );
}

/** @param isSearched whether all that there are were looked through */
function NoAction({
  filter: { cursor, ...rest },
  isSearched,
}: {
  filter: ActionFilter;
  isSearched: boolean;
}) {
  if (!isSearched) {
    return <Empty title="None of these fits">So many are looked through at once: Older goes on.</Empty>;
  }
  if (cursor !== undefined) return <Empty title="There is no older one" />;
  if (Object.keys(rest).length > 0) {
    return <Empty title="No action fits">Take a filter away to see more.</Empty>;
  }
  return (
    <Empty title="No action yet">
      <Link to="/send" search={{}} className={buttonClass('primary', 'mt-3')}>
        New operation
      </Link>
    </Empty>
  );
}

/** Asks anew for what changed, at most once a second however much happens. */
export function useRefresh(): void {
  const waiting = useRef(false);
  useEvents(() => {
    if (waiting.current) return;
    waiting.current = true;
    setTimeout(() => {
      waiting.current = false;
      void queries.invalidateQueries({ queryKey: ['actions'] });
    }, 1_000);
  });
}

function Pages({ filter, next }: { filter: ActionFilter; next: string | null }) {
  const { cursor, ...first } = filter;
  if (cursor === undefined && next === null) return null;
  return (
    <nav aria-label="Pages" className="flex justify-end gap-2 border-t border-line px-5 py-3">
      {cursor === undefined ? null : (
        <Link from="/actions" search={first} className={buttonClass()}>
          <ChevronsLeft aria-hidden="true" className="size-4" /> Newest
        </Link>
      )}
      {next === null ? null : (
        <Link from="/actions" search={{ ...filter, cursor: next }} className={buttonClass()}>
          Older <ChevronRight aria-hidden="true" className="size-4" />
        </Link>
      )}
    </nav>
  );
}
