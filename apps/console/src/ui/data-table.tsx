import {
  type ColumnDef,
  flexRender,
  getCoreRowModel,
  type RowData,
  useReactTable,
} from '@tanstack/react-table';
import { clsx } from 'clsx';
import type { ReactNode } from 'react';

declare module '@tanstack/react-table' {
  // Both parameters are the module's own.
  interface ColumnMeta<TData extends RowData, TValue> {
    /** The column is left out on screens that are narrower. */
    from?: 'sm' | 'md' | 'lg';
    align?: 'right';
  }
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
  // Cells of one table have many types; which, the columns themselves know.
  // biome-ignore lint/suspicious/noExplicitAny: as TanStack Table declares lists of columns
  columns: ColumnDef<Row, any>[];
  rows: readonly Row[];
  rowId: (row: Row) => string;
  empty: ReactNode;
}) {
  const table = useReactTable({
    data: rows as Row[],
    columns,
    getRowId: rowId,
    getCoreRowModel: getCoreRowModel(),
  });
  if (rows.length === 0) return empty;
  const classOf = (meta: { from?: keyof typeof shown; align?: string } | undefined) =>
    clsx(
      meta?.from === undefined ? '' : shown[meta.from],
      meta?.align === 'right' ? 'text-right' : 'text-left',
    );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be focused
    <section aria-label={label} tabIndex={0} className="overflow-x-auto">
      <table className="w-full border-collapse text-sm">
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id} className="border-y border-line bg-sunken/60 text-xs text-ink-3">
              {group.headers.map((header) => (
                <th
                  key={header.id}
                  scope="col"
                  className={clsx('px-5 py-2 font-medium', classOf(header.column.columnDef.meta))}
                >
                  {flexRender(header.column.columnDef.header, header.getContext())}
                </th>
              ))}
            </tr>
          ))}
        </thead>
        <tbody>
          {table.getRowModel().rows.map((row) => (
            <tr key={row.id} className="border-b border-line last:border-0 hover:bg-sunken/40">
              {row.getVisibleCells().map((cell) => (
                <td
                  key={cell.id}
                  className={clsx('px-5 py-3 align-middle', classOf(cell.column.columnDef.meta))}
                >
                  {flexRender(cell.column.columnDef.cell, cell.getContext())}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
