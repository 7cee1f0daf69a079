import { checkName, chosenId, type Principal, scopeIdOf, scopeIds, systemUid } from '@ledger-ops/auth';
import { type ListResult, Problem } from '@ledger-ops/base';
import { type IdempotencyClaim, listPage, nextId, once, type Queries, uuidv7 } from '@ledger-ops/store';
import { and, asc, eq, inArray, or, sql } from 'drizzle-orm';
import { registerNew } from '../../register-new.ts';
import { explorerCounter } from '../../revision.ts';
import { demandScope, usableIn } from '../../scope.ts';
import { gone, pickVisible } from '../../service.ts';
import { visible } from '../../visible.ts';
import { type LedgerNodesContext, namedLedger } from '../context.ts';
import { ledgerIdOf, ledgerIds } from '../ledger-views.ts';
import { listedFor } from '../project-list.ts';
import type { ExplorerInput, ExplorerUpdate, ExplorerView, ProjectQuery } from '../types.ts';
import { parseImplementations, readImplementations } from './implementations.ts';

type ExplorerRow = Queries['t']['explorer']['$inferSelect'];

/** Explorers for a caller. Every method also throws Problem `not-found` and `not-permitted`. */
export class Explorers {
  readonly #context: LedgerNodesContext;
  readonly #store: LedgerNodesContext['store'];
  readonly #auth: LedgerNodesContext['auth'];
  readonly #findLedger: LedgerNodesContext['findLedger'];
  readonly #record: LedgerNodesContext['record'];
  readonly #now: LedgerNodesContext['now'];
  readonly #explorer;
  readonly #node;

  constructor(context: LedgerNodesContext) {
    this.#context = context;
    const { store } = context;
    this.#store = store;
    this.#auth = context.auth;
    this.#findLedger = context.findLedger;
    this.#record = context.record;
    this.#now = context.now;
    const { explorer, node } = this.#store.read.t;
    this.#explorer = explorer;
    this.#node = node;
  }

  /** Sortable by all scalar members. @throws Problem `invalid-request` */
  async list(principal: Principal, query: ProjectQuery): Promise<ListResult<ExplorerView>> {
    const { uid, id, explorerId, scope, name, ledgerUid, nodeUid } = this.#explorer;
    const columns = { uid, scope, id: explorerId };
    const where = listedFor(this.#store.read, principal, 'explorer', columns, query);
    const sortable = {
      id,
      explorerId,
      name,
      projectId: scopeIdOf(scope),
      ledgerId: ledgerIdOf(this.#store.read, ledgerUid),
      nodeId: sql`(select ${this.#node.nodeId} from ${this.#node} where ${this.#node.uid} = ${nodeUid})`,
    };
    const { items, total } = await listPage(
      this.#store.read,
      { table: this.#explorer, where, columns: sortable, created: id, tieBreaker: uid },
      query,
    );
    return { items: await explorerViews(this.#store.read, items), total };
  }

  async get(principal: Principal, explorerId: string): Promise<ExplorerView> {
    return await viewOf(this.#store.read, await this.#find(principal, explorerId));
  }

  /** Returns the first explorer of the caller's project, otherwise the first of the deployer. */
  async defaultOf(principal: Principal, ledgerId: string): Promise<ExplorerView> {
    const { uid } = await this.#findLedger(principal, ledgerId);
    const rows = await explorersOf(this.#store.read, uid, principal.projectUid);
    return await viewOf(this.#store.read, await pickVisible(this.#context, principal, 'explorer', rows));
  }

  /** @throws Problem `invalid-request`, `already-exists` */
  async create(principal: Principal, input: ExplorerInput, claim?: IdempotencyClaim): Promise<ExplorerView> {
    const scope = await demandScope(this.#context, principal, 'explorer:create', input.projectId);
    const ledger = await namedLedger(this.#context, principal, input.ledgerId, '/ledgerId');
    const nodeUid = await this.#nodeOf(principal, input.nodeId, ledger.uid);
    const explorerId = chosenId(input.explorerId, '/explorerId');
    const implementations = readImplementations(input.implementations ?? []);
    const at = this.#now();
    const name = checkName(input.name, '/name');
    return await once(this.#store, { claim, status: 201 }, async (tx) => {
      await nextId(tx, explorerCounter);
      const row = {
        uid: uuidv7(),
        id: await nextId(tx, 'explorer'),
        explorerId,
        scope,
        ledgerUid: ledger.uid,
        nodeUid,
        name,
        implementations: JSON.stringify(implementations),
        createdAt: at,
        updatedAt: at,
      };
      const added = await tx.db
        .insert(this.#explorer)
        .values(row)
        .onConflictDoNothing({ target: [this.#explorer.scope, this.#explorer.explorerId] })
        .returning({ uid: this.#explorer.uid });
      await registerNew(this.#auth, tx, added, {
        uid: row.uid,
        resourceId: explorerId,
        type: 'explorer',
        parentUid: scope,
        owner: principal.serviceId,
        pointer: '/explorerId',
      });
      await this.#record(tx, principal, 'create', 'explorer', { ...row, resourceId: explorerId });
      return await viewOf(tx, row);
    });
  }

  /** @throws Problem `invalid-request` */
  async update(principal: Principal, explorerId: string, input: ExplorerUpdate): Promise<ExplorerView> {
    const row = await this.#find(principal, explorerId);
    await this.#auth.demand(principal, 'explorer:update', row.uid);
    const nodeUid =
      input.nodeId === undefined ? row.nodeUid : await this.#nodeOf(principal, input.nodeId, row.ledgerUid);
    const implementations = input.implementations
      ? JSON.stringify(readImplementations(input.implementations))
      : row.implementations;
    const name = input.name === undefined ? row.name : checkName(input.name, '/name');
    return await this.#store.transaction(async (tx) => {
      await nextId(tx, explorerCounter);
      const before = setOf(await viewOf(tx, row));
      const [changed] = await tx.db
        .update(this.#explorer)
        .set({ name, nodeUid, implementations, updatedAt: this.#now() })
        .where(eq(this.#explorer.uid, row.uid))
        .returning();
      if (changed === undefined) throw gone('explorer');
      const view = await viewOf(tx, changed);
      const record = { ...changed, resourceId: changed.explorerId };
      await this.#record(tx, principal, 'update', 'explorer', record, { before, after: setOf(view) });
      return view;
    });
  }

  async delete(principal: Principal, explorerId: string): Promise<void> {
    const row = await this.#find(principal, explorerId);
    await this.#auth.demand(principal, 'explorer:delete', row.uid);
    await this.#store.transaction(async (tx) => {
      await nextId(tx, explorerCounter);
      const deleted = await tx.db
        .delete(this.#explorer)
        .where(eq(this.#explorer.uid, row.uid))
        .returning({ uid: this.#explorer.uid });
      if (deleted.length === 0) throw gone('explorer');
      await this.#auth.removeResource(tx, row.uid);
      await this.#record(tx, principal, 'delete', 'explorer', { ...row, resourceId: row.explorerId });
    });
  }

  async #find(principal: Principal, explorerId: string): Promise<ExplorerRow> {
    const rows = await this.#store.read.db
      .select()
      .from(this.#explorer)
      .where(or(eq(this.#explorer.explorerId, explorerId), eq(this.#explorer.uid, explorerId)));
    return await pickVisible(this.#context, principal, 'explorer', rows);
  }

  /** Returns the uid of the ledger's node that a request body names. */
  async #nodeOf(principal: Principal, nodeId: string | null | undefined, ledgerUid: string) {
    if (!nodeId) return null;
    const rows = await this.#store.read.db
      .select({ uid: this.#node.uid })
      .from(this.#node)
      .where(
        and(
          eq(this.#node.nodeId, nodeId),
          eq(this.#node.ledgerUid, ledgerUid),
          visible(this.#store.read, principal, this.#node.uid, 'node'),
        ),
      );
    if (rows[0] !== undefined) return rows[0].uid;
    const detail = `the ledger has no node ${nodeId}, or it is not visible to you`;
    throw new Problem('not-found', `/nodeId: ${detail}.`, { errors: [{ pointer: '/nodeId', detail }] });
  }
}

/** Returns the values that an update can change. */
const setOf = ({ name, nodeId, implementations }: ExplorerView) => ({ name, nodeId, implementations });

const viewOf = async (queries: Queries, row: ExplorerRow): Promise<ExplorerView> => {
  const [view] = await explorerViews(queries, [row]);
  if (view === undefined) throw gone('explorer');
  return view;
};

/** Explorers of a ledger: the project's, then the deployer's, each oldest first. */
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
    id: row.id,
    explorerId: row.explorerId,
    ledgerId: ledgers.get(row.ledgerUid) ?? '',
    nodeId: row.nodeUid === null ? null : (nodeIds.get(row.nodeUid) ?? null),
    projectId: projects.get(row.scope) ?? '',
    name: row.name,
    implementations: parseImplementations(row.implementations),
  }));
}
