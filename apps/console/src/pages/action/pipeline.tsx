import { clsx } from 'clsx';
import { Check, X } from 'lucide-react';
import type { ActionDetails } from '../../api/types.ts';
import { durationText } from '../../lib/format.ts';
import { Card } from '../../ui/layout.tsx';
import { exact, useNow } from '../../ui/text.tsx';

/** From acceptance to the end, with the time that each step took. */
export function Pipeline({ action }: { action: ActionDetails }) {
  const { steps, status, pending } = action;
  const now = useNow();
  const times = [
    ['Accepted', steps.accepted],
    ['Signed', steps.signed],
    ['Sent', steps.sent],
    [status === 'FAILED' ? 'Failed' : 'Confirmed', steps.ended],
  ] as const;
  const reached = times.findLastIndex(([, at]) => at !== null);
  return (
    <Card title="Pipeline">
      <ol className="grid gap-y-4 sm:grid-cols-4">
        {times.map(([name, at], index) => {
          const before = times.slice(0, index).findLast(([, earlier]) => earlier !== null)?.[1] ?? null;
          const isNext = status === 'PENDING' && index === reached + 1;
          const isFailure = name === 'Failed';
          const Icon = isFailure ? X : Check;
          return (
            <li key={name} className="relative flex gap-3 sm:block">
              {index === 0 ? null : (
                <span
                  aria-hidden="true"
                  className={clsx(
                    'absolute max-sm:-top-4 max-sm:left-[0.8rem] max-sm:h-4 max-sm:w-0.5 sm:top-3 sm:right-[calc(100%-0.25rem)] sm:h-0.5 sm:w-[calc(100%-2.25rem)]',
                    at === null ? 'bg-line' : isFailure ? 'bg-bad' : 'bg-accent',
                  )}
                />
              )}
              <span
                aria-hidden="true"
                className={clsx(
                  'grid size-6.5 shrink-0 place-items-center rounded-full border-2 sm:mb-2',
                  at === null && !isNext && 'border-line text-transparent',
                  isNext && 'animate-pulse border-wait text-transparent',
                  at !== null && !isFailure && 'border-accent bg-accent text-accent-ink',
                  at !== null && isFailure && 'border-bad bg-bad text-surface',
                )}
              >
                <Icon className="size-3.5" strokeWidth={3} />
              </span>
              <span>
                <span className={clsx('block font-medium', at === null && !isNext && 'text-ink-3')}>
                  {name}
                </span>
                {at === null ? (
                  <span className="block text-xs text-ink-2">
                    {isNext && before !== null
                      ? `for ${durationText(now - Date.parse(before))}`
                      : status === 'PENDING'
                        ? 'later'
                        : 'not told'}
                  </span>
                ) : (
                  <time dateTime={at} title={exact(at)} className="block text-xs text-ink-2">
                    {index === 0
                      ? new Date(at).toLocaleTimeString()
                      : `+${durationText(Date.parse(at) - Date.parse(before ?? at))}`}
                  </time>
                )}
              </span>
            </li>
          );
        })}
      </ol>
      {pending === undefined ? null : (
        <p className="mt-4 rounded-lg bg-wait-soft px-4 py-2.5 text-sm wrap-anywhere text-wait">
          {pending.detail}
        </p>
      )}
    </Card>
  );
}
