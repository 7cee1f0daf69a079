import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { archivedProjectsQuery, type Organization, organizationsQuery } from '../../api/access.ts';
import { useCreation } from '../../api/create.ts';
import type { Project } from '../../api/person.ts';
import { personQuery, queries } from '../../api/queries.ts';
import type { Schemas } from '../../api/types.ts';
import { filled } from '../../lib/filled.ts';
import { chooseProject } from '../../session/project.ts';
import { Button } from '../../ui/button.tsx';
import { type Column, Named } from '../../ui/data-table.tsx';
import { Choice, Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Empty } from '../../ui/layout.tsx';
import { Records } from '../../ui/records.tsx';
import { Id } from '../../ui/text.tsx';
import { ArchiveButton, ArchivedSelect } from './archive.tsx';

const columns: Column<Project>[] = [
  {
    id: 'name',
    header: 'Project',
    cell: (project) => <Named details={project.projectId}>{project.name}</Named>,
  },
  { id: 'organizationId', header: 'Organization', from: 'sm', cell: (one) => one.organizationId },
  { id: 'uid', header: 'Uid for API requests', from: 'md', cell: (one) => <Id>{one.uid}</Id> },
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
    cell: (organization) => <Named details={organization.organizationId}>{organization.name}</Named>,
  },
  { id: 'uid', header: 'Uid for API requests', from: 'md', cell: (one) => <Id>{one.uid}</Id> },
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

/** All projects that the user may see, with their organizations. */
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
        label="Projects table"
        list={archived ? away : { data: person.data?.projects, error: person.error }}
        columns={columns}
        rowId={({ uid }) => uid}
        empty={
          archived ? (
            <Empty title="No archived projects" />
          ) : (
            <Empty title="No projects yet">Create the first one.</Empty>
          )
        }
      />
      <div className="mt-5">
        <Records
          title="Organizations"
          aside={<Button onClick={() => setMaking('organization')}>New organization</Button>}
          label="Organizations table"
          list={organizations}
          columns={organizationColumns}
          rowId={({ uid }) => uid}
          empty={
            <Empty
              title={archived ? 'No organizations are visible to you' : 'No organizations visible to you'}
            />
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
      about="You become the owner of the project, and the project is selected."
      confirm="Create the project"
      request={create}
      submit={() => create.mutate(filled({ organizationId, name, projectId }))}
      close={close}
    >
      <Choice
        label="Organization"
        at="/organizationId"
        value={organizationId}
        set={setOrganizationId}
        options={organizations.data?.map((one) => [one.uid, one.name])}
      />
      <Input label="Name" at="/name" required value={name} set={setName} />
      <Input
        label="Id"
        at="/projectId"
        hint="Leave empty to generate one."
        value={projectId}
        set={(text) => setProjectId(text.trim())}
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
      about="Only administrators of the installation can create an organization. You become its owner."
      confirm="Create the organization"
      request={create}
      submit={() => create.mutate(filled({ name, organizationId }))}
      close={close}
    >
      <Input label="Name" at="/name" required value={name} set={setName} />
      <Input
        label="Id"
        at="/organizationId"
        hint="Leave empty to generate one."
        value={organizationId}
        set={(text) => setOrganizationId(text.trim())}
      />
    </FormDialog>
  );
}
