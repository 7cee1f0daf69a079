import type { Schemas } from '../../api/types.ts';
import { type NativeMember, nativeMembersOf, nativeValueOf } from '../../lib/native-content.ts';
import { FieldRow, Input, Select } from '../../ui/field.tsx';

/** Members of the transaction that a technology lets an operation set beside its options: fees, validity, signers. */
export function NativeFields({
  technology,
  type,
  texts,
  change,
}: {
  technology: Schemas['LedgerTechnologyDescription'];
  type: string;
  /** As they were typed, by the names of the members. */
  texts: Readonly<Record<string, string>>;
  change: (texts: Readonly<Record<string, string>>) => void;
}) {
  const members = nativeMembersOf(technology, type);
  if (members.length === 0) return null;
  return (
    <details className="rounded-lg border border-line p-4">
      <summary className="cursor-pointer text-sm font-medium">More settings for {technology.title}</summary>
      <FieldRow className="mt-4">
        {members.map((member) => (
          <Field
            key={member.name}
            member={member}
            value={texts[member.name] ?? ''}
            set={(text) => change({ ...texts, [member.name]: text })}
          />
        ))}
      </FieldRow>
    </details>
  );
}

function Field({ member, value, set }: { member: NativeMember; value: string; set: (text: string) => void }) {
  const { name, description, form, choices } = member;
  const about = { label: name, ...(description === undefined ? {} : { hint: description }) };
  if (form === 'choice' || form === 'boolean') {
    return (
      <Select {...about} value={value} onChange={({ target }) => set(target.value)}>
        <option value="">Not set</option>
        {(form === 'boolean' ? ['true', 'false'] : choices).map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </Select>
    );
  }
  const isWrong = value !== '' && nativeValueOf(member, value) === undefined;
  return (
    <Input
      {...about}
      {...(form === 'json' ? { placeholder: 'JSON' } : {})}
      {...(form === 'number' ? { inputMode: 'numeric' as const } : {})}
      autoComplete="off"
      value={value}
      onChange={({ target }) => set(target.value.trim())}
      error={isWrong ? `must be ${form === 'number' ? 'a number' : 'JSON'}` : undefined}
    />
  );
}
