import { argumentFault, argumentForm } from '../../lib/arguments.ts';
import type { Parameter } from '../../lib/interface.ts';
import { Input, Select, TextArea } from '../../ui/field.tsx';

/** The arguments as they were typed, all of them. */
function argumentsOf(parameters: readonly Parameter[], values: readonly string[]): string[] {
  return parameters.map((_, index) => values[index] ?? '');
}

/** The same if each is of its type; undefined: one is not. */
export function soundArguments(
  parameters: readonly Parameter[],
  values: readonly string[],
): string[] | undefined {
  const given = argumentsOf(parameters, values);
  return parameters.every(({ type }, index) => argumentFault(type, given[index] ?? '') === undefined)
    ? given
    : undefined;
}

export function Arguments({
  parameters,
  values,
  change,
}: {
  parameters: readonly Parameter[];
  values: readonly string[];
  change: (values: readonly string[]) => void;
}) {
  const given = argumentsOf(parameters, values);
  return parameters.map(({ name, type }, index) => (
    <Argument
      // Names may be given twice; their order is that of the interface.
      // biome-ignore lint/suspicious/noArrayIndexKey: the list does not change while its method is chosen
      key={`${index} ${name}`}
      name={name}
      type={type}
      value={given[index] ?? ''}
      set={(text) => change(given.with(index, text))}
    />
  ));
}

function Argument({ name, type, value, set }: Parameter & { value: string; set: (text: string) => void }) {
  const form = argumentForm(type);
  const about = { label: name, hint: type, value };
  const error = value === '' ? undefined : argumentFault(type, value);
  if (form === 'boolean') {
    return (
      <Select {...about} required onChange={({ target }) => set(target.value)}>
        <option value="">Choose…</option>
        <option value="true">true</option>
        <option value="false">false</option>
      </Select>
    );
  }
  if (form === 'json') {
    return (
      <TextArea
        {...about}
        required
        rows={2}
        placeholder="JSON"
        error={error}
        onChange={({ target }) => set(target.value)}
      />
    );
  }
  return (
    <Input
      {...about}
      {...(form === 'integer' ? { inputMode: 'numeric' as const, required: true } : {})}
      autoComplete="off"
      error={error}
      onChange={({ target }) => set(target.value)}
    />
  );
}
