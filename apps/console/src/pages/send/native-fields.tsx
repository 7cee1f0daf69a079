import { useState } from 'react';
import type { Schemas } from '../../api/types.ts';
import { type NativeMember, nativeMembersOf, nativeValueOf } from '../../lib/native-content.ts';
import { Input, Select } from '../../ui/field.tsx';

/** Meta of an operation, as it is sent. */
export interface Meta {
  readonly ledger: Readonly<Record<string, { version: string; native_transaction_content: object }>>;
}

/** Asks for what the technology of a ledger lets an operation set of its transaction; all of it may stay empty. */
export function NativeFields({
  technology,
  type,
  change,
}: {
  technology: Schemas['LedgerTechnologyDescription'];
  type: string;
  /** Undefined: nothing is set. Null: something cannot be read. */
  change: (meta: Meta | undefined | null) => void;
}) {
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const members = nativeMembersOf(technology, type);
  if (members.length === 0) return null;
  const set = (name: string, text: string) => {
    const next = { ...texts, [name]: text };
    setTexts(next);
    const given = members.filter((one) => (next[one.name] ?? '') !== '');
    const values = given.map((one) => [one.name, nativeValueOf(one, next[one.name] ?? '')] as const);
    if (values.length === 0) return change(undefined);
    if (values.some(([, value]) => value === undefined)) return change(null);
    const native_transaction_content = Object.fromEntries(values);
    const version = technology.content?.currentVersion ?? '1';
    change({ ledger: { [technology.name]: { version, native_transaction_content } } });
  };
  return (
    <details className="rounded-lg border border-line p-4">
      <summary className="cursor-pointer text-sm font-medium">More settings for {technology.title}</summary>
      <div className="mt-4 grid gap-4 sm:grid-cols-2">
        {members.map((member) => (
          <Field key={member.name} member={member} value={texts[member.name] ?? ''} set={set} />
        ))}
      </div>
    </details>
  );
}

function Field({
  member,
  value,
  set,
}: {
  member: NativeMember;
  value: string;
  set: (name: string, text: string) => void;
}) {
  const { name, description, form, choices } = member;
  const about = { label: name, ...(description === undefined ? {} : { hint: description }) };
  if (form === 'choice' || form === 'boolean') {
    return (
      <Select {...about} value={value} onChange={({ target }) => set(name, target.value)}>
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
      onChange={({ target }) => set(name, target.value.trim())}
      error={isWrong ? `must be ${form === 'number' ? 'a number' : 'JSON'}` : undefined}
    />
  );
}
