import type { SendingTexts } from '../../lib/sending.ts';
import { FieldRow, Input, TextArea } from '../../ui/field.tsx';

/** Asks for what goes along with an operation: a tag, and what few operations have. */
export function SendingFields({
  texts,
  faults,
  change,
}: {
  texts: SendingTexts;
  faults: Partial<Record<keyof SendingTexts, string>>;
  change: (texts: SendingTexts) => void;
}) {
  const set = (member: keyof SendingTexts, value: string) => change({ ...texts, [member]: value });
  return (
    <>
      <Input
        label="Tag"
        hint="Shown in lists, to find the action by."
        maxLength={256}
        value={texts.tag}
        onChange={({ target }) => set('tag', target.value)}
      />
      <details className="rounded-lg border border-line p-4">
        <summary className="cursor-pointer text-sm font-medium">When it is sent, and with what</summary>
        <div className="mt-4 grid gap-4">
          <TextArea
            label="After these actions"
            hint="Ids of actions that have to succeed first."
            rows={2}
            value={texts.dependencies}
            onChange={({ target }) => set('dependencies', target.value)}
            error={faults.dependencies}
          />
          <FieldRow>
            <Input
              label="Not after"
              hint="Not signed by then, it fails: within 24 hours where nothing is said, and 7 days at most."
              type="datetime-local"
              value={texts.deadline}
              onChange={({ target }) => set('deadline', target.value)}
              error={faults.deadline}
            />
            <Input
              label="Intent"
              hint="A UUID that several actions share."
              autoComplete="off"
              value={texts.intent}
              onChange={({ target }) => set('intent', target.value.trim())}
              error={faults.intent}
            />
          </FieldRow>
        </div>
      </details>
    </>
  );
}
