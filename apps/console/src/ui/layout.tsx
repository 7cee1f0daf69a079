import { createLink } from '@tanstack/react-router';
import { clsx } from 'clsx';
import { ChevronLeft } from 'lucide-react';
import { type ComponentProps, type ReactNode, useEffect, useId } from 'react';

/** Link from a record's page to its list. */
export const Up = createLink(({ children, ...rest }: ComponentProps<'a'>) => (
  <p className="mb-2 text-sm">
    <a
      {...rest}
      className="inline-flex items-center gap-1 text-ink-2 underline-offset-4 hover:text-ink hover:underline"
    >
      <ChevronLeft aria-hidden="true" className="-ml-1 size-4" />
      {children}
    </a>
  </p>
));

/** Link from a list to a record's page. */
export const RecordLink = createLink((props: ComponentProps<'a'>) => (
  <a {...props} className="font-medium wrap-anywhere underline-offset-4 hover:underline" />
));

/** A page's heading and actions. Also sets the document title. */
export function PageHead({
  title,
  about,
  children,
}: {
  title: string;
  about?: ReactNode;
  children?: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Ledger Operations Console`;
  }, [title]);
  return (
    <header className="mb-6 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
      <div className="min-w-0">
        <h1 className="text-2xl font-semibold wrap-anywhere">{title}</h1>
        {about === undefined ? null : <div className="mt-1 max-w-[65ch] text-pretty text-ink-2">{about}</div>}
      </div>
      {children === undefined ? null : <div className="flex flex-wrap gap-2">{children}</div>}
    </header>
  );
}

export function Card({
  title,
  aside,
  children,
  flush = false,
  className = '',
}: {
  title?: ReactNode;
  aside?: ReactNode;
  children: ReactNode;
  /** The content extends to the border, as tables do. */
  flush?: boolean;
  className?: string;
}) {
  const id = useId();
  return (
    <section
      aria-labelledby={title === undefined ? undefined : id}
      className={clsx(
        'min-w-0 overflow-hidden rounded-xl border border-line bg-surface shadow-card',
        className,
      )}
    >
      {title === undefined ? null : (
        <div
          className={clsx(
            'flex flex-wrap items-center justify-between gap-2 px-5 pt-4 pb-3',
            flush && 'border-b border-line',
          )}
        >
          <h2 id={id} className="min-w-0 font-semibold wrap-anywhere">
            {title}
          </h2>
          {aside}
        </div>
      )}
      <div className={flush ? '' : clsx('px-5 pb-5', title === undefined && 'pt-5')}>{children}</div>
    </section>
  );
}

/** A list of names and values. */
export function Facts({ items }: { items: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[minmax(5.5rem,auto)_minmax(0,1fr)] items-baseline gap-x-4 gap-y-2.5 text-sm">
      {items.map(([name, value], index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: names may repeat, so the index is part of the key
        <div key={`${index} ${name}`} className="contents">
          <dt className="text-ink-3">{name}</dt>
          <dd className="min-w-0 wrap-anywhere">{value ?? '—'}</dd>
        </div>
      ))}
    </dl>
  );
}

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="flex flex-col items-center px-6 py-12 text-center">
      <svg viewBox="0 0 64 40" width="72" height="45" aria-hidden="true" className="mb-4 text-line-strong">
        <path
          d="M14 6v28M26 6v28M38 6v28M50 6v28"
          stroke="currentColor"
          strokeWidth="3"
          strokeLinecap="round"
          strokeDasharray="2 6"
        />
      </svg>
      <p className="font-medium">{title}</p>
      {children === undefined ? null : (
        <div className="mt-1 max-w-[48ch] text-sm text-pretty text-ink-2">{children}</div>
      )}
    </div>
  );
}

/** Placeholder while data is loading. */
export function Loading({ label = 'Loading' }: { label?: string }) {
  return (
    <div role="status" className="space-y-3 px-5 py-6">
      <span className="sr-only">{label}</span>
      {['w-3/5', 'w-4/5', 'w-2/5'].map((width) => (
        <div key={width} className={clsx('h-4 animate-pulse rounded bg-sunken', width)} />
      ))}
    </div>
  );
}

/** Placeholder for a table, as tall as the rows that replace it. */
export function LoadingRows({ columns, rows = 6 }: { columns: number; rows?: number }) {
  const widths = ['w-20', 'w-3/5', 'w-2/5', 'w-1/2', 'w-16', 'w-14'];
  return (
    <div role="status">
      <span className="sr-only">Loading</span>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows of a placeholder are all the same
        <div key={row} className="flex gap-6 border-b border-line px-5 py-4 last:border-0">
          {widths.slice(0, Math.min(columns, 4)).map((width) => (
            <div key={width} className={clsx('flex-1', width === 'w-20' && 'max-w-24')}>
              <div className={clsx('h-3.5 animate-pulse rounded bg-sunken', width)} />
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}
