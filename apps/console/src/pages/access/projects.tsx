import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { archivedProjectsQuery, type Organization, organizationsQuery } from '../../api/access.ts';
import { useCreation } from '../../api/create.ts';
import type { Project } from '../../api/person.ts';
import { personQuery, queries } from '../../api/queries.ts';
import type { Schemas } from '../../api/types.ts';
import { chooseProject } from '../../session/project.ts';
import { Button } from '../../ui/button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Empty } from '../../ui/layout.tsx';
import { Records } from '../../ui/records.tsx';
import { Id } from '../../ui/text.tsx';
import { ArchiveButton, ArchivedSelect } from './archive.tsx';

const columns: Column<Project>[] = [
  {
    id: 'name',
    header: 'Project',
    cell: (project) => (
      <div className="min-w-0">
        <p className="font-medium wrap-anywhere">{project.name}</p>
        <p className="text-xs break-all text-ink-3">{project.projectId}</p>
      </div>
    ),
  },
  { id: 'organizationId', header: 'Organization', from: 'sm', cell: (one) => one.organizationId },
  { id: 'uid', header: 'Uid', from: 'md', cell: (one) => <Id>{one.uid}</Id> },
  {
    id: 'archive',
    header: <span className="sr-only">Change</span>,
    align: 'right',
    cell: (project) => (
      <ArchiveButton kind="projects" id={project.uid} name={project.name} archivedAt={project.archivedAt} />
    ),
  },
];

const organizationColumns: Column<Organization>[] = [
  {
    id: 'name',
    header: 'Organization',
    cell: (organization) => (
      <div className="min-w-0">
        <p className="font-medium wrap-anywhere">{organization.name}</p>
        <p className="text-xs break-all text-ink-3">{organization.organizationId}</p>
      </div>
    ),
  },
  { id: 'uid', header: 'Uid', from: 'md', cell: (one) => <Id>{one.uid}</Id> },
  {
    id: 'archive',
    header: <span className="sr-only">Change</span>,
    align: 'right',
    cell: (organization) => (
      <ArchiveButton
        kind="organizations"
        id={organization.uid}
        name={organization.name}
        archivedAt={organization.archivedAt}
      />
    ),
  },
];

/** All projects that one may see, and their organizations. */
export function Projects() {
  const person = useQuery(personQuery());
  const [archived, setArchived] = useState(false);
  const away = useQuery({ ...archivedProjectsQuery(), enabled: archived });
  const organizations = useQuery(organizationsQuery(archived));
  const [making, setMaking] = useState<'project' | 'organization'>();
  const close = () => setMaking(undefined);
  return (
    <>
      <Records
        title="Projects"
        aside={
          <span className="flex flex-wrap gap-2">
            <ArchivedSelect archived={archived} choose={setArchived} />
            <Button look="primary" onClick={() => setMaking('project')}>
              New project
            </Button>
          </span>
        }
        label="Table of the projects"
        list={archived ? away : { data: person.data?.projects, error: person.error }}
        columns={columns}
        rowId={({ uid }) => uid}
        empty={
          archived ? (
            <Empty title="No project is archived" />
          ) : (
            <Empty title="No project yet">Create the first one.</Empty>
          )
        }
      />
      <div className="mt-5">
        <Records
          title="Organizations"
          aside={<Button onClick={() => setMaking('organization')}>New organization</Button>}
          label="Table of the organizations"
          list={organizations}
          columns={organizationColumns}
          rowId={({ uid }) => uid}
          empty={
            <Empty title={archived ? 'No organization is archived' : 'No organization that you may see'} />
          }
        />
      </div>
      {making === 'project' ? <NewProject close={close} /> : null}
      {making === 'organization' ? <NewOrganization close={close} /> : null}
    </>
  );
}

function NewProject({ close }: { close: () => void }) {
  const organizations = useQuery(organizationsQuery());
  const [organizationId, setOrganizationId] = useState('');
  const [name, setName] = useState('');
  const [projectId, setProjectId] = useState('');
  const create = useCreation<Project>('/v1/admin/projects', async ({ uid }) => {
    await queries.invalidateQueries({ queryKey: ['person'] });
    close();
    chooseProject(uid);
  });
  return (
    <FormDialog
      title="New project"
      about="You become its owner, and it is chosen at once."
      confirm="Create the project"
      request={create}
      submit={() => create.mutate({ organizationId, name, ...(projectId === '' ? {} : { projectId }) })}
      close={close}
    >
      <Select
        label="Organization"
        required
        value={organizationId}
        onChange={({ target }) => setOrganizationId(target.value)}
      >
        <option value="">Choose…</option>
        {organizations.data?.map((one) => (
          <option key={one.uid} value={one.uid}>
            {one.name}
          </option>
        ))}
      </Select>
      <Input label="Name" required value={name} onChange={({ target }) => setName(target.value)} />
      <Input
        label="Id"
        hint="Left empty, one is generated."
        value={projectId}
        onChange={({ target }) => setProjectId(target.value.trim())}
      />
    </FormDialog>
  );
}

function NewOrganization({ close }: { close: () => void }) {
  const [name, setName] = useState('');
  const [organizationId, setOrganizationId] = useState('');
  const create = useCreation<Schemas['AdminOrganization']>('/v1/admin/organizations', async () => {
    close();
    await queries.invalidateQueries({ queryKey: ['access', 'organizations'] });
  });
  return (
    <FormDialog
      title="New organization"
      about="Only who administers the installation may create one. You become its owner."
      confirm="Create the organization"
      request={create}
      submit={() => create.mutate({ name, ...(organizationId === '' ? {} : { organizationId }) })}
      close={close}
    >
      <Input label="Name" required value={name} onChange={({ target }) => setName(target.value)} />
      <Input
        label="Id"
        hint="Left empty, one is generated."
        value={organizationId}
        onChange={({ target }) => setOrganizationId(target.value.trim())}
      />
    </FormDialog>
  );
}
