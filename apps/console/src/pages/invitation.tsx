import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { call } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import type { Schemas } from '../api/types.ts';
import { forgetInvitation, givenInvitation } from '../session/mail-link.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { Card, Empty, PageHead } from '../ui/layout.tsx';
import { ProblemNote } from '../ui/problem.tsx';

/** The target of an invitation mail for a user who already has an account. */
export function Invitation() {
  const invitationToken = givenInvitation();
  const answer = useMutation({
    mutationFn: (accept: boolean) =>
      call<Schemas['AdminInvitation']>('POST', '/v1/admin/invitations/answer', {
        body: { invitationToken, accept },
      }),
    async onSuccess() {
      forgetInvitation();
      await queries.invalidateQueries();
    },
  });
  const done = (
    <Link to="/" className={buttonClass('primary', 'mt-4')}>
      Go to the console
    </Link>
  );
  return (
    <>
      <PageHead title="Invitation" />
      <Card className="max-w-xl">
        {answer.isSuccess ? (
          <>
            <p>
              {answer.data.state === 'ACCEPTED'
                ? `You joined ${answer.data.organizationId}.`
                : 'You rejected the invitation.'}
            </p>
            {done}
          </>
        ) : invitationToken === undefined ? (
          <Empty title="No open invitation">Open the link in the invitation mail again.</Empty>
        ) : (
          <div className="space-y-4">
            <p>You are invited to an organization. If you accept, you get the offered roles.</p>
            {answer.isError ? <ProblemNote error={answer.error} /> : null}
            <div className="flex gap-2">
              <Button look="primary" busy={answer.isPending} onClick={() => answer.mutate(true)}>
                Accept
              </Button>
              <Button disabled={answer.isPending} onClick={() => answer.mutate(false)}>
                Reject
              </Button>
            </div>
          </div>
        )}
      </Card>
    </>
  );
}
