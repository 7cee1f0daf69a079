import { Problem } from '@ledger-ops/base';
import { nextId, type Tx, uuidv7 } from '@ledger-ops/store';
import { bumpAccess } from './access/access-version.ts';
import { addResource } from './access/resources.ts';
import { systemUid } from './access/system-uid.ts';
import { checkName, chosenId } from './chosen-id.ts';
import type { OrganizationRecord, ProjectRecord } from './types.ts';

export interface NewOrganization {
  organizationId?: string;
  name: string;
  /** serviceId of the identity that gets the owner role. */
  owner?: string;
}

export interface NewProject {
  projectId?: string;
  organizationUid: string;
  name: string;
  owner?: string;
}

/** Creates an organization below the system. @throws Problem `already-exists`, `invalid-request` */
export async function addOrganization(
  tx: Tx,
  input: NewOrganization,
  now: number,
): Promise<OrganizationRecord> {
  const organizationId = chosenId(input.organizationId, '/organizationId');
  const name = checkName(input.name, '/name');
  await bumpAccess(tx);
  const { organization } = tx.t;
  const record = { uid: uuidv7(), id: await nextId(tx, 'organization'), organizationId, name };
  const added = await tx.db
    .insert(organization)
    .values({ ...record, createdAt: now })
    .onConflictDoNothing({ target: organization.organizationId })
    .returning({ uid: organization.uid });
  if (added.length === 0) {
    throw new Problem('already-exists', `An organization with the id ${organizationId} already exists.`);
  }
  await addResource(
    tx,
    {
      uid: record.uid,
      resourceId: organizationId,
      type: 'organization',
      parentUid: systemUid,
      ...owner(input.owner),
    },
    now,
  );
  return record;
}

/** Creates a project below its organization. @throws Problem `already-exists`, `invalid-request` */
export async function addProject(tx: Tx, input: NewProject, now: number): Promise<ProjectRecord> {
  const projectId = chosenId(input.projectId, '/projectId');
  const name = checkName(input.name, '/name');
  await bumpAccess(tx);
  const { project } = tx.t;
  const { organizationUid } = input;
  const record = { uid: uuidv7(), id: await nextId(tx, 'project'), projectId, organizationUid, name };
  const added = await tx.db
    .insert(project)
    .values({ ...record, createdAt: now })
    .onConflictDoNothing({ target: [project.organizationUid, project.projectId] })
    .returning({ uid: project.uid });
  if (added.length === 0) {
    throw new Problem(
      'already-exists',
      `A project with the id ${projectId} already exists in the organization.`,
      {
        errors: [{ pointer: '/projectId', detail: 'already exists' }],
      },
    );
  }
  await addResource(
    tx,
    {
      uid: record.uid,
      resourceId: projectId,
      type: 'project',
      parentUid: organizationUid,
      ...owner(input.owner),
    },
    now,
    '/organizationId',
  );
  return record;
}

function owner(serviceId: string | undefined): { owner?: string } {
  return serviceId === undefined ? {} : { owner: serviceId };
}
