import type { ListResult, Paging } from '@ledger-ops/base';
import { type IdempotencyClaim, once, type Queries, type Tables } from '@ledger-ops/store';
import { eq } from 'drizzle-orm';
import { recordChange } from '../timeline/record-change.ts';
import type { Principal } from '../types.ts';
import type { AdminContext } from './context.ts';
import { findResource, notFound } from './find.ts';
import { listRecords } from './listing.ts';
import { type OrganizationView, organizationViews } from './organizations.ts';
import { all, any, below, named, visibilityOf, whether } from './visibility.ts';

export interface ProjectView {
  id: number;
  uid: string;
  projectId: string;
  name: string;
  organization: OrganizationView;
}

export interface Projects {
  /** Returns the projects that the caller may read, of one organization or of all. */
  list(
    principal: Principal,
    query: Paging & {
      organizationId?: string | undefined;
      resourceId?: string | undefined;
      archived?: boolean | undefined;
    },
  ): Promise<ListResult<ProjectView>>;
  /**
   * The caller becomes its owner.
   *
   * @throws Problem `not-found`, `not-permitted`, `already-exists`, `invalid-request`
   */
  create(
    principal: Principal,
    input: { name: string; projectId?: string | undefined; organizationId: string },
    claim?: IdempotencyClaim,
  ): Promise<ProjectView>;
  /** @throws Problem `not-found` */
  get(principal: Principal, projectId: string): Promise<ProjectView>;
}

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
      const { resourceId, organizationId } = query;
      return await listRecords(
        read,
        {
          table: project,
          columns: {
            id: project.id,
            name: project.name,
            projectId: project.projectId,
            uid: project.uid,
            createdAt: project.createdAt,
          },
          tieBreaker: project.id,
          where: all(
            visibilityOf(read, principal, 'set').resources(project.uid, 'project'),
            whether(query.archived, project.uid),
            organizationId === undefined
              ? undefined
              : below(project.uid, named('organization', organizationId), 'project'),
            resourceId ? any(eq(project.projectId, resourceId), eq(project.uid, resourceId)) : undefined,
          ),
          present: (rows) => present(read, rows, baseUrl),
        },
        query,
      );
    },

    async create(principal, { name, projectId, organizationId }, claim) {
      const above = await findResource(context, principal, {
        id: organizationId,
        type: 'organization',
        pointer: '/organizationId',
      });
      await auth.demand(principal, 'project:create', above.uid);
      return await once(store, { claim, status: 201 }, async (tx) => {
        const { uid } = await auth.createProject(tx, {
          name,
          ...(projectId === undefined ? {} : { projectId }),
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
  const organizations = new Map(views.map((view) => [view.uid, view]));
  return rows.flatMap(({ uid, id, name, projectId, organizationUid }) => {
    const organization = organizations.get(organizationUid);
    if (organization === undefined) return [];
    return [{ id, uid, projectId, name, organization }];
  });
}
