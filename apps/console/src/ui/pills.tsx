/** Selects one of a few options: tabs of a page, or a filter. */
export function Pills<Value extends string>({
  label,
  options,
  value,
  choose,
}: {
  label: string;
  options: readonly (readonly [value: Value, text: string, count?: number | undefined])[];
  /** Empty if no option is selected. */
  value: Value | '';
  choose: (value: Value) => void;
}) {
  return (
    <fieldset className="flex flex-wrap gap-1.5">
      <legend className="sr-only">{label}</legend>
      {options.map(([one, text, count]) => (
        <button
          key={one}
          type="button"
          aria-pressed={one === value}
          onClick={() => choose(one)}
          className="inline-flex min-h-9 items-center gap-2 rounded-full border border-line bg-surface px-3.5 text-sm font-medium text-ink-2 hover:text-ink aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent"
        >
          {text}
          {count === undefined ? null : <span className="text-xs">{count.toLocaleString()}</span>}
        </button>
      ))}
    </fieldset>
  );
}
