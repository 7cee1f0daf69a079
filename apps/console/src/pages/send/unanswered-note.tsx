import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleHelp } from 'lucide-react';
import { get } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import type { Schemas } from '../../api/types.ts';
import { forgetUnanswered, nameOfSend, unansweredSend } from '../../api/unanswered.ts';
import { Button } from '../../ui/button.tsx';
import { ProblemNote } from '../../ui/problem.tsx';

/**
 * A note that an operation with this content was sent from this tab without a response. Checks whether the
 * service accepted it. Sending it again uses the same Idempotency-Key, so it is executed only once.
 */
export function UnansweredNote({ content }: { content: object }) {
  const unanswered = useQuery({
    queryKey: ['unanswered', content],
    queryFn: async () => {
      const name = await nameOfSend(content);
      const send = unansweredSend(name);
      return send === null ? null : { name, ...send };
    },
    gcTime: 0,
    networkMode: 'always',
  });
  const check = useMutation({
    mutationFn: async (key: string) =>
      await get<Schemas['Action'][]>('/v1/ledger-ops/search/actions', { idempotencyKey: key }),
  });
  const { data } = unanswered;
  if (data === null || data === undefined) return null;
  const { name, key, since } = data;
  const [action] = check.variables === key ? (check.data ?? []) : [];
  const forget = () => {
    forgetUnanswered(name);
    void queries.invalidateQueries({ queryKey: ['unanswered'] });
  };
  return (
    <div role="status" className="flex gap-3 rounded-lg border border-wait/40 bg-wait-soft px-4 py-3 text-sm">
      <CircleHelp aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-wait" />
      <div className="min-w-0 space-y-2">
        <p className="font-medium">
          {action === undefined
            ? 'The same operation has no response yet'
            : 'The same operation was accepted'}
        </p>
        {action === undefined ? (
          <p>
            You sent it at {new Date(since).toLocaleTimeString([], { timeStyle: 'short' })}, but no response
            arrived. Sending it again is safe: it is executed only once.
          </p>
        ) : (
          <p>It is executed once: choosing Send again does not execute it a second time.</p>
        )}
        {check.isSuccess && action === undefined ? <p>The service has not accepted it so far.</p> : null}
        {check.isError ? <ProblemNote error={check.error} /> : null}
        <div className="flex flex-wrap gap-2">
          {action === undefined ? (
            <Button busy={check.isPending} onClick={() => check.mutate(key)}>
              Check
            </Button>
          ) : (
            <Link
              to="/actions/$actionId"
              params={{ actionId: action.actionId }}
              className="self-center underline"
              onClick={forget}
            >
              Open the action
            </Link>
          )}
          {action === undefined ? null : <Button onClick={forget}>Start another one</Button>}
        </div>
      </div>
    </div>
  );
}
