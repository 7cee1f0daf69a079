import type { Query } from '@tanstack/react-query';
import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { ApiProblem } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { wordsOf as nameWords, sentenceText } from '../lib/format.ts';
import { Button } from './button.tsx';
import { faultsOf, useOtherFaults } from './form-errors.tsx';

/**
 * Shows an error from the service: its title, then its detail. In a form, errors of single values are shown
 * at their fields. Values without a field are listed in this note by name.
 */
export function ProblemNote({
  error,
  children,
  canRetry = false,
}: {
  error: unknown;
  children?: ReactNode;
  /**
   * The error concerns data that the page loads. Offers a retry, unless the service would send the same
   * response.
   */
  canRetry?: boolean;
}) {
  const { title, detail, errors } = wordsOf(error);
  const others = useOtherFaults(error);
  const isAllMarked = faultsOf(error).length > 0 && others.length === 0;
  return (
    <div role="alert" className="flex gap-3 rounded-lg border border-bad/40 bg-bad-soft px-4 py-3 text-sm">
      <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-bad" />
      <div className="min-w-0">
        <p className="font-medium wrap-anywhere">
          {isAllMarked && errors.length > 0 ? 'Some fields are not valid' : title}
        </p>
        {detail === title || errors.length > 0 || isAllMarked ? null : (
          <p className="mt-0.5 wrap-anywhere">{detail}</p>
        )}
        {errors.length > others.length || isAllMarked ? (
          <p className="mt-0.5">Correct the marked fields.</p>
        ) : null}
        {errors.length === 0 || others.length === 0 ? null : (
          <ul className="mt-1 list-disc pl-4">
            {others.map(({ pointer, detail: text }) => (
              <li key={pointer + text} className="wrap-anywhere">
                {nameOf(pointer)} {text}
              </li>
            ))}
          </ul>
        )}
        {error instanceof ApiProblem && error.name === 'not-permitted' ? (
          <p className="mt-1">
            An owner of the project or the organization can grant you a role with this permission.
          </p>
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

/** The last name in a JSON pointer, in words; empty if it has none. */
function nameOf(pointer: string): string {
  const name = pointer.split('/').findLast((part) => part !== '' && !/^\d+$/.test(part)) ?? '';
  return sentenceText(nameWords(name));
}

const hasFailed = (query: Query) => query.state.status === 'error';

function wordsOf(error: unknown) {
  if (error instanceof ApiProblem) {
    const { title, detail, errors = [] } = error.problem;
    return { title, detail, errors };
  }
  // `fetch` reports a failed connection only as a TypeError.
  const text = error instanceof TypeError ? 'The service cannot be reached.' : messageOf(error);
  return { title: text, detail: text, errors: [] };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'Something failed.';
}
