import { useQuery } from '@tanstack/react-query';
import { accountsQuery } from '../../api/access.ts';
import { usePeople } from '../../api/people.ts';
import type { Project } from '../../api/person.ts';
import { Suggest } from '../../ui/suggest.tsx';

/** A person, by e-mail address, or a service account, by id. Suggests those that the user may see. */
export function WhoField({
  project,
  at,
  value,
  set,
}: {
  project: Project;
  /** JSON pointer of the identity in the request. */
  at?: string;
  value: string;
  set: (text: string) => void;
}) {
  const people = usePeople();
  const accounts = useQuery(accountsQuery(project.projectId, false)).data ?? [];
  const ids = new Set(accounts.map(({ accountId }) => accountId));
  return (
    <Suggest
      label="Who"
      {...(at === undefined ? {} : { at })}
      hint="Choose a person or a service account, or type an e-mail address or the id of a service account."
      required
      value={value}
      set={set}
      options={[
        ...accounts.map(({ accountId, name }) => ({ value: accountId, detail: `Account: ${name}` })),
        ...[...people.values()].flatMap((one) => (ids.has(one) ? [] : [{ value: one }])),
      ]}
    />
  );
}
