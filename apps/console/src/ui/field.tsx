import { clsx } from 'clsx';
import { type ComponentProps, type ReactNode, useId } from 'react';

const control =
  'min-h-10 w-full rounded-lg border border-line-strong bg-surface px-3 py-2 text-ink disabled:opacity-60 aria-invalid:border-bad';

interface Described {
  label: string;
  hint?: ReactNode;
  /** The fault of the value that was given. */
  error?: string | undefined;
  /** Read by screen readers only: what stands around says it to others. */
  hideLabel?: boolean;
}

function Labelled({
  label,
  hint,
  error,
  hideLabel = false,
  children,
}: Described & {
  children: (described: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }) => ReactNode;
}) {
  const id = useId();
  const about = [hint === undefined ? '' : `${id}-hint`, error === undefined ? '' : `${id}-error`]
    .filter((one) => one !== '')
    .join(' ');
  return (
    <div className="min-w-0">
      <label htmlFor={id} className={hideLabel ? 'sr-only' : 'mb-1 block text-sm font-medium'}>
        {label}
      </label>
      {children({
        id,
        ...(about === '' ? {} : { 'aria-describedby': about }),
        ...(error === undefined ? {} : { 'aria-invalid': true as const }),
      })}
      {hint === undefined ? null : (
        <p id={`${id}-hint`} className="mt-1 text-xs wrap-anywhere text-ink-3">
          {hint}
        </p>
      )}
      {error === undefined ? null : (
        <p id={`${id}-error`} className="mt-1 text-xs wrap-anywhere text-bad">
          {error}
        </p>
      )}
    </div>
  );
}

export function Input({
  label,
  hint,
  error,
  hideLabel,
  className,
  ...rest
}: Described & ComponentProps<'input'>) {
  return (
    <Labelled
      {...{ label, hint, ...(error === undefined ? {} : { error }), ...(hideLabel ? { hideLabel } : {}) }}
    >
      {(described) => <input {...rest} {...described} className={clsx(control, className)} />}
    </Labelled>
  );
}

/** Text of several lines, such as PEM or JSON. */
export function TextArea({
  label,
  hint,
  error,
  hideLabel,
  className,
  ...rest
}: Described & ComponentProps<'textarea'>) {
  return (
    <Labelled
      {...{ label, hint, ...(error === undefined ? {} : { error }), ...(hideLabel ? { hideLabel } : {}) }}
    >
      {(described) => (
        <textarea
          rows={4}
          spellCheck={false}
          autoComplete="off"
          {...rest}
          {...described}
          className={clsx(control, 'font-mono text-xs', className)}
        />
      )}
    </Labelled>
  );
}

export function Select({
  label,
  hint,
  error,
  hideLabel,
  className,
  children,
  ...rest
}: Described & ComponentProps<'select'>) {
  return (
    <Labelled
      {...{ label, hint, ...(error === undefined ? {} : { error }), ...(hideLabel ? { hideLabel } : {}) }}
    >
      {(described) => (
        <select {...rest} {...described} className={clsx(control, className)}>
          {children}
        </select>
      )}
    </Labelled>
  );
}

export function Check({ label, ...rest }: { label: ReactNode } & ComponentProps<'input'>) {
  return (
    <label className="flex items-start gap-2.5 text-sm">
      <input type="checkbox" {...rest} className="mt-0.5 size-4 shrink-0 accent-accent" />
      <span>{label}</span>
    </label>
  );
}

/** Some of a few. */
export function CheckList({
  label,
  options,
  chosen,
  choose,
}: {
  label: string;
  options: readonly string[];
  chosen: readonly string[];
  choose: (chosen: readonly string[]) => void;
}) {
  return (
    <fieldset className="min-w-0">
      <legend className="mb-2 text-sm font-medium">{label}</legend>
      <div className="grid gap-2 sm:grid-cols-2">
        {options.map((option) => (
          <Check
            key={option}
            label={<span className="wrap-anywhere">{option}</span>}
            checked={chosen.includes(option)}
            onChange={({ target }) =>
              choose(target.checked ? [...chosen, option] : chosen.filter((one) => one !== option))
            }
          />
        ))}
      </div>
    </fieldset>
  );
}

/** Fields beside each other, where there is room. */
export function FieldRow({ children, className = '' }: { children: ReactNode; className?: string }) {
  return <div className={clsx('grid gap-4 sm:grid-cols-2', className)}>{children}</div>;
}
