import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { grantsQuery, type RoleGrant, refreshAccess, useHolds } from '../../api/access.ts';
import { path } from '../../api/client.ts';
import { useCreation } from '../../api/create.ts';
import type { Project } from '../../api/person.ts';
import { personQuery } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Empty, RecordLink } from '../../ui/layout.tsx';
import { Permitted } from '../../ui/permitted.tsx';
import { Records } from '../../ui/records.tsx';
import { Badge } from '../../ui/status.tsx';
import { Place } from './place.tsx';
import { PlaceSelect } from './place-select.tsx';
import { RevokeRole } from './revoke-role.tsx';
import { RoleSelect } from './role-select.tsx';
import { WhoField } from './who-field.tsx';

const columns: Column<RoleGrant>[] = [
  {
    id: 'identifier',
    header: 'Who',
    cell: (grant) => (
      <>
        <RecordLink to="/access" search={{ part: 'may', who: grant.serviceId }}>
          {grant.identifier}
        </RecordLink>
        <p className="text-xs wrap-anywhere text-ink-3 sm:hidden">
          {grant.role} on <Place resourceType={grant.resourceType} resourceId={grant.resourceId} />
        </p>
      </>
    ),
  },
  { id: 'role', header: 'Role', from: 'sm', cell: (one) => <Badge>{one.role}</Badge> },
  {
    id: 'resourceId',
    header: 'Where',
    from: 'md',
    cell: (grant) => <Place resourceType={grant.resourceType} resourceId={grant.resourceId} />,
  },
  {
    id: 'revoke',
    header: <span className="sr-only">Change</span>,
    align: 'right',
    cell: (row) => <Revoke grant={row} />,
  },
];

/** Role assignments on the project and its organization. */
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
          <Permitted permission="project:manage">
            <Button look="primary" onClick={() => setGiving(true)}>
              Grant a role
            </Button>
          </Permitted>
        }
        label="Roles on the project and its organization"
        list={{ data: grants, error: below.error ?? above.error }}
        columns={columns}
        rowId={({ serviceId, resourceUid, role }) => `${resourceUid} ${serviceId} ${role}`}
        empty={
          <Empty title="No roles are visible to you">Only people who may grant roles can see them.</Empty>
        }
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
    await refreshAccess();
  });
  return (
    <FormDialog
      title="Grant a role"
      about="Only for existing people and service accounts. To add a new person, send an invitation."
      confirm="Grant the role"
      request={give}
      submit={() => give.mutate({ serviceId, resourceId, role })}
      close={close}
    >
      <WhoField project={project} at="/serviceId" value={serviceId} set={setServiceId} />
      <RoleSelect resourceId={resourceId} at="/role" value={role} choose={setRole} />
      <PlaceSelect project={project} value={resourceId} choose={setResourceId} />
    </FormDialog>
  );
}

/** Every user may give up their own roles. */
function Revoke({ grant }: { grant: RoleGrant }) {
  const { serviceId, identifier, resourceType, resourceUid } = grant;
  const isOwn = useQuery(personQuery()).data?.serviceId === serviceId;
  const mayManage = useHolds(`${resourceType}:manage`, resourceUid);
  const roles = path`/v1/admin/role-grants/${resourceUid}/${serviceId}`;
  return isOwn || mayManage ? <RevokeRole grant={grant} holder={identifier} roles={roles} /> : null;
}
