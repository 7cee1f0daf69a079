import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call, path } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';

const kinds = {
  organizations: 'organization',
  projects: 'project',
  apps: 'application',
  accounts: 'account',
} as const;

/** Chooses the list of what is archived in place of the others. */
export function ArchivedSelect({
  archived,
  choose,
}: {
  archived: boolean;
  choose: (archived: boolean) => void;
}) {
  return (
    <Select
      label="Archived or not"
      hideLabel
      className="max-w-36"
      value={String(archived)}
      onChange={({ target }) => choose(target.value === 'true')}
    >
      <option value="false">In use</option>
      <option value="true">Archived</option>
    </Select>
  );
}

/** Puts a record away, or takes it out again. */
export function ArchiveButton({
  kind,
  id,
  name,
  archivedAt,
}: {
  kind: keyof typeof kinds;
  id: string;
  name: string;
  archivedAt: string | null;
}) {
  const [asked, setAsked] = useState(false);
  const what = kinds[kind];
  const isArchived = archivedAt !== null;
  const change = useMutation({
    mutationFn: () => call('POST', path`/v1/admin/${kind}/${id}` + (isArchived ? '/restore' : '/archive')),
    async onSuccess() {
      setAsked(false);
      await Promise.all(
        ['access', 'person'].map((first) => queries.invalidateQueries({ queryKey: [first] })),
      );
    },
  });
  const word = isArchived ? 'Restore' : 'Archive';
  return (
    <>
      <Button aria-label={`${word} ${name}`} onClick={() => setAsked(true)}>
        {word}
      </Button>
      {asked ? (
        <FormDialog
          title={`${word} ${name}?`}
          about={
            isArchived
              ? `The ${what} is as it was before: its tokens and keys count again.`
              : `The ${what}, and all that stands in it, can only be read from then on: its tokens, keys and sign-ins are refused. Operations that were accepted go on to their ends. It can be restored.`
          }
          confirm={`${word} the ${what}`}
          look={isArchived ? 'primary' : 'danger'}
          request={change}
          submit={() => change.mutate()}
          close={() => setAsked(false)}
        />
      ) : null}
    </>
  );
}
