import { amountText, shortAmountText, shortText } from '@ledger-ops/client/text';
import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Schemas } from '../api/types.ts';
import { agoText } from '../lib/format.ts';

/** Copies a string. `isCopied` is true for a short time afterward. */
export function useCopy(text: string): [isCopied: boolean, copy: () => void] {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), 1_500);
    return () => clearTimeout(timer);
  }, [isCopied]);
  return [isCopied, () => void navigator.clipboard?.writeText(text).then(() => setCopied(true))];
}

/** An id, address or hash. Shortened on the page, complete in the clipboard. */
export function Id({ children, whole = false }: { children: string; whole?: boolean }) {
  const [isCopied, copy] = useCopy(children);
  const Icon = isCopied ? Check : Copy;
  return (
    <span className="inline-flex max-w-full items-center gap-1">
      <span title={children} className={`font-mono text-[0.8125rem] ${whole ? 'break-all' : 'truncate'}`}>
        {whole ? children : shortText(children)}
      </span>
      <button
        type="button"
        aria-label={isCopied ? 'Copied' : `Copy ${shortText(children)}`}
        onClick={copy}
        className="grid size-6 shrink-0 place-items-center rounded text-ink-3 hover:bg-sunken hover:text-ink"
      >
        <Icon aria-hidden="true" className="size-3.5" />
      </button>
    </span>
  );
}

/** A shortened amount, given in the smallest unit. The exact amount is in its tooltip. */
export function Amount({ of, unit }: { of: string; unit: Schemas['CurrencyUnit'] }) {
  return (
    <span title={amountText(of, unit)} className="whitespace-nowrap">
      {shortAmountText(of, unit)}
    </span>
  );
}

/** The exact amount; shortened on narrow screens. */
export function Balance({ of, unit }: { of: string; unit: Schemas['CurrencyUnit'] }) {
  return (
    <>
      <span className="whitespace-nowrap tabular-nums max-lg:hidden">{amountText(of, unit)}</span>
      <span className="lg:hidden">
        <Amount of={of} unit={unit} />
      </span>
    </>
  );
}

/** A relative time. The exact time is in its tooltip. */
export function Time({ at }: { at: string }) {
  const now = useNow();
  return (
    <time dateTime={at} title={exact(at)} className="whitespace-nowrap">
      {agoText(at, now)}
    </time>
  );
}

/** A sentence from the service, with its timestamps in local format. */
export function Sentence({ children }: { children: string }) {
  return children.split(/(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.]\d+)?Z)/).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      // The same time may occur twice.
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no other name
      <time key={index} dateTime={part} title={part} className="whitespace-nowrap">
        {exact(part)}
      </time>
    ),
  );
}

/** Created once, because creating a formatter takes longer than formatting all times on a page. */
let exactForm: Intl.DateTimeFormat | undefined;

export function exact(at: string): string {
  exactForm ??= new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
  return exactForm.format(new Date(at));
}

/** The current time, updated every few seconds. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 5_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

export function Json({ value, label }: { value: unknown; label: string }) {
  return (
    // Focusable, so that it can be scrolled with the keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be focused
    <section aria-label={label} tabIndex={0} className="max-h-96 overflow-auto rounded-lg bg-sunken p-4">
      <pre className="font-mono text-xs leading-relaxed">{JSON.stringify(value, undefined, 2)}</pre>
    </section>
  );
}
