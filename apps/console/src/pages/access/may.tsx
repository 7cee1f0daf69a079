import { capitalized, resourceText } from '@ledger-ops/client/text';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, Fragment, useState } from 'react';
import { grantsOfQuery, permissionsQuery } from '../../api/access.ts';
import type { Project } from '../../api/person.ts';
import { contractsQuery, ledgersQuery, walletsQuery } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { Card, Loading } from '../../ui/layout.tsx';
import { ProblemNote } from '../../ui/problem.tsx';
import { Badge } from '../../ui/status.tsx';
import { Suggest } from '../../ui/suggest.tsx';
import { Place } from './place.tsx';
import { WhoField } from './who-field.tsx';

/** The effective permissions of an identity on a record, from its roles on the record and above it. */
export function May({ project, who }: { project: Project; who: string }) {
  const [serviceId, setServiceId] = useState(who);
  const [resourceId, setResourceId] = useState(project.projectId);
  const [asked, setAsked] = useState(who === '' ? undefined : { serviceId: who, resourceId: project.uid });
  const records = useRecords(project);
  return (
    <div className="grid items-start gap-5 lg:grid-cols-[22rem_minmax(0,1fr)]">
      <Card title="Check permissions">
        <form
          className="space-y-4"
          onSubmit={(event: FormEvent) => {
            event.preventDefault();
            setAsked({ serviceId, resourceId });
          }}
        >
          <WhoField project={project} value={serviceId} set={setServiceId} />
          <Suggest
            label="Record"
            hint="Choose a record, or type the id of another one."
            required
            value={resourceId}
            set={setResourceId}
            options={records}
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

/** Records suggested in the field. */
function useRecords({ projectId, name, organizationId }: Project) {
  const wallets = useQuery(walletsQuery()).data?.pageContent ?? [];
  const ledgers = useQuery(ledgersQuery()).data ?? [];
  const contracts = useQuery(contractsQuery()).data ?? [];
  return [
    { value: projectId, detail: `Project ${name}` },
    { value: organizationId, detail: 'Organization' },
    ...wallets.map(({ walletId }) => ({ value: walletId, detail: 'Wallet' })),
    ...ledgers.map((one) => ({ value: one.ledgerId, detail: `Ledger ${one.name}` })),
    ...contracts.map((one) => ({ value: one.contractId, name: one.name, detail: 'Contract' })),
  ];
}

function Answer({ serviceId, resourceId }: { serviceId: string; resourceId: string }) {
  const held = useQuery(permissionsQuery(serviceId, resourceId));
  if (held.isError) return <ProblemNote error={held.error} />;
  if (held.isPending) return <Loading />;
  const types = Map.groupBy(held.data.permissions, (permission) => permission.split(':')[0] ?? '');
  return (
    <Card title="Effective permissions">
      <By serviceId={held.data.serviceId} />
      {types.size === 0 ? (
        <p className="text-sm text-ink-2">The identity has no permissions on this record.</p>
      ) : null}
      <dl className="divide-y divide-line text-sm">
        {[...types].map(([type, permissions]) => (
          <div key={type} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2">
            <dt>{capitalized(resourceText(type))}</dt>
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

/** The roles from which the permissions come, if the user may see them. */
function By({ serviceId }: { serviceId: string }) {
  const grants = useQuery(grantsOfQuery(serviceId));
  const [first] = grants.data ?? [];
  if (first === undefined) return null;
  return (
    <p className="mb-3 text-sm text-ink-2">
      {first.identifier} is{' '}
      {grants.data?.map(({ role, resourceType, resourceId, resourceUid }, index) => (
        <Fragment key={`${resourceUid} ${role}`}>
          {index === 0 ? '' : ', '}
          {role} on the <Place resourceType={resourceType} resourceId={resourceId} />
        </Fragment>
      ))}
      .
    </p>
  );
}
