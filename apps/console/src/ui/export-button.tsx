import { csvOf } from '@ledger-ops/client/text';
import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { download } from '../lib/download.ts';
import { Button } from './button.tsx';

/** Downloads a list as CSV: all rows that match the filters, not only those of the page. */
export function ExportButton<Row>({
  name,
  columns,
  rows,
}: {
  /** Name of the file, without its extension. */
  name: string;
  columns: readonly (readonly [header: string, cell: (row: Row) => string])[];
  rows: () => Promise<readonly Row[]>;
}) {
  const request = useMutation({
    mutationFn: rows,
    onSuccess: (read) =>
      download({
        name: `${name}.csv`,
        text: csvOf(
          columns.map(([header]) => header),
          read.map((row) => columns.map(([, cell]) => cell(row))),
        ),
      }),
  });
  return (
    <>
      <Button busy={request.isPending} onClick={() => request.mutate()}>
        <Download aria-hidden="true" className="size-4" /> Export CSV
      </Button>
      {request.isError ? (
        <p role="alert" className="basis-full text-sm text-bad">
          {request.error.message}
        </p>
      ) : null}
    </>
  );
}
