import { type ReactNode, useState } from 'react';
import { ApiProblem } from '../api/client.ts';
import { Card, Empty, Loading, PageHead } from './layout.tsx';
import { ProblemNote } from './problem.tsx';

/**
 * Stands where a record should that is not read: it is being loaded, is not there, or cannot be read. Its `key` is the
 * record's id: a failure stays while the same record is asked for again, when TanStack Query knows no error any more.
 */
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
  const [failure, setFailure] = useState(error);
  if (error !== null && error !== failure) setFailure(error);
  if (failure === null) return <Loading />;
  const isMissing = failure instanceof ApiProblem && failure.problem.status === 404;
  return (
    <>
      {up}
      <PageHead title={isMissing ? `There is no such ${name}` : `The ${name} cannot be shown`} />
      {isMissing ? (
        <Card>
          <Empty title={failure.message}>
            It may be gone, or belong to another project: the project is chosen in the menu.
          </Empty>
        </Card>
      ) : (
        <ProblemNote error={failure} canRetry />
      )}
    </>
  );
}
