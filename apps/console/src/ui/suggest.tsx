import { type ComponentProps, useId } from 'react';
import { Input } from './field.tsx';

/** A value that a field suggests. */
export interface Suggestion {
  /** The content of the field after the suggestion is chosen. */
  readonly value: string;
  /** The record's name, if the value does not contain it. */
  readonly name?: string | undefined;
  readonly detail?: string | undefined;
}

/**
 * A text field that suggests known records. It also accepts other input, because the list may be incomplete.
 */
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
