import { checkName, chosenId, type Principal, scopeIdOf, scopeIds, systemUid } from '@ledger-ops/auth';
import { Problem } from '@ledger-ops/base';
import { listPage, nextId, once, type Queries, uuidv7 } from '@ledger-ops/store';
import { and, asc, eq, inArray, or, sql } from 'drizzle-orm';
import { registerNew } from '../../register-new.ts';
import { explorerCounter } from '../../revision.ts';
import { demandScope, usableIn } from '../../scope.ts';
import { gone, pickVisible } from '../../service.ts';
import { visible } from '../../visible.ts';
import { type LedgerNodesContext, namedLedger } from '../context.ts';
import { ledgerIdOf, ledgerIds } from '../ledger-views.ts';
import { listedFor } from '../project-list.ts';
import type { ExplorerView, LedgerNodes } from '../types.ts';
import { implementationViews, parseImplementations, readImplementations } from './implementations.ts';

type ExplorerRow = Queries['t']['explorer']['$inferSelect'];

/** Explorers for a caller. */
export function createExplorers(context: LedgerNodesContext): LedgerNodes['explorers'] {
  const { store, auth, findLedger, record, now } = context;
  const { explorer, node } = store.read.t;

  async function find(principal: Principal, explorerId: string): Promise<ExplorerRow> {
    const rows = await store.read.db
      .select()
      .from(explorer)
      .where(or(eq(explorer.explorerId, explorerId), eq(explorer.uid, explorerId)));
    return await pickVisible(context, principal, 'explorer', rows);
  }

  const viewOf = async (queries: Queries, row: ExplorerRow): Promise<ExplorerView> => {
    const [view] = await explorerViews(queries, [row]);
    if (view === undefined) throw gone('explorer');
    return view;
  };

  /** The uid of a node of the ledger that a body names. */
  async function nodeOf(principal: Principal, nodeId: string | null | undefined, ledgerUid: string) {
    if (!nodeId) return null;
    const rows = await store.read.db
      .select({ uid: node.uid })
      .from(node)
      .where(
        and(
          eq(node.nodeId, nodeId),
          eq(node.ledgerUid, ledgerUid),
          visible(store.read, principal, node.uid, 'node'),
        ),
      );
    if (rows[0] !== undefined) return rows[0].uid;
    const detail = `there is no node ${nodeId} of this ledger that you may see`;
    throw new Problem('not-found', `/nodeID: ${detail}.`, { errors: [{ pointer: '/nodeID', detail }] });
  }

  return {
    async list(principal, query) {
      const { uid, id, explorerId, scope, name, ledgerUid, nodeUid } = explorer;
      const columns = { uid, scope, id: explorerId };
      const where = listedFor(store.read, principal, 'explorer', columns, query);
      const sortable = {
        ...{ id, explorerID: explorerId, name, resourceId: explorerId },
        projectId: scopeIdOf(scope),
        ledgerID: ledgerIdOf(store.read, ledgerUid),
        nodeID: sql`(select ${node.nodeId} from ${node} where ${node.uid} = ${nodeUid})`,
      };
      const { items, total } = await listPage(
        store.read,
        { table: explorer, where, columns: sortable, created: id, tieBreaker: uid },
        query,
      );
      return { items: await explorerViews(store.read, items), total };
    },
    get: async (principal, explorerId) => await viewOf(store.read, await find(principal, explorerId)),

    async defaultOf(principal, ledgerId) {
      const { uid } = await findLedger(principal, ledgerId);
      const rows = await explorersOf(store.read, uid, principal.projectUid);
      return await viewOf(store.read, await pickVisible(context, principal, 'explorer', rows));
    },

    async create(principal, input, claim) {
      const scope = await demandScope(context, principal, 'explorer:create', input.projectId);
      const ledger = await namedLedger(context, principal, input.ledgerID, '/ledgerID');
      const nodeUid = await nodeOf(principal, input.nodeID, ledger.uid);
      const explorerId = chosenId(input.explorerID ?? undefined, '/explorerID');
      const implementations = readImplementations(input.implementations ?? []);
      const at = now();
      const name = checkName(input.name, '/name');
      return await once(store, { claim, status: 201 }, async (tx) => {
        await nextId(tx, explorerCounter);
        const row = {
          uid: uuidv7(),
          id: await nextId(tx, 'explorer'),
          ...{ explorerId, scope, ledgerUid: ledger.uid, nodeUid, name },
          implementations: JSON.stringify(implementations),
          ...{ createdAt: at, updatedAt: at },
        };
        const added = await tx.db
          .insert(explorer)
          .values(row)
          .onConflictDoNothing({ target: [explorer.scope, explorer.explorerId] })
          .returning({ uid: explorer.uid });
        await registerNew(auth, tx, added, {
          uid: row.uid,
          resourceId: explorerId,
          type: 'explorer',
          parentUid: scope,
          owner: principal.serviceId,
          pointer: '/explorerID',
        });
        await record(tx, principal, 'create', 'explorer', { ...row, resourceId: explorerId });
        return await viewOf(tx, row);
      });
    },

    async update(principal, explorerId, input) {
      const row = await find(principal, explorerId);
      await auth.demand(principal, 'explorer:update', row.uid);
      const nodeUid =
        input.nodeID === undefined ? row.nodeUid : await nodeOf(principal, input.nodeID, row.ledgerUid);
      const implementations = input.implementations
        ? JSON.stringify(readImplementations(input.implementations))
        : row.implementations;
      const name = input.name === undefined ? row.name : checkName(input.name, '/name');
      return await store.transaction(async (tx) => {
        await nextId(tx, explorerCounter);
        const [changed] = await tx.db
          .update(explorer)
          .set({ name, nodeUid, implementations, updatedAt: now() })
          .where(eq(explorer.uid, row.uid))
          .returning();
        if (changed === undefined) throw gone('explorer');
        await record(tx, principal, 'update', 'explorer', { ...changed, resourceId: changed.explorerId });
        return await viewOf(tx, changed);
      });
    },

    async delete(principal, explorerId) {
      const row = await find(principal, explorerId);
      await auth.demand(principal, 'explorer:delete', row.uid);
      await store.transaction(async (tx) => {
        await nextId(tx, explorerCounter);
        const deleted = await tx.db
          .delete(explorer)
          .where(eq(explorer.uid, row.uid))
          .returning({ uid: explorer.uid });
        if (deleted.length === 0) throw gone('explorer');
        await auth.removeResource(tx, row.uid);
        await record(tx, principal, 'delete', 'explorer', { ...row, resourceId: row.explorerId });
      });
    },
  };
}

/** Explorers of a ledger: those of the project, then those of the deployer, each oldest first. */
async function explorersOf(
  { db, t: { explorer } }: Queries,
  ledgerUid: string,
  projectUid: string,
): Promise<ExplorerRow[]> {
  const rows = await db
    .select()
    .from(explorer)
    .where(and(eq(explorer.ledgerUid, ledgerUid), usableIn(explorer.scope, projectUid)))
    .orderBy(asc(explorer.id));
  return rows.toSorted(
    (a, b) => Number(a.scope === systemUid) - Number(b.scope === systemUid) || a.id - b.id,
  );
}

async function explorerViews(queries: Queries, rows: readonly ExplorerRow[]): Promise<ExplorerView[]> {
  const { node } = queries.t;
  const ledgers = await ledgerIds(
    queries,
    rows.map(({ ledgerUid }) => ledgerUid),
  );
  const projects = await scopeIds(
    queries,
    rows.map(({ scope }) => scope),
  );
  const uids = rows.flatMap(({ nodeUid }) => (nodeUid === null ? [] : [nodeUid]));
  const nodes =
    uids.length === 0
      ? []
      : await queries.db
          .select({ uid: node.uid, nodeId: node.nodeId })
          .from(node)
          .where(inArray(node.uid, uids));
  const nodeIds = new Map(nodes.map(({ uid, nodeId }) => [uid, nodeId]));
  return rows.map((row) => ({
    explorerID: row.explorerId,
    id: row.id,
    implementations: implementationViews(row.id, parseImplementations(row.implementations)),
    ledgerID: ledgers.get(row.ledgerUid) ?? '',
    name: row.name,
    nodeID: row.nodeUid === null ? null : (nodeIds.get(row.nodeUid) ?? null),
    resourceId: row.explorerId,
    projectId: projects.get(row.scope) ?? '',
  }));
}
