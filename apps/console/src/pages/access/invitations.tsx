import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Invitation, invitationsQuery } from '../../api/access.ts';
import { call, path } from '../../api/client.ts';
import { useCreation } from '../../api/create.ts';
import type { Project } from '../../api/person.ts';
import { queries } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Empty } from '../../ui/layout.tsx';
import { Records } from '../../ui/records.tsx';
import { Time } from '../../ui/text.tsx';
import { PlaceSelect } from './place-select.tsx';
import { RoleSelect } from './role-select.tsx';

const refresh = () => queries.invalidateQueries({ queryKey: ['access', 'invitations'] });
const states = [
  ['PENDING', 'Pending'],
  ['ACCEPTED', 'Accepted'],
  ['REJECTED', 'Rejected'],
  ['CANCELED', 'Cancelled'],
  ['EXPIRED', 'Expired'],
] as const;

const columns: Column<Invitation>[] = [
  {
    id: 'email',
    header: 'E-mail address',
    cell: (invitation) => (
      <div className="min-w-0">
        <p className="font-medium break-all">{invitation.email}</p>
        <p className="text-xs wrap-anywhere text-ink-3">
          {invitation.roles.map(({ role, resourceId }) => `${role} on ${resourceId}`).join(', ') || 'no role'}
        </p>
      </div>
    ),
  },
  { id: 'organizationId', header: 'Organization', from: 'md', cell: (one) => one.organizationId },
  {
    id: 'createdAt',
    header: 'Invited',
    from: 'sm',
    align: 'right',
    cell: (one) => <Time at={one.createdAt} />,
  },
  {
    id: 'cancel',
    header: <span className="sr-only">Change</span>,
    align: 'right',
    cell: (original) => (original.state === 'PENDING' ? <Cancel invitation={original} /> : null),
  },
];

export function Invitations({ project }: { project: Project }) {
  const [state, setState] = useState('PENDING');
  const [inviting, setInviting] = useState(false);
  const list = useQuery(invitationsQuery(state));
  const stateText = states.find(([value]) => value === state)?.[1].toLowerCase() ?? '';
  return (
    <>
      <Records
        title="Invitations"
        aside={
          <span className="flex flex-wrap gap-2">
            <Select
              label="State"
              hideLabel
              className="max-w-36"
              value={state}
              onChange={({ target }) => setState(target.value)}
            >
              {states.map(([value, text]) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </Select>
            <Button look="primary" onClick={() => setInviting(true)}>
              Invite
            </Button>
          </span>
        }
        label="Table of the invitations"
        list={list}
        columns={columns}
        rowId={({ invitationId }) => String(invitationId)}
        empty={
          <Empty title={`No ${stateText} invitation`}>
            {state === 'PENDING'
              ? 'Invite somebody: a mail leads them here.'
              : 'Choose another state to see more.'}
          </Empty>
        }
      />
      {inviting ? <Invite project={project} close={() => setInviting(false)} /> : null}
    </>
  );
}

function Invite({ project, close }: { project: Project; close: () => void }) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState('');
  const [resourceId, setResourceId] = useState(project.uid);
  const invite = useCreation<Invitation>('/v1/admin/invitations', async () => {
    close();
    await refresh();
  });
  const { organizationId } = project;
  return (
    <FormDialog
      title="Invite somebody"
      about="A mail goes out. Whoever has no account yet sets a first password by its link."
      confirm="Send the invitation"
      request={invite}
      submit={() => invite.mutate({ organizationId, email, roles: [{ resourceId, role }] })}
      close={close}
    >
      <Input
        label="E-mail address"
        type="email"
        required
        value={email}
        onChange={({ target }) => setEmail(target.value.trim())}
      />
      <RoleSelect value={role} choose={setRole} />
      <PlaceSelect project={project} value={resourceId} choose={setResourceId} />
    </FormDialog>
  );
}

function Cancel({ invitation: { invitationId, email } }: { invitation: Invitation }) {
  const [asked, setAsked] = useState(false);
  const cancel = useMutation({
    mutationFn: () => call('DELETE', path`/v1/admin/invitations/${invitationId}`),
    async onSuccess() {
      setAsked(false);
      await refresh();
    },
  });
  return (
    <>
      <Button aria-label={`Cancel the invitation of ${email}`} onClick={() => setAsked(true)}>
        Cancel
      </Button>
      {asked ? (
        <FormDialog
          title="Cancel this invitation?"
          about={`${email} cannot accept it any more.`}
          confirm="Cancel the invitation"
          dismiss="Leave it"
          look="danger"
          request={cancel}
          submit={() => cancel.mutate()}
          close={() => setAsked(false)}
        />
      ) : null}
    </>
  );
}
