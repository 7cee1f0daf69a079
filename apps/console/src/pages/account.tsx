import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { accountQuery, type Credential, credentialsQuery, grantsOfQuery } from '../api/access.ts';
import { call, path } from '../api/client.ts';
import { useCreation } from '../api/create.ts';
import { queries } from '../api/queries.ts';
import type { Schemas } from '../api/types.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import type { Column } from '../ui/data-table.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Card, Empty, Facts, PageHead, Up } from '../ui/layout.tsx';
import { ProblemNote } from '../ui/problem.tsx';
import { Unread } from '../ui/record.tsx';
import { Records } from '../ui/records.tsx';
import { SecretDialog } from '../ui/secret.tsx';
import { Badge } from '../ui/status.tsx';
import { Id, Time } from '../ui/text.tsx';
import { ArchiveButton } from './access/archive.tsx';

const route = getRouteApi('/frame/access/accounts/$accountId');
const refresh = () => queries.invalidateQueries({ queryKey: ['access'] });

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
          What it may do
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
                ['Project', account.data.projectId],
                ['Created', <Time key="made" at={createdAt} />],
                ...(account.data.archivedAt === null
                  ? []
                  : ([['Archived', <Time key="archived" at={account.data.archivedAt} />]] as const)),
              ]}
            />
          </Card>
          <Held serviceId={serviceId} />
        </div>
        <Credentials accountId={accountId} />
      </div>
    </>
  );
}

function Held({ serviceId }: { serviceId: string }) {
  const grants = useQuery(grantsOfQuery(serviceId));
  return (
    <Card title="Roles">
      {grants.isError ? <ProblemNote error={grants.error} /> : null}
      {grants.data?.length === 0 ? (
        <p className="text-sm text-ink-2">None that you may see. Roles are granted under Access.</p>
      ) : null}
      <ul className="space-y-2 text-sm">
        {grants.data?.map(({ role, resourceType, resourceId, resourceUid }) => (
          <li key={`${resourceUid} ${role}`} className="flex flex-wrap items-center gap-2">
            <Badge>{role}</Badge>
            <span className="break-all">
              {resourceType} {resourceId}
            </span>
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
      <div className="min-w-0">
        <p className="font-medium">{original.kind === 'token' ? 'API token' : 'Key'}</p>
        <p className="text-xs break-all text-ink-3">{original.id}</p>
      </div>
    ),
  },
  {
    id: 'status',
    header: 'State',
    cell: (one) => (one.status === 'ENABLED' ? <Badge tone="good">enabled</Badge> : <Badge>disabled</Badge>),
  },
  {
    id: 'createdAt',
    header: 'Created',
    from: 'sm',
    align: 'right',
    cell: (one) => <Time at={one.createdAt} />,
  },
  {
    id: 'switch',
    header: <span className="sr-only">Change</span>,
    align: 'right',
    cell: (row) => <Switch accountId={accountId} credential={row} />,
  },
];

/** Its tokens and keys. Secrets are shown once, as they are made. */
function Credentials({ accountId }: { accountId: string }) {
  const list = useQuery(credentialsQuery(accountId));
  const [secrets, setSecrets] = useState<readonly (readonly [string, string])[]>();
  const token = useCreation<Schemas['AdminNewToken']>(
    path`/v1/admin/accounts/${accountId}/tokens`,
    async ({ apiToken }) => {
      setSecrets([['API token', apiToken]]);
      await refresh();
    },
  );
  const key = useCreation<Schemas['AdminNewKey']>(
    path`/v1/admin/accounts/${accountId}/keys`,
    async ({ keyId, privateKey }) => {
      setSecrets([
        ['Id of the key', String(keyId)],
        ['Private key', privateKey],
      ]);
      await refresh();
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
          <Empty title="No credential yet">Create a token or a key, by which the account signs in.</Empty>
        }
      />
      {secrets === undefined ? null : (
        <SecretDialog title="The new credential" secrets={secrets} close={() => setSecrets(undefined)} />
      )}
    </>
  );
}

function Switch({ accountId, credential }: { accountId: string; credential: Credential }) {
  const [asked, setAsked] = useState(false);
  const { kind, id, status } = credential;
  const isEnabled = status === 'ENABLED';
  const next = isEnabled ? 'DISABLED' : 'ENABLED';
  const change = useMutation({
    mutationFn: () =>
      call('PUT', path`/v1/admin/accounts/${accountId}/${kind === 'token' ? 'tokens' : 'keys'}/${id}`, {
        body: { status: next },
      }),
    async onSuccess() {
      setAsked(false);
      await refresh();
    },
  });
  const word = isEnabled ? 'Disable' : 'Enable';
  return (
    <>
      <Button aria-label={`${word} ${kind} ${id}`} onClick={() => setAsked(true)}>
        {word}
      </Button>
      {asked ? (
        <FormDialog
          title={`${word} this credential?`}
          about={isEnabled ? 'Nobody signs in by it any more.' : 'Whoever has it can sign in by it again.'}
          confirm={`${word} the credential`}
          look={isEnabled ? 'danger' : 'primary'}
          request={change}
          submit={() => change.mutate()}
          close={() => setAsked(false)}
        />
      ) : null}
    </>
  );
}
