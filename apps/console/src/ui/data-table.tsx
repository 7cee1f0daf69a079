import { clsx } from 'clsx';
import type { KeyboardEvent, ReactNode } from 'react';
import { Time } from './text.tsx';

export interface Column<Row> {
  readonly id: string;
  readonly header: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  /** Narrower screens hide the column. */
  readonly from?: keyof typeof shown;
  readonly align?: 'right';
}

export const createdColumn = (from: 'sm' | 'lg'): Column<{ readonly createdAt: string }> => ({
  id: 'createdAt',
  header: 'Created',
  from,
  align: 'right',
  cell: ({ createdAt }) => <Time at={createdAt} />,
});

/** A cell with a name or link and, below it, details in small print. */
export function Named({ children, details }: { children: ReactNode; details: ReactNode }) {
  return (
    <div className="min-w-0">
      <p className="font-medium wrap-anywhere">{children}</p>
      {details ? <p className="text-xs wrap-anywhere text-ink-3">{details}</p> : null}
    </div>
  );
}

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 };

/**
 * Focuses the first link of the next or previous row. If the table itself has the focus, focuses the first
 * link of the first row.
 */
function moveBetweenRows(event: KeyboardEvent<HTMLElement>): void {
  const step = steps[event.key];
  const { target, currentTarget } = event;
  const isTyping = target instanceof HTMLInputElement || target instanceof HTMLSelectElement;
  if (step === undefined || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  const rows = [...currentTarget.querySelectorAll('tbody tr')];
  const now = rows.findIndex((row) => target instanceof Node && row.contains(target));
  const next = rows.at(now === -1 ? 0 : Math.max(0, now + step));
  const link = next?.querySelector<HTMLElement>('a, button');
  if (link === undefined || link === null) return;
  event.preventDefault();
  link.focus();
}

const shown = { sm: 'max-sm:hidden', md: 'max-md:hidden', lg: 'max-lg:hidden' };

/**
 * A table of records. Cells contain links; rows have no click handler, because a keyboard could not use it. The arrow
 * keys, and J and K, move between the rows' links.
 */
export function DataTable<Row>({
  label,
  columns,
  rows,
  rowId,
  empty,
}: {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowId: (row: Row) => string;
  empty: ReactNode;
}) {
  if (rows.length === 0) return empty;
  // The columns on a narrow screen. The first and the last column touch the edges.
  const narrow = columns.filter(({ from }) => from === undefined);
  const classOf = (column: Column<Row>) =>
    clsx(
      column.from === undefined ? '' : shown[column.from],
      column.align === 'right' ? 'text-right' : 'text-left',
      column === narrow[0] && 'max-sm:pl-4',
      column === narrow.at(-1) && 'max-sm:pr-4',
    );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be focused
    <section aria-label={label} tabIndex={0} onKeyDown={moveBetweenRows} className="relative overflow-x-auto">
      <table className="w-full border-collapse text-sm">
        <thead>
          <tr className="border-b border-line text-xs text-ink-3">
            {columns.map((column) => (
              <th
                key={column.id}
                scope="col"
                className={clsx('px-2 py-2 font-medium sm:px-5', classOf(column))}
              >
                {column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={rowId(row)}
              className="border-b border-line last:border-0 focus-within:bg-accent-soft/40 hover:bg-sunken/60"
            >
              {columns.map((column) => (
                <td key={column.id} className={clsx('px-2 py-2.5 align-middle sm:px-5', classOf(column))}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
