import { actionCsv, actionText } from '@ledger-ops/client/text';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ChevronRight, ChevronsLeft } from 'lucide-react';
import { useRef } from 'react';
import { useEvents } from '../api/live.ts';
import { type ActionFilter, actionsQuery, allActions, queries } from '../api/queries.ts';
import type { Action } from '../api/types.ts';
import { buttonClass } from '../ui/button.tsx';
import type { Column } from '../ui/data-table.tsx';
import { ExportButton } from '../ui/export-button.tsx';
import { Empty, PageHead, RecordLink } from '../ui/layout.tsx';
import { LedgerName } from '../ui/names.tsx';
import { Records } from '../ui/records.tsx';
import { Status } from '../ui/status.tsx';
import { Amount, Time } from '../ui/text.tsx';
import { Filters } from './actions/filters.tsx';
import { SavedFilters } from './actions/saved-filters.tsx';

const route = getRouteApi('/frame/actions');

export const actionColumns: Column<Action>[] = [
  { id: 'status', header: 'State', cell: (row) => <Status of={row} /> },
  {
    id: 'what',
    header: 'Operation',
    cell: (action) => (
      <div className="max-w-md min-w-0">
        <RecordLink to="/actions/$actionId" params={{ actionId: action.actionId }}>
          {actionText(action)}
        </RecordLink>
        {action.problem === undefined ? null : (
          <p className="line-clamp-2 text-xs wrap-anywhere text-bad" title={action.problem.detail}>
            {action.problem.detail}
          </p>
        )}
        <p className="line-clamp-3 text-xs wrap-anywhere text-ink-3" title={action.pending?.detail}>
          {action.pending === undefined ? (action.tag ?? '') : action.pending.detail}
        </p>
        <p className="text-xs text-ink-3 sm:hidden">
          <Time at={action.createdAt} />
        </p>
      </div>
    ),
  },
  { id: 'walletId', header: 'From', from: 'md', cell: (one) => one.walletId },
  {
    id: 'ledgerId',
    header: 'Ledger',
    from: 'md',
    cell: (one) => (one.ledgerId === null ? '—' : <LedgerName id={one.ledgerId} />),
  },
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
      <PageHead title="Actions" about="Every accepted operation and its status.">
        <ExportButton name="actions" columns={Object.entries(actionCsv)} rows={() => allActions(filter)} />
      </PageHead>
      <SavedFilters />
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

/** @param isSearched whether all actions were searched */
function NoAction({
  filter: { cursor, ...rest },
  isSearched,
}: {
  filter: ActionFilter;
  isSearched: boolean;
}) {
  if (!isSearched) {
    return (
      <Empty title="One request searches a limited number of actions: choose Older to continue.">
        One request searches a limited number of actions: choose Older to continue.
      </Empty>
    );
  }
  if (cursor !== undefined) return <Empty title="There are no older actions" />;
  if (Object.keys(rest).length > 0) {
    return <Empty title="No action matches">Remove a filter to see more.</Empty>;
  }
  return (
    <Empty title="No actions yet">
      <p>
        An action is an accepted transfer, call or deployment. The service signs it, sends it once, and
        follows it until the ledger has confirmed it.
      </p>
      <Link to="/send" search={{}} className={buttonClass('primary', 'mt-3')}>
        New operation
      </Link>
    </Empty>
  );
}

/** Reloads changed data, at most once a second regardless of the number of events. */
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
