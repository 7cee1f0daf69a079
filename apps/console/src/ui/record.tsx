import { type ReactNode, useState } from 'react';
import { ApiProblem } from '../api/client.ts';
import { sentenceText } from '../lib/format.ts';
import { Card, Empty, Loading, PageHead } from './layout.tsx';
import { ProblemNote } from './problem.tsx';

/**
 * Placeholder for a record that is loading, missing or unreadable. Its `key` must be the record's id. The
 * error stays visible during a retry, although TanStack Query has already cleared it.
 */
export function Unread({
  error,
  name,
  up,
}: {
  error: Error | null;
  /** Kind of record, as in `Wallet not found`. */
  name: string;
  /** Link to the list. */
  up: ReactNode;
}) {
  const [failure, setFailure] = useState(error);
  if (error !== null && error !== failure) setFailure(error);
  if (failure === null) return <Loading />;
  const isMissing = failure instanceof ApiProblem && failure.problem.status === 404;
  return (
    <>
      {up}
      <PageHead title={isMissing ? `${sentenceText(name)} not found` : `The ${name} cannot be shown`} />
      {isMissing ? (
        <Card>
          <Empty title={failure.message}>
            It may have been deleted, or belong to another project. Choose the project in the menu.
          </Empty>
        </Card>
      ) : (
        <ProblemNote error={failure} canRetry />
      )}
    </>
  );
}
