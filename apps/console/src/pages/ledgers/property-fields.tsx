import { sentenceText } from '../../lib/format.ts';
import { type PropertyMember, propertyValue } from '../../lib/property-form.ts';
import { FieldRow, Input, Select, TextArea } from '../../ui/field.tsx';
import { SecretArea } from '../../ui/secret-fields.tsx';

/** Fields of a record's properties; what stays empty is not set. */
export function PropertyFields({
  title,
  members,
  held,
  texts,
  change,
}: {
  title: string;
  members: readonly PropertyMember[];
  /** Properties of the record as it is; a secret that it has is null. */
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
  const hint = description ?? (isSecret ? 'Kept sealed, and shown to nobody.' : undefined);
  const about = {
    label: sentenceText(name),
    ...(hint === undefined ? {} : { hint }),
    ...(isSecret && isHeld ? { placeholder: 'Kept: type to replace it' } : {}),
    value,
  };
  if (form === 'choice' || form === 'boolean') {
    return (
      <Select {...about} onChange={({ target }) => set(target.value)}>
        <option value="">Not set</option>
        {(form === 'boolean' ? ['true', 'false'] : choices).map((one) => (
          <option key={one} value={one}>
            {form === 'choice' ? one : one === 'true' ? 'yes' : 'no'}
          </option>
        ))}
      </Select>
    );
  }
  const isWrong = value !== '' && propertyValue(member, value) === undefined;
  const error = isWrong ? `must be ${form === 'number' ? 'a number' : 'JSON'}` : undefined;
  if (form === 'pem' || form === 'lines') {
    const Area = isSecret ? SecretArea : TextArea;
    return (
      <Area
        {...about}
        {...(form === 'pem' && !isSecret ? { placeholder: '-----BEGIN CERTIFICATE-----' } : {})}
        {...(form === 'lines' ? { placeholder: 'One on each line' } : {})}
        rows={3}
        onChange={({ target }) => set(target.value)}
        error={error}
      />
    );
  }
  return (
    <Input
      {...about}
      // So that the form is not sent without it.
      ref={(input) => input?.setCustomValidity(error ?? '')}
      {...(isSecret ? { type: 'password', autoComplete: 'new-password' } : { autoComplete: 'off' })}
      {...(form === 'number' ? { inputMode: 'decimal' as const } : {})}
      onChange={({ target }) => set(target.value)}
      error={error}
    />
  );
}
