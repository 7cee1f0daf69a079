import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Account, accountsQuery, refreshAccess } from '../../api/access.ts';
import { useCreation } from '../../api/create.ts';
import type { Project } from '../../api/person.ts';
import { filled } from '../../lib/filled.ts';
import { Button } from '../../ui/button.tsx';
import { type Column, createdColumn, Named } from '../../ui/data-table.tsx';
import { Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Empty, RecordLink } from '../../ui/layout.tsx';
import { Permitted } from '../../ui/permitted.tsx';
import { Records } from '../../ui/records.tsx';
import { Id } from '../../ui/text.tsx';
import { ArchivedSelect } from './archive.tsx';

const columns: Column<Account>[] = [
  {
    id: 'name',
    header: 'Account',
    cell: (account) => (
      <Named details={account.accountId}>
        <RecordLink to="/access/accounts/$accountId" params={{ accountId: account.serviceId }}>
          {account.name}
        </RecordLink>
      </Named>
    ),
  },
  { id: 'serviceId', header: 'Service id', from: 'md', cell: (one) => <Id>{one.serviceId}</Id> },
  createdColumn('sm'),
];

export function Accounts({ project: { projectId } }: { project: Project }) {
  const [archived, setArchived] = useState(false);
  const list = useQuery(accountsQuery(projectId, archived));
  const [making, setMaking] = useState(false);
  return (
    <>
      <Records
        title="Service accounts"
        aside={
          <span className="flex flex-wrap gap-2">
            <ArchivedSelect archived={archived} choose={setArchived} />
            <Permitted permission="service-account:create">
              <Button look="primary" onClick={() => setMaking(true)}>
                New service account
              </Button>
            </Permitted>
          </span>
        }
        label="Service accounts of the project"
        list={list}
        columns={columns}
        rowId={({ serviceId }) => serviceId}
        empty={
          archived ? (
            <Empty title="No archived service accounts" />
          ) : (
            <Empty title="No service accounts yet">Create one for each program that calls the service.</Empty>
          )
        }
      />
      {making ? <NewAccount projectId={projectId} close={() => setMaking(false)} /> : null}
    </>
  );
}

function NewAccount({ projectId, close }: { projectId: string; close: () => void }) {
  const [name, setName] = useState('');
  const [accountId, setAccountId] = useState('');
  const create = useCreation<Account>('/v1/admin/accounts', async () => {
    close();
    await refreshAccess();
  });
  return (
    <FormDialog
      title="New service account"
      about="A program signs in with the account’s token or key. The account has no permissions until you grant it a role."
      confirm="Create the service account"
      request={create}
      submit={() => create.mutate(filled({ name, projectId, accountId }))}
      close={close}
    >
      <Input label="Name" at="/name" required value={name} set={setName} />
      <Input
        label="Id"
        at="/accountId"
        hint="Leave empty to generate one."
        value={accountId}
        set={(text) => setAccountId(text.trim())}
      />
    </FormDialog>
  );
}
