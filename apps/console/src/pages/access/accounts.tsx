import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type Account, accountsQuery } from '../../api/access.ts';
import { useCreation } from '../../api/create.ts';
import type { Project } from '../../api/person.ts';
import { queries } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Empty } from '../../ui/layout.tsx';
import { Records } from '../../ui/records.tsx';
import { Id, Time } from '../../ui/text.tsx';
import { ArchivedSelect } from './archive.tsx';

const columns: Column<Account>[] = [
  {
    id: 'name',
    header: 'Account',
    cell: (account) => (
      <div className="min-w-0">
        <Link
          to="/access/accounts/$accountId"
          params={{ accountId: account.serviceId }}
          className="font-medium wrap-anywhere underline-offset-4 hover:underline"
        >
          {account.name}
        </Link>
        <p className="text-xs break-all text-ink-3">{account.accountId}</p>
      </div>
    ),
  },
  { id: 'serviceId', header: 'Service id', from: 'md', cell: (one) => <Id>{one.serviceId}</Id> },
  {
    id: 'createdAt',
    header: 'Created',
    from: 'sm',
    align: 'right',
    cell: (one) => <Time at={one.createdAt} />,
  },
];

/** Accounts of programs. */
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
            <Button look="primary" onClick={() => setMaking(true)}>
              New account
            </Button>
          </span>
        }
        label="Service accounts of the project"
        list={list}
        columns={columns}
        rowId={({ serviceId }) => serviceId}
        empty={
          archived ? (
            <Empty title="No account is archived" />
          ) : (
            <Empty title="No account yet">Create one for each program that calls the service.</Empty>
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
    await queries.invalidateQueries({ queryKey: ['access'] });
  });
  return (
    <FormDialog
      title="New account"
      about="A program signs in to it by a token or a key. It may do nothing until a role is granted to it."
      confirm="Create the account"
      request={create}
      submit={() => create.mutate({ name, projectId, ...(accountId === '' ? {} : { accountId }) })}
      close={close}
    >
      <Input label="Name" required value={name} onChange={({ target }) => setName(target.value)} />
      <Input
        label="Id"
        hint="Left empty, one is generated."
        value={accountId}
        onChange={({ target }) => setAccountId(target.value.trim())}
      />
    </FormDialog>
  );
}
