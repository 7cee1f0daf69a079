import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import {
  accountQuery,
  type Credential,
  credentialsQuery,
  grantsOfQuery,
  refreshAccess,
} from '../api/access.ts';
import { call, path } from '../api/client.ts';
import { useCreation } from '../api/create.ts';
import type { Schemas } from '../api/types.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { type Column, createdColumn, Named } from '../ui/data-table.tsx';
import { Card, Empty, Facts, PageHead, Up } from '../ui/layout.tsx';
import { Owner } from '../ui/names.tsx';
import { ProblemNote } from '../ui/problem.tsx';
import { Unread } from '../ui/record.tsx';
import { Records } from '../ui/records.tsx';
import { SecretDialog } from '../ui/secret.tsx';
import { Badge } from '../ui/status.tsx';
import { Id, Time } from '../ui/text.tsx';
import { ArchiveButton } from './access/archive.tsx';
import { Place } from './access/place.tsx';

const route = getRouteApi('/frame/access/accounts/$accountId');
const up = (
  <Up to="/access" search={{ part: 'accounts' }}>
    Accounts
  </Up>
);

export function AccountPage() {
  const { accountId } = route.useParams();
  const account = useQuery(accountQuery(accountId));
  if (account.data === undefined)
    return <Unread key={accountId} error={account.error} name="account" up={up} />;
  const { name, serviceId, createdAt, email } = account.data;
  return (
    <>
      {up}
      <PageHead title={name}>
        <Link to="/access" search={{ part: 'may', who: serviceId }} className={buttonClass()}>
          Permissions
        </Link>
        <ArchiveButton
          kind="accounts"
          id={account.data.accountId}
          name={name}
          archivedAt={account.data.archivedAt}
        />
      </PageHead>
      <div className="space-y-5">
        <div className="grid items-start gap-5 lg:grid-cols-2">
          <Card title="Account">
            <Facts
              items={[
                ['Id', account.data.accountId],
                ['Service id', <Id key="serviceId">{serviceId}</Id>],
                ['Address', email],
                ['Project', <Owner key="project" projectId={account.data.projectId} />],
                ['Created', <Time key="made" at={createdAt} />],
                ...(account.data.archivedAt === null
                  ? []
                  : ([['Archived', <Time key="archived" at={account.data.archivedAt} />]] as const)),
              ]}
            />
          </Card>
          <Roles serviceId={serviceId} />
        </div>
        <Credentials accountId={accountId} />
      </div>
    </>
  );
}

function Roles({ serviceId }: { serviceId: string }) {
  const grants = useQuery(grantsOfQuery(serviceId));
  return (
    <Card title="Roles">
      {grants.isError ? <ProblemNote error={grants.error} /> : null}
      {grants.data?.length === 0 ? (
        <p className="text-sm text-ink-2">No roles are visible to you. Grant roles under Access.</p>
      ) : null}
      <ul className="space-y-2 text-sm">
        {grants.data?.map(({ role, resourceType, resourceId, resourceUid }) => (
          <li key={`${resourceUid} ${role}`} className="flex items-baseline gap-2">
            <Badge>{role}</Badge>
            <Place resourceType={resourceType} resourceId={resourceId} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

const columnsOf = (accountId: string): Column<Credential>[] => [
  {
    id: 'kind',
    header: 'Credential',
    cell: (original) => (
      <Named details={original.id}>{original.kind === 'token' ? 'API token' : 'Key'}</Named>
    ),
  },
  {
    id: 'status',
    header: 'State',
    cell: (one) => (one.status === 'ENABLED' ? <Badge tone="good">enabled</Badge> : <Badge>disabled</Badge>),
  },
  createdColumn('sm'),
  {
    id: 'switch',
    header: <span className="sr-only">Change</span>,
    align: 'right',
    cell: (row) => <Switch accountId={accountId} credential={row} />,
  },
];

/** Tokens and keys of the account. A secret is shown once, when it is created. */
function Credentials({ accountId }: { accountId: string }) {
  const list = useQuery(credentialsQuery(accountId));
  const [secrets, setSecrets] = useState<readonly (readonly [string, string])[]>();
  const token = useCreation<Schemas['AdminNewToken']>(
    path`/v1/admin/accounts/${accountId}/tokens`,
    async ({ apiToken }) => {
      setSecrets([['API token', apiToken]]);
      await refreshAccess();
    },
  );
  const key = useCreation<Schemas['AdminNewKey']>(
    path`/v1/admin/accounts/${accountId}/keys`,
    async ({ keyId, privateKey }) => {
      setSecrets([
        ['Key id', String(keyId)],
        ['Private key', privateKey],
      ]);
      await refreshAccess();
    },
  );
  const failed = token.error ?? key.error;
  return (
    <>
      {failed === null ? null : <ProblemNote error={failed} />}
      <Records
        title="Credentials"
        aside={
          <span className="flex gap-2">
            <Button busy={token.isPending} onClick={() => token.mutate(undefined)}>
              New API token
            </Button>
            <Button busy={key.isPending} onClick={() => key.mutate(undefined)}>
              New key
            </Button>
          </span>
        }
        label="Credentials of the account"
        list={list}
        columns={columnsOf(accountId)}
        rowId={({ kind, id }) => `${kind} ${id}`}
        empty={
          <Empty title="No credentials yet">Create a token or a key, so that the account can sign in.</Empty>
        }
      />
      {secrets === undefined ? null : (
        <SecretDialog title="The new credential" secrets={secrets} close={() => setSecrets(undefined)} />
      )}
    </>
  );
}

function Switch({ accountId, credential }: { accountId: string; credential: Credential }) {
  const { kind, id, status } = credential;
  const isEnabled = status === 'ENABLED';
  const word = isEnabled ? 'Disable' : 'Enable';
  return (
    <ConfirmButton
      label={word}
      name={`${word} ${kind} ${id}`}
      title={`${word} this credential?`}
      about={
        isEnabled
          ? 'The service account can no longer sign in with this credential.'
          : 'The service account can sign in with this credential again.'
      }
      confirm={`${word} the credential`}
      confirmLook={isEnabled ? 'danger' : 'primary'}
      send={() =>
        call('PUT', path`/v1/admin/accounts/${accountId}/${kind === 'token' ? 'tokens' : 'keys'}/${id}`, {
          body: { status: isEnabled ? 'DISABLED' : 'ENABLED' },
        })
      }
      done={refreshAccess}
    />
  );
}
