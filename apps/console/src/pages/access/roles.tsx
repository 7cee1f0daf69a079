import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { grantsQuery, type RemainingGrants, type RoleGrant, useHolds } from '../../api/access.ts';
import { call, path } from '../../api/client.ts';
import { useCreation } from '../../api/create.ts';
import type { Project } from '../../api/person.ts';
import { personQuery, queries } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Empty, RecordLink } from '../../ui/layout.tsx';
import { Permitted } from '../../ui/permitted.tsx';
import { Records } from '../../ui/records.tsx';
import { Badge } from '../../ui/status.tsx';
import { Place } from './place.tsx';
import { PlaceSelect } from './place-select.tsx';
import { RoleSelect } from './role-select.tsx';
import { WhoField } from './who-field.tsx';

const refresh = () => queries.invalidateQueries({ queryKey: ['access'] });
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
    await refresh();
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
  const isOwn = useQuery(personQuery()).data?.serviceId === grant.serviceId;
  const mayManage = useHolds(`${grant.resourceType}:manage`, grant.resourceUid);
  return isOwn || mayManage ? <RevokeButton grant={grant} /> : null;
}

function RevokeButton({ grant }: { grant: RoleGrant }) {
  const [asked, setAsked] = useState(false);
  const [remaining, setRemaining] = useState<RemainingGrants>();
  const { resourceUid, serviceId, role, identifier, resourceType, resourceId } = grant;
  const finish = async () => {
    setRemaining(undefined);
    await refresh();
  };
  const revoke = useMutation({
    mutationFn: () =>
      call<RemainingGrants>('DELETE', path`/v1/admin/role-grants/${resourceUid}/${serviceId}/${role}`),
    async onSuccess(left) {
      setAsked(false);
      // A refresh would remove this row, and with it the dialog about the remaining roles.
      if (left.remaining > 0 || left.openInvitations > 0 || left.inheritedGrants.length > 0)
        setRemaining(left);
      else await finish();
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
          about={`${identifier} has the role ${role} on the ${resourceType} ${resourceId}. The next step shows the remaining roles.`}
          confirm="Revoke the role"
          look="danger"
          request={revoke}
          submit={() => revoke.mutate()}
          close={() => setAsked(false)}
        />
      ) : null}
      {remaining === undefined ? null : remaining.remaining > 0 || remaining.openInvitations > 0 ? (
        <RevokeRemaining grant={grant} remaining={remaining} close={() => void finish()} />
      ) : (
        <Dialog
          close={() => void finish()}
          title="The role is revoked"
          about={`Other roles of ${identifier} also apply to the ${resourceType} ${resourceId}.`}
        >
          <Inherited grants={remaining.inheritedGrants} />
        </Dialog>
      )}
    </>
  );
}

/** Roles on parent resources, which also apply below them. */
function Inherited({ grants }: { grants: RemainingGrants['inheritedGrants'] }) {
  if (grants.length === 0) return null;
  return (
    <div className="text-sm">
      <p>Roles on parent resources remain. Revoke them there:</p>
      <Grants of={grants} />
    </div>
  );
}

function Grants({ of, children }: { of: RemainingGrants['inheritedGrants']; children?: ReactNode }) {
  return (
    <ul className="max-h-60 list-disc overflow-y-auto pl-5 text-sm wrap-anywhere">
      {of.map((one) => (
        <li key={`${one.resourceUid} ${one.role}`}>
          {one.role} on the <Place resourceType={one.resourceType} resourceId={one.resourceId} />
        </li>
      ))}
      {children}
    </ul>
  );
}

/** Offers to revoke the identity's remaining roles on a resource and below it. */
function RevokeRemaining({
  grant,
  remaining: { remaining, remainingGrants, openInvitations, inheritedGrants },
  close,
}: {
  grant: RoleGrant;
  remaining: RemainingGrants;
  close: () => void;
}) {
  const { resourceUid, serviceId, identifier, resourceType, resourceId } = grant;
  const revokeAll = useMutation({
    mutationFn: () => call('DELETE', path`/v1/admin/role-grants/${resourceUid}/${serviceId}`),
    onSuccess: close,
  });
  const unlisted = remaining - remainingGrants.length;
  const left = [
    ...(remaining === 0
      ? []
      : [`${identifier} still has ${remaining === 1 ? 'one role' : `${remaining} roles`}`]),
    ...(openInvitations === 0 ? [] : [`an open invitation offers ${identifier} roles`]),
  ];
  return (
    <FormDialog
      title={remaining === 0 ? 'Withdraw the invitation too?' : 'Revoke the remaining roles too?'}
      about={`The role is revoked, but ${left.join(', and ')} on the ${resourceType} ${resourceId} or below it.`}
      confirm={remaining === 0 ? 'Withdraw it' : remaining === 1 ? 'Revoke it' : `Revoke all ${remaining}`}
      dismiss="Keep"
      look="danger"
      request={revokeAll}
      submit={() => revokeAll.mutate()}
      close={close}
    >
      <Grants of={remainingGrants}>{unlisted > 0 ? <li>and {unlisted} more</li> : null}</Grants>
      <Inherited grants={inheritedGrants} />
    </FormDialog>
  );
}
