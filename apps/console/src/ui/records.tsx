import type { ReactNode } from 'react';
import { type Column, DataTable } from './data-table.tsx';
import { Card, LoadingRows } from './layout.tsx';
import { ProblemNote } from './problem.tsx';

/** A list of records in one of four states: loading, failed, empty, or a table. */
export function Records<Row>({
  title,
  aside,
  list,
  children,
  ...table
}: {
  title?: string;
  aside?: ReactNode;
  list: { data: readonly Row[] | undefined; error: Error | null };
  label: string;
  columns: readonly Column<Row>[];
  rowId: (row: Row) => string;
  empty: ReactNode;
  /** Shown below the table. */
  children?: ReactNode;
}) {
  if (list.error !== null && list.data === undefined) return <ProblemNote error={list.error} canRetry />;
  return (
    <Card flush {...(title === undefined ? {} : { title })} aside={aside}>
      {list.data === undefined ? (
        <LoadingRows columns={table.columns.length} />
      ) : (
        <DataTable {...table} rows={list.data} />
      )}
      {children}
    </Card>
  );
}
