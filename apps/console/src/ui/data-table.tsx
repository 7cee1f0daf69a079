import { clsx } from 'clsx';
import type { ReactNode } from 'react';

export interface Column<Row> {
  readonly id: string;
  readonly header: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  /** The column is left out on screens that are narrower. */
  readonly from?: keyof typeof shown;
  readonly align?: 'right';
}

const shown = { sm: 'max-sm:hidden', md: 'max-md:hidden', lg: 'max-lg:hidden' };

/** A table of records. Its cells lead on; its rows do not catch clicks, which keyboards could not follow. */
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
  // Those at the edges of a narrow screen.
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
    <section aria-label={label} tabIndex={0} className="relative overflow-x-auto">
      <table className="w-full border-collapse text-sm">
        <thead>
          <tr className="border-b border-line bg-sunken/60 text-xs text-ink-3">
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
            <tr key={rowId(row)} className="border-b border-line last:border-0 hover:bg-sunken/40">
              {columns.map((column) => (
                <td key={column.id} className={clsx('px-2 py-3 align-middle sm:px-5', classOf(column))}>
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
