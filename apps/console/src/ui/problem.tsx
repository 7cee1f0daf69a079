import type { Query } from '@tanstack/react-query';
import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { ApiProblem } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { Button } from './button.tsx';

/** A failure in the service's words: its title, then its faults with their places, or where there are none its detail. */
export function ProblemNote({
  error,
  children,
  canRetry = false,
}: {
  error: unknown;
  children?: ReactNode;
  /** It is of data that the page asks for: offers to ask again, unless the answer would be the same. */
  canRetry?: boolean;
}) {
  const { title, detail, errors } = wordsOf(error);
  return (
    <div role="alert" className="flex gap-3 rounded-lg border border-bad/40 bg-bad-soft px-4 py-3 text-sm">
      <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-bad" />
      <div className="min-w-0">
        <p className="font-medium wrap-anywhere">{title}</p>
        {detail === title || errors.length > 0 ? null : <p className="mt-0.5 wrap-anywhere">{detail}</p>}
        {errors.length === 0 ? null : (
          <ul className="mt-1 list-disc pl-4">
            {errors.map(({ pointer, detail: text }) => (
              <li key={pointer + text} className="wrap-anywhere">
                {pointer === '' ? '' : <code className="font-mono text-xs">{pointer}</code>} {text}
              </li>
            ))}
          </ul>
        )}
        {error instanceof ApiProblem && error.name === 'not-permitted' ? (
          <p className="mt-1">Who owns the project, or the organization, can give you a role that has it.</p>
        ) : null}
        {canRetry && !(error instanceof ApiProblem && error.problem.status < 500) ? (
          <Button className="mt-2" onClick={() => void queries.refetchQueries({ predicate: hasFailed })}>
            Try again
          </Button>
        ) : null}
        {children}
      </div>
    </div>
  );
}

const hasFailed = (query: Query) => query.state.status === 'error';

function wordsOf(error: unknown) {
  if (error instanceof ApiProblem) {
    const { title, detail, errors = [] } = error.problem;
    return { title, detail, errors };
  }
  // Fetch says no more than this of a connection that failed.
  const text = error instanceof TypeError ? 'The service cannot be reached.' : messageOf(error);
  return { title: text, detail: text, errors: [] };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'Something failed.';
}
