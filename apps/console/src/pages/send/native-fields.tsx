import type { Schemas } from '../../api/types.ts';
import { sentenceText, wordsOf } from '../../lib/format.ts';
import { type NativeMember, nativeMembersOf, nativeValueOf } from '../../lib/native-content.ts';
import { FieldRow, Input, Select } from '../../ui/field.tsx';

/**
 * Fields for native transaction content that the technology accepts in addition to the options: fees, validity,
 * signers.
 */
export function NativeFields({
  technology,
  type,
  texts,
  change,
}: {
  technology: Schemas['LedgerTechnologyDescription'];
  type: string;
  /** Texts that the user entered, by member name. */
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
            technology={technology.name}
            member={member}
            value={texts[member.name] ?? ''}
            set={(text) => change({ ...texts, [member.name]: text })}
          />
        ))}
      </FieldRow>
    </details>
  );
}

function Field({
  technology,
  member,
  value,
  set,
}: {
  technology: string;
  member: NativeMember;
  value: string;
  set: (text: string) => void;
}) {
  const { name, description, form, choices, unit } = member;
  const about = {
    label: `${sentenceText(wordsOf(name))}${unit === undefined ? '' : ` (${unit.name})`}`,
    hint: description,
    at: `/glo/meta/ledger/${technology}/native_transaction_content/${name}`,
  };
  if (form === 'choice' || form === 'boolean') {
    return (
      <Select
        {...about}
        value={value}
        set={set}
        options={(form === 'boolean' ? ['true', 'false'] : choices).map((one) => [one, one])}
      >
        <option value="">Not set</option>
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
      set={(text) => set(text.trim())}
      error={isWrong ? `must be ${form === 'json' ? 'JSON' : 'a number'}` : undefined}
    />
  );
}
