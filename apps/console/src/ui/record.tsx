import type { ReactNode } from 'react';
import { ApiProblem } from '../api/client.ts';
import { Card, Empty, Loading, PageHead } from './layout.tsx';
import { ProblemNote } from './problem.tsx';

/** Stands where a record should that is not read: it is being loaded, is not there, or cannot be read. */
export function Unread({
  error,
  name,
  up,
}: {
  error: Error | null;
  /** As in `There is no such wallet`. */
  name: string;
  /** Leads to the list. */
  up: ReactNode;
}) {
  if (error === null) return <Loading />;
  const isMissing = error instanceof ApiProblem && error.problem.status === 404;
  return (
    <>
      {up}
      <PageHead title={isMissing ? `There is no such ${name}` : `The ${name} cannot be shown`} />
      {isMissing ? (
        <Card>
          <Empty title={error.message}>
            It may be gone, or belong to another project: the project is chosen in the menu.
          </Empty>
        </Card>
      ) : (
        <ProblemNote error={error} canRetry />
      )}
    </>
  );
}
