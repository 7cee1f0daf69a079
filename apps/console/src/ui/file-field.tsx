import type { ReactNode } from 'react';
import { Input } from './field.tsx';

export function FileField({
  label,
  hint,
  error,
  accept,
  several = false,
  required = false,
  choose,
}: {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  /** File name extensions: `.sol,.json`. */
  accept: string;
  several?: boolean;
  required?: boolean;
  choose: (files: readonly File[]) => void;
}) {
  return (
    <Input
      label={label}
      hint={hint}
      error={error}
      type="file"
      accept={accept}
      multiple={several}
      required={required}
      onChange={({ target }) => choose([...(target.files ?? [])])}
      className="py-1.5 pl-1.5 text-sm file:mr-3 file:min-h-7 file:cursor-pointer file:rounded-md file:border-0 file:bg-sunken file:px-3 file:text-sm file:font-medium file:text-ink"
    />
  );
}
