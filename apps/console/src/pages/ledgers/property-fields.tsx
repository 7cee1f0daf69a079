import { sentenceText } from '../../lib/format.ts';
import { type PropertyMember, propertyValue } from '../../lib/property-form.ts';
import { FieldRow, Input, Select, TextArea } from '../../ui/field.tsx';
import { SecretArea } from '../../ui/secret-fields.tsx';

/** Form fields for a record's properties. An empty field leaves its property unset. */
export function PropertyFields({
  title,
  members,
  held,
  texts,
  change,
}: {
  title: string;
  members: readonly PropertyMember[];
  /** Current properties of the record. A secret that is set is null. */
  held: Readonly<Record<string, unknown>>;
  texts: Readonly<Record<string, string>>;
  change: (texts: Readonly<Record<string, string>>) => void;
}) {
  if (members.length === 0) return null;
  return (
    <details className="rounded-lg border border-line p-4">
      <summary className="cursor-pointer text-sm font-medium">{title}</summary>
      <FieldRow className="mt-4">
        {members.map((member) => (
          <Field
            key={member.name}
            member={member}
            isHeld={Object.hasOwn(held, member.name)}
            value={texts[member.name] ?? ''}
            set={(text) => change({ ...texts, [member.name]: text })}
          />
        ))}
      </FieldRow>
    </details>
  );
}

/** The property's name and unit: `Replace after (seconds)`. */
const labelOf = ({ name, unit }: PropertyMember) =>
  unit === undefined ? sentenceText(name) : `${sentenceText(name)} (${unit.name})`;

function Field({
  member,
  isHeld,
  value,
  set,
}: {
  member: PropertyMember;
  isHeld: boolean;
  value: string;
  set: (text: string) => void;
}) {
  const { name, description, form, choices, isSecret } = member;
  const hint = description ?? (isSecret ? 'Stored encrypted, and never shown.' : undefined);
  const about = {
    label: labelOf(member),
    at: `/properties/${name}`,
    hint,
    ...(isSecret && isHeld ? { placeholder: 'Stored: type to replace it' } : {}),
    value,
  };
  if (form === 'choice' || form === 'boolean') {
    return (
      <Select
        {...about}
        set={set}
        options={(form === 'boolean' ? ['true', 'false'] : choices).map((one) => [
          one,
          form === 'choice' ? one : one === 'true' ? 'yes' : 'no',
        ])}
      >
        <option value="">Not set</option>
      </Select>
    );
  }
  const isWrong = value !== '' && propertyValue(member, value) === undefined;
  const error = isWrong ? `must be ${form === 'json' ? 'JSON' : 'a number'}` : undefined;
  if (form === 'pem' || form === 'lines') {
    const Area = isSecret ? SecretArea : TextArea;
    return (
      <Area
        {...about}
        {...(form === 'pem' && !isSecret ? { placeholder: '-----BEGIN CERTIFICATE-----' } : {})}
        {...(form === 'lines' ? { placeholder: 'One per line' } : {})}
        rows={3}
        set={set}
        error={error}
      />
    );
  }
  return (
    <Input
      {...about}
      // Prevents submitting the form with this error.
      ref={(input) => input?.setCustomValidity(error ?? '')}
      {...(isSecret ? { type: 'password', autoComplete: 'new-password' } : { autoComplete: 'off' })}
      {...(form === 'number' ? { inputMode: 'decimal' as const } : {})}
      set={set}
      error={error}
    />
  );
}
