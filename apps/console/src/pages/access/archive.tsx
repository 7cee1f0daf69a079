import { call, path } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Select } from '../../ui/field.tsx';

const kinds = {
  organizations: 'organization',
  projects: 'project',
  apps: 'application',
  accounts: 'account',
} as const;

/** Switches a list between active and archived records. */
export function ArchivedSelect({
  archived,
  choose,
}: {
  archived: boolean;
  choose: (archived: boolean) => void;
}) {
  return (
    <Select
      label="Active or archived"
      hideLabel
      className="max-w-36"
      value={String(archived)}
      set={(text) => choose(text === 'true')}
    >
      <option value="false">Active</option>
      <option value="true">Archived</option>
    </Select>
  );
}

/** Archives or restores a record. */
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
  const what = kinds[kind];
  const isArchived = archivedAt !== null;
  const word = isArchived ? 'Restore' : 'Archive';
  return (
    <ConfirmButton
      label={word}
      name={`${word} ${name}`}
      title={`${word} ${name}?`}
      about={
        isArchived
          ? `Restores the ${what}: its tokens and keys are valid again.`
          : `Makes the ${what}, and everything in it, read-only: its tokens, keys and sign-ins stop working. Accepted operations complete. You can restore it later.`
      }
      confirm={`${word} the ${what}`}
      confirmLook={isArchived ? 'primary' : 'danger'}
      send={() => call('POST', path`/v1/admin/${kind}/${id}` + (isArchived ? '/restore' : '/archive'))}
      done={() =>
        Promise.all(['access', 'person'].map((first) => queries.invalidateQueries({ queryKey: [first] })))
      }
    />
  );
}
