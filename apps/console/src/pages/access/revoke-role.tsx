import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type Granted, type RemainingGrants, refreshAccess } from '../../api/access.ts';
import { call } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Place } from './place.tsx';

interface Revocation {
  grant: Granted;
  /** Name of the identity or application that has the role. */
  holder: string;
  /** API path of all roles of the holder on the resource and below it. */
  roles: string;
}

/** Revokes a role, then shows the remaining roles and offers to revoke them. */
export function RevokeRole({ grant, holder, roles }: Revocation) {
  const [asked, setAsked] = useState(false);
  const [remaining, setRemaining] = useState<RemainingGrants>();
  const { role, resourceType, resourceId } = grant;
  const finish = async () => {
    setRemaining(undefined);
    await refreshAccess();
  };
  const revoke = useMutation({
    mutationFn: () => call<RemainingGrants>('DELETE', `${roles}/${encodeURIComponent(role)}`),
    async onSuccess(left) {
      setAsked(false);
      // A refresh would remove this row, and with it the dialog about the remaining roles.
      if (hasMore(left) || left.inheritedGrants.length > 0) setRemaining(left);
      else await finish();
    },
  });
  return (
    <>
      <Button aria-label={`Revoke ${role} of ${holder}`} onClick={() => setAsked(true)}>
        Revoke
      </Button>
      {asked ? (
        <FormDialog
          title="Revoke this role?"
          about={`${holder} has the role ${role} on the ${resourceType} ${resourceId}. The next step shows the remaining roles.`}
          confirm="Revoke the role"
          look="danger"
          request={revoke}
          submit={() => revoke.mutate()}
          close={() => setAsked(false)}
        />
      ) : null}
      {remaining === undefined ? null : hasMore(remaining) ? (
        <RevokeRemaining
          grant={grant}
          holder={holder}
          roles={roles}
          remaining={remaining}
          close={() => void finish()}
        />
      ) : (
        <Dialog
          close={() => void finish()}
          title="The role is revoked"
          about={`Other roles of ${holder} also apply to the ${resourceType} ${resourceId}.`}
        >
          <Inherited grants={remaining.inheritedGrants} />
        </Dialog>
      )}
    </>
  );
}

/** Whether the holder has roles, or is offered roles, on the resource or below it. */
function hasMore({ remaining, openInvitations = 0 }: RemainingGrants): boolean {
  return remaining > 0 || openInvitations > 0;
}

/** Roles on parent resources, which also apply below them. */
function Inherited({ grants }: { grants: readonly Granted[] }) {
  if (grants.length === 0) return null;
  return (
    <div className="text-sm">
      <p>Roles on parent resources remain. Revoke them there:</p>
      <Grants of={grants} />
    </div>
  );
}

function Grants({ of, children }: { of: readonly Granted[]; children?: ReactNode }) {
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

/** Offers to revoke the holder's remaining roles on a resource and below it. */
function RevokeRemaining({
  grant: { resourceType, resourceId },
  holder,
  roles,
  remaining: { remaining, remainingGrants, openInvitations = 0, inheritedGrants },
  close,
}: Revocation & { remaining: RemainingGrants; close: () => void }) {
  const revokeAll = useMutation({ mutationFn: () => call('DELETE', roles), onSuccess: close });
  const unlisted = remaining - remainingGrants.length;
  const left = [
    ...(remaining === 0
      ? []
      : [`${holder} still has ${remaining === 1 ? 'one role' : `${remaining} roles`}`]),
    ...(openInvitations === 0 ? [] : [`an open invitation offers ${holder} roles`]),
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
