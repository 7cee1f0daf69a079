import { clsx } from 'clsx';
import type { ComponentProps, MouseEvent } from 'react';

type Look = 'primary' | 'plain' | 'quiet' | 'danger';

const looks: Readonly<Record<Look, string>> = {
  primary: 'bg-accent text-accent-ink border-transparent hover:brightness-110',
  plain: 'bg-surface text-ink border-line-strong/60 hover:bg-sunken',
  quiet: 'bg-transparent text-ink-2 border-transparent hover:bg-sunken hover:text-ink',
  danger: 'bg-surface text-bad border-bad/50 hover:bg-bad-soft',
};

export function buttonClass(look: Look = 'plain', more = ''): string {
  return clsx(
    'inline-flex min-h-9 items-center justify-center gap-2 rounded-lg border px-3.5 py-1.5 text-sm font-medium',
    'whitespace-nowrap transition-colors disabled:cursor-not-allowed disabled:opacity-55',
    'aria-disabled:cursor-not-allowed aria-disabled:opacity-55',
    looks[look],
    more,
  );
}

export function Button({
  look = 'plain',
  className = '',
  busy = false,
  children,
  ...rest
}: ComponentProps<'button'> & { look?: Look; busy?: boolean }) {
  return (
    <button
      type="button"
      {...rest}
      // Uses aria-disabled, because browsers remove the focus from a disabled button.
      {...(busy ? { 'aria-disabled': true, onClick: (event: MouseEvent) => event.preventDefault() } : {})}
      aria-busy={busy}
      className={buttonClass(look, className)}
    >
      {busy ? (
        <span className="size-3.5 animate-spin rounded-full border-2 border-current border-t-transparent" />
      ) : null}
      {children}
    </button>
  );
}
