import type { SendingTexts } from '../../lib/sending.ts';
import { FieldRow, Input, TextArea } from '../../ui/field.tsx';

/** Fields for the tag and for rarely used members of the request. */
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
        at="/tag"
        hint="Shown in lists, to find the action again."
        maxLength={256}
        value={texts.tag}
        set={(text) => set('tag', text)}
      />
      <details className="rounded-lg border border-line p-4">
        <summary className="cursor-pointer text-sm font-medium">Timing and labels</summary>
        <div className="mt-4 grid gap-4">
          <TextArea
            label="After these actions"
            at="/dependencies"
            hint="Ids of actions that must succeed first."
            rows={2}
            value={texts.dependencies}
            set={(text) => set('dependencies', text)}
            error={faults.dependencies}
          />
          <FieldRow>
            <Input
              label="Not after"
              at="/deadline"
              hint="The action fails if it is not signed by this time. Default: in 24 hours. Maximum: in 7 days."
              type="datetime-local"
              value={texts.deadline}
              set={(text) => set('deadline', text)}
              error={faults.deadline}
            />
            <Input
              label="Intent"
              at="/intent"
              hint="A UUID that several actions share."
              autoComplete="off"
              value={texts.intent}
              set={(text) => set('intent', text.trim())}
              error={faults.intent}
            />
          </FieldRow>
        </div>
      </details>
    </>
  );
}
