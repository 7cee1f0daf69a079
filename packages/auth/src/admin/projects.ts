import type { PageBody, Paging } from '@ledger-ops/base';
import { type IdempotencyClaim, once, type Queries, type Tables } from '@ledger-ops/store';
import { eq } from 'drizzle-orm';
import { z } from 'zod';
import { recordChange } from '../timeline/record-change.ts';
import type { Principal } from '../types.ts';
import type { AdminContext } from './context.ts';
import { findResource, notFound } from './find.ts';
import { listRecords } from './listing.ts';
import { organizationRecord, organizationViews } from './organizations.ts';
import { all, any, below, named, visibilityOf, whether } from './visibility.ts';

/** A project (section 2.9). */
export const projectRecord = z
  .object({
    id: z.int(),
    name: z.string(),
    organization: organizationRecord,
    projectID: z.string(),
    resourceId: z.string(),
    resourceUUID: z.string(),
  })
  .meta({ id: 'Project' });
export type ProjectView = z.infer<typeof projectRecord>;

/** Projects of organizations. */
export interface Projects {
  /** Those that the caller may read, of one organization or of all. */
  list(
    principal: Principal,
    query: Paging & {
      organization?: string | undefined;
      resourceId?: string | undefined;
      archived?: boolean | undefined;
    },
  ): Promise<PageBody<ProjectView>>;
  /**
   * The caller becomes its owner.
   *
   * @param input.organization its id
   * @throws Problem `not-found`, `not-permitted`, `already-exists`, `invalid-request`
   */
  create(
    principal: Principal,
    input: { name: string; projectID?: string | undefined; organization: string },
    claim?: IdempotencyClaim,
  ): Promise<ProjectView>;
  /** @throws Problem `not-found` */
  get(principal: Principal, projectId: string): Promise<ProjectView>;
}

/** Makes the service. */
export function createProjects(context: AdminContext): Projects {
  const { store, auth, now, baseUrl } = context;
  const { read } = store;
  const { project } = read.t;

  const one = async (queries: Queries, uid: string): Promise<ProjectView> => {
    const table = queries.t.project;
    const rows = await queries.db.select().from(table).where(eq(table.uid, uid));
    const [view] = await present(queries, rows, baseUrl);
    if (view === undefined) throw notFound('project');
    return view;
  };

  return {
    async list(principal, query) {
      const { resourceId, organization } = query;
      return await listRecords(
        read,
        {
          contentType: 'ProjectPage',
          table: project,
          columns: {
            id: project.id,
            name: project.name,
            projectID: project.projectId,
            resourceId: project.projectId,
            resourceUUID: project.uid,
            dateCreated: project.createdAt,
          },
          tieBreaker: project.id,
          where: all(
            visibilityOf(read, principal, 'set').resources(project.uid, 'project'),
            whether(query.archived, project.uid),
            organization === undefined
              ? undefined
              : below(project.uid, named('organization', organization), 'project'),
            resourceId ? any(eq(project.projectId, resourceId), eq(project.uid, resourceId)) : undefined,
          ),
          present: (rows) => present(read, rows, baseUrl),
        },
        query,
      );
    },

    async create(principal, { name, projectID, organization }, claim) {
      const above = await findResource(context, principal, {
        id: organization,
        type: 'organization',
        pointer: '/organization',
      });
      await auth.demand(principal, 'project:create', above.uid);
      return await once(store, { claim, status: 201 }, async (tx) => {
        const { uid } = await auth.createProject(tx, {
          name,
          ...(projectID === undefined ? {} : { projectId: projectID }),
          organizationUid: above.uid,
          owner: principal.serviceId,
        });
        const change = { action: 'create', service: 'organization-projects', targetObject: name } as const;
        await recordChange(tx, principal, uid, change, now());
        return await one(tx, uid);
      });
    },

    async get(principal, projectId) {
      const { uid } = await findResource(context, principal, { id: projectId, type: 'project' });
      return await one(read, uid);
    },
  };
}

async function present(
  queries: Queries,
  rows: readonly Tables['project']['$inferSelect'][],
  baseUrl: string,
): Promise<ProjectView[]> {
  const uids = [...new Set(rows.map(({ organizationUid }) => organizationUid))];
  const views = await organizationViews(queries, uids, baseUrl);
  const organizations = new Map(views.map((view) => [view.resourceUUID, view]));
  return rows.flatMap(({ uid, id, name, projectId, organizationUid }) => {
    const organization = organizations.get(organizationUid);
    if (organization === undefined) return [];
    return [{ id, name, organization, projectID: projectId, resourceId: projectId, resourceUUID: uid }];
  });
}
