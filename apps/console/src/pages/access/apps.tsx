import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type App, appsQuery, refreshAccess } from '../../api/access.ts';
import { call, path } from '../../api/client.ts';
import { useCreation } from '../../api/create.ts';
import type { Project } from '../../api/person.ts';
import type { Schemas } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { type Column, Named } from '../../ui/data-table.tsx';
import { Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Empty } from '../../ui/layout.tsx';
import { Permitted } from '../../ui/permitted.tsx';
import { Records } from '../../ui/records.tsx';
import { SecretDialog } from '../../ui/secret.tsx';
import { AppRoles } from './app-roles.tsx';
import { ArchiveButton, ArchivedSelect } from './archive.tsx';

/** Applications through which people and service accounts sign in. */
export function Apps({ project }: { project: Project }) {
  const { projectId } = project;
  const [archived, setArchived] = useState(false);
  const list = useQuery(appsQuery(projectId, archived));
  const [making, setMaking] = useState(false);
  const [issuing, setIssuing] = useState<App>();
  const [token, setToken] = useState<string>();
  const columns: Column<App>[] = [
    {
      id: 'name',
      header: 'Application',
      cell: (app) => <Named details={app.appId}>{app.name}</Named>,
    },
    {
      id: 'redirectUris',
      header: 'Redirect addresses',
      from: 'md',
      cell: (one) => one.redirectUris.join(', ') || '—',
    },
    {
      id: 'token',
      header: <span className="sr-only">Change</span>,
      align: 'right',
      cell: (app) => (
        <span className="inline-flex flex-wrap justify-end gap-2">
          {app.archivedAt === null ? (
            <Button aria-label={`New token for ${app.name}`} onClick={() => setIssuing(app)}>
              New token
            </Button>
          ) : null}
          <ArchiveButton kind="apps" id={app.appId} name={app.name} archivedAt={app.archivedAt} />
        </span>
      ),
    },
  ];
  return (
    <>
      <Records
        title="Applications"
        aside={
          <span className="flex flex-wrap gap-2">
            <ArchivedSelect archived={archived} choose={setArchived} />
            <Permitted permission="app:create">
              <Button look="primary" onClick={() => setMaking(true)}>
                New application
              </Button>
            </Permitted>
          </span>
        }
        label="Applications of the project"
        list={list}
        columns={columns}
        rowId={({ uid }) => uid}
        empty={
          archived ? (
            <Empty title="No archived applications" />
          ) : (
            <Empty title="No applications yet">
              Create one for each program or website that calls the service.
            </Empty>
          )
        }
      />
      <div className="mt-5">
        <AppRoles project={project} />
      </div>
      {making ? <NewApp projectId={projectId} close={() => setMaking(false)} /> : null}
      {issuing === undefined ? null : (
        <IssueToken app={issuing} issued={setToken} close={() => setIssuing(undefined)} />
      )}
      {token === undefined ? null : (
        <SecretDialog
          title="The application’s token"
          secrets={[['ApplicationToken', token]]}
          close={() => setToken(undefined)}
        />
      )}
    </>
  );
}

function NewApp({ projectId, close }: { projectId: string; close: () => void }) {
  const [name, setName] = useState('');
  const [redirectUri, setRedirectUri] = useState('');
  const create = useCreation<App>('/v1/admin/apps', () => undefined);
  // This role lets the application do everything in the project that its users may do.
  const open = useMutation({
    async mutationFn(body: object) {
      const { appId } = create.data ?? (await create.mutateAsync(body));
      await call('PUT', path`/v1/admin/app-role-grants/${projectId}/${appId}`, {
        body: { role: 'application' },
      });
    },
    async onSuccess() {
      close();
      await refreshAccess();
    },
  });
  return (
    <FormDialog
      title="New application"
      about="People and service accounts use the application to act in this project, within their own roles."
      confirm="Create the application"
      request={open}
      submit={() => open.mutate({ name, projectId, redirectUris: redirectUri === '' ? [] : [redirectUri] })}
      close={close}
    >
      <Input label="Name" at="/name" required value={name} set={setName} />
      <Input
        label="Redirect address"
        at="/redirectUris"
        type="url"
        hint="Where people return after signing in. Leave empty if only programs use it."
        value={redirectUri}
        set={(text) => setRedirectUri(text.trim())}
      />
    </FormDialog>
  );
}

function IssueToken({
  app,
  issued,
  close,
}: {
  app: App;
  issued: (token: string) => void;
  close: () => void;
}) {
  const issue = useCreation<Schemas['IssuedAppToken']>(
    path`/v1/admin/apps/${app.uid}/token`,
    ({ appToken }) => {
      close();
      issued(appToken);
    },
  );
  return (
    <FormDialog
      title={`Issue a new token for ${app.name}?`}
      about="The new token is shown once, in the next step. The current token stops working immediately."
      confirm="Issue the token"
      request={issue}
      submit={() => issue.mutate(undefined)}
      close={close}
    />
  );
}
