import { useQuery } from '@tanstack/react-query';
import { type AppRoleGrant, appGrantsQuery, useHolds } from '../../api/access.ts';
import { path } from '../../api/client.ts';
import type { Project } from '../../api/person.ts';
import { type Column, Named } from '../../ui/data-table.tsx';
import { Empty } from '../../ui/layout.tsx';
import { Records } from '../../ui/records.tsx';
import { Badge } from '../../ui/status.tsx';
import { Place } from './place.tsx';
import { RevokeRole } from './revoke-role.tsx';

const columns: Column<AppRoleGrant>[] = [
  {
    id: 'name',
    header: 'Application',
    cell: (grant) => <Named details={grant.appId}>{grant.name}</Named>,
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

/** Roles of applications on the project and its organization. */
export function AppRoles({ project }: { project: Project }) {
  const below = useQuery(appGrantsQuery(project.uid));
  const above = useQuery(appGrantsQuery(project.organizationId));
  const grants =
    below.data === undefined || above.data === undefined ? undefined : [...above.data, ...below.data];
  return (
    <Records
      title="Roles of applications"
      label="Roles of applications on the project and its organization"
      list={{ data: grants, error: below.error ?? above.error }}
      columns={columns}
      rowId={({ appId, resourceUid, role }) => `${resourceUid} ${appId} ${role}`}
      empty={<Empty title="No roles of applications are visible to you" />}
    />
  );
}

function Revoke({ grant }: { grant: AppRoleGrant }) {
  const { appId, name, resourceType, resourceUid } = grant;
  const roles = path`/v1/admin/app-role-grants/${resourceUid}/${appId}`;
  return useHolds(`${resourceType}:manage`, resourceUid) ? (
    <RevokeRole grant={grant} holder={name} roles={roles} />
  ) : null;
}
