import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Invitation, invitationsQuery } from '../../api/access.ts';
import { call, path } from '../../api/client.ts';
import { useCreation } from '../../api/create.ts';
import type { Project } from '../../api/person.ts';
import { queries } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { type Column, Named } from '../../ui/data-table.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Empty } from '../../ui/layout.tsx';
import { Permitted } from '../../ui/permitted.tsx';
import { Records } from '../../ui/records.tsx';
import { SecretDialog } from '../../ui/secret.tsx';
import { Time, useCopy } from '../../ui/text.tsx';
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
      <Named
        details={
          invitation.roles.map(({ role, resourceId }) => `${role} on ${resourceId}`).join(', ') || 'no role'
        }
      >
        {invitation.email}
      </Named>
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
    cell: (invitation) =>
      invitation.state === 'PENDING' ? (
        <span className="inline-flex flex-wrap justify-end gap-2">
          <CopyLink invitation={invitation} />
          <Cancel invitation={invitation} />
        </span>
      ) : null,
  },
];

export function Invitations({ project }: { project: Project }) {
  const [state, setState] = useState('PENDING');
  const [inviting, setInviting] = useState(false);
  const [made, setMade] = useState<Invitation>();
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
              set={setState}
              options={states}
            />
            <Permitted permission="organization:invite" resourceId={project.organizationId}>
              <Button look="primary" onClick={() => setInviting(true)}>
                Invite
              </Button>
            </Permitted>
          </span>
        }
        label="Invitations table"
        list={list}
        columns={columns}
        rowId={({ invitationId }) => String(invitationId)}
        empty={
          <Empty title={`No ${stateText} invitations`}>
            {state === 'PENDING' ? 'Invite a person by mail.' : 'Choose another state to see more.'}
          </Empty>
        }
      >
        {state === 'PENDING' && list.data?.length ? (
          <p className="border-t border-line px-5 py-3 text-sm text-ink-2">
            The link from “Copy link” contains no secret, so only a person with an account can use it. If a
            new person has lost the mail, cancel the invitation and invite them again.
          </p>
        ) : null}
      </Records>
      {inviting ? <Invite project={project} made={setMade} close={() => setInviting(false)} /> : null}
      {made?.initLink === undefined ? null : (
        <SecretDialog
          title={`Send this link to ${made.email}`}
          about="This server has no mail server, so no mail was sent. The link sets the first password, works once and is not shown again. Anyone who has it can open the account."
          secrets={[['Link', made.initLink]]}
          close={() => setMade(undefined)}
        />
      )}
    </>
  );
}

function Invite({
  project,
  made,
  close,
}: {
  project: Project;
  made: (invitation: Invitation) => void;
  close: () => void;
}) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState('');
  const [resourceId, setResourceId] = useState(project.uid);
  const invite = useCreation<Invitation>('/v1/admin/invitations', async (invitation) => {
    close();
    made(invitation);
    await refresh();
  });
  const { organizationId } = project;
  return (
    <FormDialog
      title="Invite a person"
      about="Sends a mail with a link. A person without an account uses the link to set a first password."
      confirm="Send the invitation"
      request={invite}
      submit={() => invite.mutate({ organizationId, email, roles: [{ resourceId, role }] })}
      close={close}
    >
      <Input
        label="E-mail address"
        at="/email"
        type="email"
        required
        value={email}
        set={(text) => setEmail(text.trim())}
      />
      <RoleSelect resourceId={resourceId} at="/roles/0/role" value={role} choose={setRole} />
      <PlaceSelect project={project} value={resourceId} choose={setResourceId} />
    </FormDialog>
  );
}

function Cancel({ invitation: { invitationId, email } }: { invitation: Invitation }) {
  return (
    <ConfirmButton
      label="Cancel"
      name={`Cancel the invitation for ${email}`}
      title="Cancel this invitation?"
      about={`${email} can no longer accept it.`}
      confirm="Cancel the invitation"
      confirmLook="danger"
      dismiss="Keep it"
      send={() => call('DELETE', path`/v1/admin/invitations/${invitationId}`)}
      done={refresh}
    />
  );
}

/** Copies the invitation link for a person who already has an account. It contains no secret. */
function CopyLink({ invitation: { invitationToken, email } }: { invitation: Invitation }) {
  const [isCopied, copy] = useCopy(
    `${location.origin}/console/#/invitation?${new URLSearchParams({ invitationToken })}`,
  );
  return (
    <Button aria-label={isCopied ? 'Copied' : `Copy the invitation link for ${email}`} onClick={copy}>
      {isCopied ? 'Copied' : 'Copy link'}
    </Button>
  );
}
