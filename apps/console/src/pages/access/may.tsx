import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { grantsOfQuery } from '../../api/access.ts';
import { get } from '../../api/client.ts';
import type { Project } from '../../api/person.ts';
import type { Schemas } from '../../api/types.ts';
import { sentenceText } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { Input } from '../../ui/field.tsx';
import { Card, Loading } from '../../ui/layout.tsx';
import { ProblemNote } from '../../ui/problem.tsx';
import { Badge } from '../../ui/status.tsx';

/** The permissions that somebody has on a record, by all their roles there and above. */
export function May({ project, who }: { project: Project; who: string }) {
  const [serviceId, setServiceId] = useState(who);
  const [resourceId, setResourceId] = useState(project.projectId);
  const [asked, setAsked] = useState(who === '' ? undefined : { serviceId: who, resourceId: project.uid });
  return (
    <div className="grid items-start gap-5 lg:grid-cols-[22rem_minmax(0,1fr)]">
      <Card title="What may somebody do?">
        <form
          className="space-y-4"
          onSubmit={(event: FormEvent) => {
            event.preventDefault();
            setAsked({ serviceId, resourceId });
          }}
        >
          <Input
            label="Who"
            hint="The e-mail address of a person, or the id of an account."
            required
            value={serviceId}
            onChange={({ target }) => setServiceId(target.value.trim())}
          />
          <Input
            label="On what"
            hint="The id of a project, an organization, a wallet, a ledger, …"
            required
            value={resourceId}
            onChange={({ target }) => setResourceId(target.value.trim())}
          />
          <Button type="submit" look="primary" className="w-full">
            Show
          </Button>
        </form>
      </Card>
      <div aria-live="polite">{asked === undefined ? null : <Answer {...asked} />}</div>
    </div>
  );
}

function Answer({ serviceId, resourceId }: { serviceId: string; resourceId: string }) {
  const held = useQuery({
    queryKey: ['access', 'permissions', serviceId, resourceId],
    queryFn: ({ signal }) =>
      get<Schemas['AdminIdentityPermissions']>(
        '/v1/admin/identity-permissions',
        { serviceId, resourceId },
        signal,
      ),
  });
  if (held.isError) return <ProblemNote error={held.error} />;
  if (held.isPending) return <Loading />;
  const types = Map.groupBy(held.data.permissions, (permission) => permission.split(':')[0] ?? '');
  return (
    <Card title="Permissions, by all roles there and above">
      <By serviceId={held.data.serviceId} />
      {types.size === 0 ? <p className="text-sm text-ink-2">None: it may do nothing there.</p> : null}
      <dl className="divide-y divide-line text-sm">
        {[...types].map(([type, permissions]) => (
          <div key={type} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2">
            <dt>{sentenceText(type)}</dt>
            <dd className="flex flex-wrap gap-1.5">
              {permissions.map((permission) => (
                <Badge key={permission}>{permission.split(':')[1]}</Badge>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

/** Which roles those are, as far as one may see them. */
function By({ serviceId }: { serviceId: string }) {
  const grants = useQuery(grantsOfQuery(serviceId));
  const [first] = grants.data ?? [];
  if (first === undefined) return null;
  return (
    <p className="mb-3 text-sm text-ink-2">
      {first.identifier} is{' '}
      {grants.data
        ?.map(({ role, resourceType, resourceId }) => `${role} on the ${resourceType} ${resourceId}`)
        .join(', ')}
      .
    </p>
  );
}
