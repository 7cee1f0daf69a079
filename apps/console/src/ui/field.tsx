import { clsx } from 'clsx';
import { type ComponentProps, type ReactNode, useId } from 'react';
import { useFieldError } from './form-errors.tsx';

const control =
  'min-h-10 w-full rounded-lg border border-line-strong/80 bg-surface px-3 py-2 text-ink hover:border-line-strong disabled:opacity-60 aria-invalid:border-bad';

interface Described {
  label: string;
  hint?: ReactNode | undefined;
  /** Error of the current value. */
  error?: string | undefined;
  /** Shows the label only to screen readers, because sighted users see it from the context. */
  hideLabel?: boolean | undefined;
  /** JSON pointer of the field's value in the form's request. The service's error for it is shown here. */
  at?: string | undefined;
}

/** `set` is called with the new text after each change. */
type FieldProps<Tag extends 'input' | 'textarea' | 'select'> = Described &
  ComponentProps<Tag> & { set?: (text: string) => void };

const changeOf = (set: (text: string) => void) => ({
  onChange: ({ target }: { target: { value: string } }) => set(target.value),
});

/** A field's label above it, and its hint and error below it. */
function Labelled({
  label,
  hint,
  error: wrong,
  hideLabel = false,
  at,
  value,
  children,
}: Described & {
  value?: unknown;
  children: (described: {
    id: string;
    'data-at'?: string;
    'aria-describedby'?: string;
    'aria-invalid'?: true;
  }) => ReactNode;
}) {
  const id = useId();
  const refused = useFieldError(at, value);
  const error = wrong ?? refused;
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
        ...(at === undefined ? {} : { 'data-at': at }),
        ...(about === '' ? {} : { 'aria-describedby': about }),
        ...(error === undefined ? {} : { 'aria-invalid': true as const }),
      })}
      {hint === undefined ? null : (
        <p id={`${id}-hint`} className="mt-1 text-xs wrap-anywhere text-ink-3">
          {hint}
        </p>
      )}
      {error === undefined ? null : (
        <p
          id={`${id}-error`}
          className="mt-1 text-xs font-medium wrap-anywhere text-bad first-letter:uppercase"
        >
          {error}
        </p>
      )}
    </div>
  );
}

export function Input({ label, hint, error, hideLabel, at, className, set, ...rest }: FieldProps<'input'>) {
  return (
    <Labelled label={label} hint={hint} error={error} hideLabel={hideLabel} at={at} value={rest.value}>
      {(described) => (
        <input {...rest} {...described} {...(set && changeOf(set))} className={clsx(control, className)} />
      )}
    </Labelled>
  );
}

export function TextArea({
  label,
  hint,
  error,
  hideLabel,
  at,
  className,
  set,
  ...rest
}: FieldProps<'textarea'>) {
  return (
    <Labelled label={label} hint={hint} error={error} hideLabel={hideLabel} at={at} value={rest.value}>
      {(described) => (
        <textarea
          rows={4}
          spellCheck={false}
          autoComplete="off"
          {...rest}
          {...described}
          {...(set && changeOf(set))}
          className={clsx(control, 'font-mono text-xs', className)}
        />
      )}
    </Labelled>
  );
}

interface Options {
  options?: readonly (readonly [value: string, text: string])[] | undefined;
}

/** A select field. `children` are additional options, shown first. */
export function Select({
  label,
  hint,
  error,
  hideLabel,
  at,
  className,
  set,
  options = [],
  children,
  ...rest
}: FieldProps<'select'> & Options) {
  return (
    <Labelled label={label} hint={hint} error={error} hideLabel={hideLabel} at={at} value={rest.value}>
      {(described) => (
        <select {...rest} {...described} {...(set && changeOf(set))} className={clsx(control, className)}>
          {children}
          {options.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

/** A required choice; no option is preselected. */
export function Choice(props: FieldProps<'select'> & Options) {
  return (
    <Select required {...props}>
      <option value="">Choose…</option>
    </Select>
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

/** A group of checkboxes. */
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

/** Puts fields side by side if the screen is wide enough. */
export function FieldRow({ children, className = '' }: { children: ReactNode; className?: string }) {
  return <div className={clsx('grid gap-4 sm:grid-cols-2', className)}>{children}</div>;
}
