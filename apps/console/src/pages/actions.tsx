import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { createColumnHelper } from '@tanstack/react-table';
import { ChevronRight, ChevronsLeft } from 'lucide-react';
import { useRef } from 'react';
import { useEvents } from '../api/live.ts';
import { type ActionFilter, actionsQuery, countsQuery, ledgersQuery, queries } from '../api/queries.ts';
import type { Action } from '../api/types.ts';
import { actionText, amountText } from '../lib/format.ts';
import { buttonClass } from '../ui/button.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { Input, Select } from '../ui/field.tsx';
import { Card, Empty, Loading, PageHead } from '../ui/layout.tsx';
import { ProblemNote } from '../ui/problem.tsx';
import { Status } from '../ui/status.tsx';
import { Time } from '../ui/text.tsx';

const route = getRouteApi('/frame/actions');
const column = createColumnHelper<Action>();

export const actionColumns = [
  column.accessor('status', { header: 'State', cell: ({ row }) => <Status of={row.original} /> }),
  column.display({
    id: 'what',
    header: 'Operation',
    cell: ({ row: { original: action } }) => (
      <div className="max-w-md min-w-0">
        <Link
          to="/actions/$actionId"
          params={{ actionId: action.actionId }}
          className="font-medium break-words underline-offset-4 hover:underline"
        >
          {actionText(action)}
        </Link>
        <p className="text-xs break-words text-ink-3">
          {action.pending === undefined ? (action.tag ?? '') : action.pending.detail}
        </p>
      </div>
    ),
  }),
  column.accessor('walletId', { header: 'From', meta: { from: 'md' } }),
  column.accessor('ledgerId', {
    header: 'Ledger',
    meta: { from: 'md' },
    cell: (cell) => cell.getValue() ?? '—',
  }),
  column.display({
    id: 'fee',
    header: 'Fee',
    meta: { from: 'lg', align: 'right' },
    cell: ({ row: { original } }) => (original.fee === null ? '—' : amountText(original.fee, original.unit)),
  }),
  column.accessor('createdAt', {
    header: 'Accepted',
    meta: { align: 'right', from: 'sm' },
    cell: (cell) => <Time at={cell.getValue()} />,
  }),
];

export function Actions() {
  const filter = route.useSearch();
  const list = useQuery({ ...actionsQuery(filter), placeholderData: (before) => before });
  useRefresh();
  return (
    <>
      <PageHead title="Actions" about="Every operation that was accepted, and what has become of it." />
      <Filters filter={filter} />
      {list.isError ? <ProblemNote error={list.error} /> : null}
      {list.isPending ? <Loading /> : null}
      {list.data === undefined ? null : (
        <Card flush>
          <DataTable
            label="Actions"
            columns={actionColumns}
            rows={list.data.actions}
            rowId={({ actionId }) => actionId}
            empty={
              <Empty title="No action fits">
                {Object.keys(filter).length === 0
                  ? 'What is sent stands here.'
                  : 'Take a filter away to see more.'}
              </Empty>
            }
          />
          <Pages filter={filter} next={list.data.next} />
        </Card>
      )}
    </>
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

function Filters({ filter }: { filter: ActionFilter }) {
  const navigate = route.useNavigate();
  const ledgers = useQuery(ledgersQuery());
  const counts = useQuery(countsQuery());
  const set = (change: Partial<Record<keyof ActionFilter, string>>) =>
    void navigate({
      search: (before) => {
        const { cursor: _, ...kept } = { ...before, ...change };
        return Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== ''));
      },
      replace: true,
    });
  const { status } = counts.data ?? {};
  const states = [
    ['', 'All', undefined],
    ['PENDING', 'Pending', status?.PENDING],
    ['SUCCEEDED', 'Succeeded', status?.SUCCEEDED],
    ['FAILED', 'Failed', status?.FAILED],
  ] as const;
  return (
    <search className="mb-4 block space-y-3">
      <fieldset className="flex flex-wrap gap-1.5">
        <legend className="sr-only">State</legend>
        {states.map(([value, label, count]) => (
          <button
            key={value}
            type="button"
            aria-pressed={(filter.status ?? '') === value}
            onClick={() => set({ status: value })}
            className="inline-flex min-h-9 items-center gap-2 rounded-full border border-line bg-surface px-3.5 text-sm font-medium text-ink-2 hover:text-ink aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent"
          >
            {label}
            {count === undefined ? null : <span className="text-xs">{count.toLocaleString()}</span>}
          </button>
        ))}
      </fieldset>
      <div className="grid grid-cols-2 gap-2 md:grid-cols-4">
        <Select
          label="Kind"
          hideLabel
          value={filter.type ?? ''}
          onChange={({ target }) => set({ type: target.value })}
        >
          <option value="">Every kind</option>
          <option value="transfer">Transfers</option>
          <option value="contract_call">Calls</option>
          <option value="contract_deploy">Deployments</option>
        </Select>
        <Select
          label="Ledger"
          hideLabel
          value={filter.ledgerId ?? ''}
          onChange={({ target }) => set({ ledgerId: target.value })}
        >
          <option value="">Every ledger</option>
          {ledgers.data?.map(({ ledgerID, name }) => (
            <option key={ledgerID} value={ledgerID}>
              {name}
            </option>
          ))}
        </Select>
        <Input
          label="Wallet"
          hideLabel
          placeholder="Wallet"
          defaultValue={filter.wallet ?? ''}
          onBlur={({ target }) => set({ wallet: target.value.trim() })}
          onKeyDown={({ key, currentTarget }) =>
            key === 'Enter' && set({ wallet: currentTarget.value.trim() })
          }
        />
        <Input
          label="Tag"
          hideLabel
          placeholder="Tag"
          defaultValue={filter.tag ?? ''}
          onBlur={({ target }) => set({ tag: target.value.trim() })}
          onKeyDown={({ key, currentTarget }) => key === 'Enter' && set({ tag: currentTarget.value.trim() })}
        />
      </div>
      {filter.reason === undefined ? null : (
        <p className="text-sm text-ink-2">
          Pending for the reason <strong>{filter.reason}</strong>.{' '}
          <button type="button" className="underline" onClick={() => set({ reason: '' })}>
            Show all
          </button>
        </p>
      )}
    </search>
  );
}
