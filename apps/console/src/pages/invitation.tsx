import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { call } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import type { Schemas } from '../api/types.ts';
import { forgetInvitation, givenInvitation } from '../session/mail-link.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { Card, Empty, PageHead } from '../ui/layout.tsx';
import { ProblemNote } from '../ui/problem.tsx';

/** Where the mail of an invitation leads who has an account. */
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
      To the console
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
                ? `You are in: ${answer.data.organizationId}.`
                : 'The invitation is rejected.'}
            </p>
            {done}
          </>
        ) : invitationToken === undefined ? (
          <Empty title="No invitation is open here">Open the link in the mail again.</Empty>
        ) : (
          <div className="space-y-4">
            <p>
              You are invited into an organization. Accepting gives you the roles that the invitation offers.
            </p>
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
