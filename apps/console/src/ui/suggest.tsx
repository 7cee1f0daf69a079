import { type ComponentProps, useId } from 'react';
import { Input } from './field.tsx';

/** A value that a field suggests. */
export interface Suggestion {
  /** What the field contains once the suggestion is chosen. */
  readonly value: string;
  /** The record's name, if the value does not say it. */
  readonly name?: string | undefined;
  readonly detail?: string | undefined;
}

/** A text field that suggests known records. It accepts other texts, because no list contains everything. */
export function Suggest({
  set,
  options = [],
  ...rest
}: Omit<ComponentProps<typeof Input>, 'list' | 'set'> & {
  set: (text: string) => void;
  options: readonly Suggestion[] | undefined;
}) {
  const id = useId();
  return (
    <>
      <Input {...rest} list={id} autoComplete="off" set={(text) => set(text.trim())} />
      <datalist id={id}>
        {options.map(({ value, name, detail }) => (
          <option key={value} value={value}>
            {[name, detail].filter((text) => text !== undefined).join(' · ')}
          </option>
        ))}
      </datalist>
    </>
  );
}
