import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { ApiProblem } from '../api/client.ts';

/** A failure in the service's words: what is wrong, and where. */
export function ProblemNote({ error, children }: { error: unknown; children?: ReactNode }) {
  const { title, detail, errors } = wordsOf(error);
  return (
    <div role="alert" className="flex gap-3 rounded-lg border border-bad/40 bg-bad-soft px-4 py-3 text-sm">
      <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-bad" />
      <div className="min-w-0">
        <p className="font-medium break-words">{title}</p>
        {detail === title ? null : <p className="mt-0.5 break-words">{detail}</p>}
        {errors.length === 0 ? null : (
          <ul className="mt-1 list-disc pl-4">
            {errors.map(({ pointer, detail: text }) => (
              <li key={pointer + text} className="break-words">
                {pointer === '' ? '' : <code className="font-mono text-xs">{pointer}</code>} {text}
              </li>
            ))}
          </ul>
        )}
        {children}
      </div>
    </div>
  );
}

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
