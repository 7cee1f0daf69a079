import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { grantsQuery, type RoleGrant } from '../../api/access.ts';
import { call, path } from '../../api/client.ts';
import { useCreation } from '../../api/create.ts';
import type { Project } from '../../api/person.ts';
import { queries } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Empty } from '../../ui/layout.tsx';
import { Records } from '../../ui/records.tsx';
import { Badge } from '../../ui/status.tsx';
import { PlaceSelect } from './place-select.tsx';
import { RoleSelect } from './role-select.tsx';

const refresh = () => queries.invalidateQueries({ queryKey: ['access'] });
const columns: Column<RoleGrant>[] = [
  {
    id: 'identifier',
    header: 'Who',
    cell: (grant) => (
      <>
        <Link
          to="/access"
          search={{ part: 'may', who: grant.serviceId }}
          className="font-medium wrap-anywhere underline-offset-4 hover:underline"
        >
          {grant.identifier}
        </Link>
        <p className="text-xs wrap-anywhere text-ink-3 sm:hidden">
          {grant.role} on {grant.resourceType} {grant.resourceId}
        </p>
      </>
    ),
  },
  { id: 'role', header: 'Role', from: 'sm', cell: (one) => <Badge>{one.role}</Badge> },
  {
    id: 'resourceId',
    header: 'Where',
    from: 'md',
    cell: (grant) => `${grant.resourceType} ${grant.resourceId}`,
  },
  {
    id: 'revoke',
    header: <span className="sr-only">Change</span>,
    align: 'right',
    cell: (row) => <Revoke grant={row} />,
  },
];

/** Who holds which role on the project, and on its organization. */
export function Roles({ project }: { project: Project }) {
  const below = useQuery(grantsQuery(project.uid));
  const above = useQuery(grantsQuery(project.organizationId));
  const [giving, setGiving] = useState(false);
  const grants =
    below.data === undefined || above.data === undefined ? undefined : [...above.data, ...below.data];
  return (
    <>
      <Records
        title="Roles"
        aside={
          <Button look="primary" onClick={() => setGiving(true)}>
            Grant a role
          </Button>
        }
        label="Roles on the project and its organization"
        list={{ data: grants, error: below.error ?? above.error }}
        columns={columns}
        rowId={({ serviceId, resourceUid, role }) => `${resourceUid} ${serviceId} ${role}`}
        empty={<Empty title="No role that you may see">Roles are shown to those who may grant them.</Empty>}
      />
      {giving ? <GiveRole project={project} close={() => setGiving(false)} /> : null}
    </>
  );
}

function GiveRole({ project, close }: { project: Project; close: () => void }) {
  const [serviceId, setServiceId] = useState('');
  const [role, setRole] = useState('');
  const [resourceId, setResourceId] = useState(project.uid);
  const give = useCreation<RoleGrant>('/v1/admin/role-grants', async () => {
    close();
    await refresh();
  });
  return (
    <FormDialog
      title="Grant a role"
      about="To a person or an account that is known here. Others are invited."
      confirm="Grant the role"
      request={give}
      submit={() => give.mutate({ serviceId, resourceId, role })}
      close={close}
    >
      <Input
        label="Who"
        hint="The e-mail address of a person, or the id of an account."
        required
        value={serviceId}
        onChange={({ target }) => setServiceId(target.value.trim())}
      />
      <RoleSelect value={role} choose={setRole} />
      <PlaceSelect project={project} value={resourceId} choose={setResourceId} />
    </FormDialog>
  );
}

function Revoke({ grant }: { grant: RoleGrant }) {
  const [asked, setAsked] = useState(false);
  const { resourceUid, serviceId, role, identifier, resourceType, resourceId } = grant;
  const revoke = useMutation({
    mutationFn: () => call('DELETE', path`/v1/admin/role-grants/${resourceUid}/${serviceId}/${role}`),
    async onSuccess() {
      setAsked(false);
      await refresh();
    },
  });
  return (
    <>
      <Button aria-label={`Revoke ${role} of ${identifier}`} onClick={() => setAsked(true)}>
        Revoke
      </Button>
      {asked ? (
        <FormDialog
          title="Revoke this role?"
          about={`${identifier} is ${role} on the ${resourceType} ${resourceId}. Roles that it holds elsewhere stay.`}
          confirm="Revoke the role"
          look="danger"
          request={revoke}
          submit={() => revoke.mutate()}
          close={() => setAsked(false)}
        />
      ) : null}
    </>
  );
}
