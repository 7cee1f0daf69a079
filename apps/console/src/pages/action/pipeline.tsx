import { clsx } from 'clsx';
import { Ban, Check, Undo2, X } from 'lucide-react';
import type { ActionDetails } from '../../api/types.ts';
import { durationText } from '../../lib/format.ts';
import { type Step, stepsOf } from '../../lib/steps.ts';
import { Card } from '../../ui/layout.tsx';
import { exact, useNow } from '../../ui/text.tsx';

const icons: Readonly<Partial<Record<Step['name'], typeof Check>>> = {
  Failed: X,
  Canceled: Ban,
  Retracted: Undo2,
};

/** Steps from acceptance to completion, with the duration of each. Steps that a final action never reached are omitted. */
export function Pipeline({ action }: { action: ActionDetails }) {
  const now = useNow();
  const steps = stepsOf(action);
  return (
    <Card title="Progress">
      <ol className="grid gap-y-4 sm:grid-flow-col sm:auto-cols-[minmax(0,10rem)]">
        {steps.map((step, index) => {
          const { name, at, state } = step;
          const Icon = icons[name] ?? Check;
          const isBad = name === 'Failed' || name === 'Retracted';
          const isQuiet = name === 'Canceled';
          return (
            <li key={name} className="relative flex gap-3 sm:block">
              {index === 0 ? null : (
                <span
                  aria-hidden="true"
                  className={clsx(
                    'absolute max-sm:-top-4 max-sm:left-[0.8rem] max-sm:h-4 max-sm:w-0.5 sm:top-3 sm:right-[calc(100%-0.25rem)] sm:h-0.5 sm:w-[calc(100%-2.25rem)]',
                    state !== 'done' || isQuiet ? 'bg-line' : isBad ? 'bg-bad' : 'bg-accent',
                  )}
                />
              )}
              <span
                aria-hidden="true"
                className={clsx(
                  'grid size-6.5 shrink-0 place-items-center rounded-full border-2 sm:mb-2',
                  state === 'later' && 'border-line text-transparent',
                  state === 'next' && 'animate-pulse border-wait text-transparent',
                  state === 'done' && isQuiet && 'border-ink-3 bg-ink-3 text-surface',
                  state === 'done' && isBad && 'border-bad bg-bad text-surface',
                  state === 'done' && !isQuiet && !isBad && 'border-accent bg-accent text-accent-ink',
                )}
              >
                <Icon className="size-3.5" strokeWidth={3} />
              </span>
              <span>
                <span className={clsx('block font-medium', state === 'later' && 'text-ink-3')}>{name}</span>
                {at === null ? (
                  <span className="block text-xs text-ink-2">{openText(step, now)}</span>
                ) : (
                  <time dateTime={at} title={exact(at)} className="block text-xs text-ink-2">
                    {index === 0
                      ? new Date(at).toLocaleTimeString()
                      : `+${durationText(Date.parse(at) - Date.parse(step.since ?? at))}`}
                  </time>
                )}
              </span>
            </li>
          );
        })}
      </ol>
      {action.pending === undefined ? null : (
        <p className="mt-4 rounded-lg bg-wait-soft px-4 py-2.5 text-sm wrap-anywhere text-wait">
          {action.pending.detail}
        </p>
      )}
    </Card>
  );
}

/** The text below a step without a time. */
function openText({ state, since }: Step, now: number): string {
  if (state === 'done') return 'time not recorded';
  return state === 'next' && since !== null ? `for ${durationText(now - Date.parse(since))}` : 'later';
}
