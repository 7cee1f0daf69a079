import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { agoText, shortText } from '../lib/format.ts';

/** An id, an address or a hash: short on the page, whole in the clipboard. */
export function Id({ children, whole = false }: { children: string; whole?: boolean }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1_500);
    return () => clearTimeout(timer);
  }, [copied]);
  const Icon = copied ? Check : Copy;
  return (
    <span className="inline-flex max-w-full items-center gap-1">
      <span title={children} className={`font-mono text-[0.8125rem] ${whole ? 'break-all' : 'truncate'}`}>
        {whole ? children : shortText(children)}
      </span>
      <button
        type="button"
        aria-label={copied ? 'Copied' : `Copy ${shortText(children)}`}
        onClick={() => void navigator.clipboard?.writeText(children).then(() => setCopied(true))}
        className="grid size-6 shrink-0 place-items-center rounded text-ink-3 hover:bg-sunken hover:text-ink"
      >
        <Icon aria-hidden="true" className="size-3.5" />
      </button>
    </span>
  );
}

/** A time as people say it; the exact one is its title. */
export function Time({ at }: { at: string }) {
  const now = useNow();
  return (
    <time dateTime={at} title={exact(at)} className="whitespace-nowrap">
      {agoText(at, now)}
    </time>
  );
}

export function exact(at: string): string {
  return new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
}

/** Moves on every few seconds. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 5_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** A value as indented JSON. */
export function Json({ value, label }: { value: unknown; label: string }) {
  return (
    // A keyboard scrolls it, too.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be focused
    <section aria-label={label} tabIndex={0} className="max-h-96 overflow-auto rounded-lg bg-sunken p-4">
      <pre className="font-mono text-xs leading-relaxed">{JSON.stringify(value, undefined, 2)}</pre>
    </section>
  );
}
