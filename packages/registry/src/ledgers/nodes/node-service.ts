import { checkName, type Principal, type RecordValues, type Update } from '@ledger-ops/auth';
import type { ListResult } from '@ledger-ops/base';
import { type IdempotencyClaim, listPage, once, type Queries, readJson, type Tx } from '@ledger-ops/store';
import { and, asc, eq, ne, or, type SQL } from 'drizzle-orm';
import { countWhere, refuseInUse, usesInWords } from '../../in-use.ts';
import { pluginTags } from '../../plugins/choose-plugin.ts';
import { projectOf } from '../../scope.ts';
import { gone, pickVisible, refuseStale } from '../../service.ts';
import { type DescribedTechnology, demandTechnology } from '../../technologies.ts';
import type { LedgerProperties } from '../../types.ts';
import { visible } from '../../visible.ts';
import { type LedgerNodesContext, namedLedger } from '../context.ts';
import { type LedgerRow, ledgerIdOf, type NodeRow, nodeViews } from '../ledger-views.ts';
import { addNode, dropNode, learnChain, ledgerRecord, touchLedger } from '../ledgers.ts';
import { listedFor } from '../project-list.ts';
import { hasChainId, ledgerForm } from '../properties/ledger-properties.ts';
import { namedProperties } from '../properties/named-properties.ts';
import type { NodeInput, NodeUpdate, NodeView, ProbedLedger, ProjectQuery } from '../types.ts';
import { chainOf } from './node-chain.ts';
import { type ChangedNode, changeNode } from './node-change.ts';
import { nodeForm, refuseUnusedNode } from './node-properties.ts';
import { openNode, sealNode } from './node-secrets.ts';
import { checkNodeUri, visibleUri } from './node-uri.ts';

/** Nodes for a caller. Every method also throws Problem `not-found` and `not-permitted`. */
export class Nodes {
  readonly #context: LedgerNodesContext;
  readonly #store: LedgerNodesContext['store'];
  readonly #auth: LedgerNodesContext['auth'];
  readonly #findLedger: LedgerNodesContext['findLedger'];
  readonly #record: LedgerNodesContext['record'];
  readonly #secrets: LedgerNodesContext['secrets'];
  readonly #probe: LedgerNodesContext['probe'];
  readonly #technologies: LedgerNodesContext['technologies'];
  readonly #node;

  constructor(context: LedgerNodesContext) {
    this.#context = context;
    const { store } = context;
    this.#store = store;
    this.#auth = context.auth;
    this.#findLedger = context.findLedger;
    this.#record = context.record;
    this.#secrets = context.secrets;
    this.#probe = context.probe;
    this.#technologies = context.technologies;
    const { node } = this.#store.read.t;
    this.#node = node;
  }

  /** Sortable by all scalar members. @throws Problem `invalid-request` */
  list(principal: Principal, query: ProjectQuery): Promise<ListResult<NodeView>> {
    return this.#list(principal, query);
  }

  async listOfLedger(
    principal: Principal,
    ledgerId: string,
    query: ProjectQuery,
  ): Promise<ListResult<NodeView>> {
    const { uid } = await this.#findLedger(principal, ledgerId);
    return await this.#list(principal, query, eq(this.#node.ledgerUid, uid));
  }

  async get(principal: Principal, nodeId: string): Promise<NodeView> {
    return await this.#viewOf(this.#store.read, await this.#find(principal, nodeId));
  }

  async defaultOf(principal: Principal, ledgerId: string): Promise<NodeView> {
    const { uid } = await this.#findLedger(principal, ledgerId);
    const [row] = await this.#store.read.db
      .select()
      .from(this.#node)
      .where(and(eq(this.#node.ledgerUid, uid), visible(this.#store.read, principal, this.#node.uid, 'node')))
      .orderBy(asc(this.#node.position), asc(this.#node.id))
      .limit(1);
    if (row === undefined) throw gone('node');
    return await this.#viewOf(this.#store.read, row);
  }

  /**
   * Requires `ledger:manage` on the ledger.
   * @throws Problem `invalid-request`, `already-exists`, `conflict`
   */
  async create(principal: Principal, input: NodeInput, claim?: IdempotencyClaim): Promise<NodeView> {
    const ledger = await namedLedger(this.#context, principal, input.ledgerId, '/ledgerId');
    await this.#auth.demand(principal, 'ledger:manage', ledger.uid);
    const its = await this.#technologyOf(ledger, '/ledgerId');
    const form = nodeForm(ledger.technology, its);
    const { plain, secrets: hidden } = form.read(namedProperties(input.properties));
    const { uri } = input;
    checkNodeUri(uri, '/uri');
    refuseUnusedNode(its, '/uri');
    // Queries the node outside the transaction, because this may take long.
    const asked = { uri, properties: { ...plain, ...hidden } };
    const { chainId: chain } = await chainOf(this.#probe, await this.#probed(ledger, its), asked, '/uri');
    return await once(this.#store, { claim, status: 201 }, async (tx) => {
      const { uid, nodeId, name } = await addNode(
        tx,
        ledger.uid,
        {
          ...(input.nodeId === undefined ? {} : { nodeId: input.nodeId }),
          ...(input.name === undefined ? {} : { name: input.name }),
          uri,
          client: input.client ?? null,
          properties: plain,
          secrets: hidden,
        },
        this.#context,
      );
      if (input.default === true) await makeDefault(tx, uid, ledger.uid);
      if (chain !== null) await learnChain(tx, ledger.uid, chain, this.#context);
      await this.#record(tx, principal, 'create', 'node', {
        uid,
        resourceId: nodeId,
        scope: ledger.scope,
        name,
      });
      return await this.#viewOf(tx, await rowInside(tx, uid));
    });
  }

  /** @throws Problem `invalid-request`, `conflict` */
  async update(principal: Principal, nodeId: string, input: NodeUpdate): Promise<NodeView> {
    const row = await this.#find(principal, nodeId);
    await this.#auth.demand(principal, 'node:update', row.uid);
    const [ledger] = await this.#store.read.db
      .select()
      .from(this.#store.read.t.ledger)
      .where(eq(this.#store.read.t.ledger.uid, row.ledgerUid));
    if (ledger === undefined) throw gone('node');
    const next = await this.#changed(row, ledger, input);
    if (next.moved) {
      const its = await this.#technologyOf(ledger, '/uri');
      refuseUnusedNode(its, '/uri');
      // A changed address means another node, so it requires the permission to add nodes.
      await this.#auth.demand(principal, 'ledger:manage', ledger.uid);
      const asked = { uri: next.uri, properties: { ...next.plain, ...next.secrets } };
      await chainOf(this.#probe, await this.#probed(ledger, its), asked, '/uri');
    }
    return await this.#store.transaction(async (tx) => {
      await touchLedger(tx, row.ledgerUid, this.#context);
      refuseStale('node', isSameNode(row, await rowInside(tx, row.uid)));
      const [stored] = await tx.db
        .update(this.#node)
        .set({
          name: input.name === undefined ? row.name : checkName(input.name, '/name'),
          client: input.client === undefined ? row.client : input.client,
          ...sealNode(this.#secrets, row.uid, { uri: next.uri, properties: next.secrets }),
          properties: JSON.stringify(next.plain),
        })
        .where(eq(this.#node.uid, row.uid))
        .returning();
      if (stored === undefined) throw gone('node');
      const isMoved = input.default === true && (await makeDefault(tx, row.uid, row.ledgerUid));
      const record = { ...stored, resourceId: stored.nodeId };
      await this.#record(tx, principal, 'update', 'node', record, this.#updateOf(row, stored, isMoved));
      return await this.#viewOf(tx, stored);
    });
  }

  /** @throws Problem `in-use` */
  async delete(principal: Principal, nodeId: string): Promise<void> {
    const row = await this.#find(principal, nodeId);
    await this.#auth.demand(principal, 'node:delete', row.uid);
    await this.#store.transaction(async (tx) => {
      await touchLedger(tx, row.ledgerUid, this.#context);
      const { ledger } = tx.t;
      const others = await tx.db
        .select({ uid: this.#node.uid })
        .from(this.#node)
        .where(and(eq(this.#node.ledgerUid, row.ledgerUid), ne(this.#node.uid, row.uid)))
        .limit(1);
      const [its] = await tx.db.select().from(ledger).where(eq(ledger.uid, row.ledgerUid));
      const last = others.length === 0 && its?.active === true;
      const wallets = last ? await countWhere(tx, 'wallet', 'ledger_uid', row.ledgerUid) : 0;
      const uses = usesInWords([
        [await countWhere(tx, 'explorer', 'node_uid', row.uid), 'explorer', 'explorers'],
        [
          wallets,
          `wallet of the ledger ${its?.ledgerId}, which has no other node`,
          `wallets of the ledger ${its?.ledgerId}, which has no other node`,
        ],
      ]);
      refuseInUse(`The node ${row.nodeId}`, uses, 'Add another node first, or deactivate the ledger.');
      await dropNode(tx, row.uid, this.#context);
      await this.#record(tx, principal, 'delete', 'node', { ...row, resourceId: row.nodeId });
    });
  }

  /** Returns the values that an update changed. Of the address, only scheme, host and port are shown. */
  #updateOf(before: NodeRow, after: NodeRow, isNewDefault: boolean): Update {
    const [held, next] = [openNode(this.#secrets, before), openNode(this.#secrets, after)];
    const isSameHost = visibleUri(before.uri) === visibleUri(after.uri);
    return {
      before: { ...setOf(before), ...(isNewDefault && { default: false }) },
      after: { ...setOf(after), ...(isNewDefault && { default: true }) },
      hidden: {
        before: { ...held.properties, ...(isSameHost && { uri: held.uri }) },
        after: { ...next.properties, ...(isSameHost && { uri: next.uri }) },
      },
    };
  }

  async #find(principal: Principal, nodeId: string): Promise<NodeRow> {
    const rows = await this.#store.read.db
      .select()
      .from(this.#node)
      .where(or(eq(this.#node.nodeId, nodeId), eq(this.#node.uid, nodeId)));
    return await pickVisible(this.#context, principal, 'node', rows);
  }

  async #viewOf(queries: Queries, row: NodeRow): Promise<NodeView> {
    const [view] = await nodeViews(queries, [row], this.#secrets);
    if (view === undefined) throw gone('node');
    return view;
  }

  async #list(principal: Principal, query: ProjectQuery, more?: SQL) {
    const { uid, id, nodeId, scope, name, client, uri, ledgerUid } = this.#node;
    const where = listedFor(this.#store.read, principal, 'node', { uid, scope, id: nodeId }, query, more);
    const columns = {
      id,
      nodeId,
      name,
      client,
      uri,
      ledgerId: ledgerIdOf(this.#store.read, ledgerUid),
    };
    const { items, total } = await listPage(
      this.#store.read,
      { table: this.#node, where, columns, created: id, tieBreaker: uid },
      query,
    );
    return { items: await nodeViews(this.#store.read, items, this.#secrets), total };
  }

  /** Returns the ledger as passed to a probe. */
  async #probed(ledger: LedgerRow, its: DescribedTechnology): Promise<ProbedLedger> {
    const { uid, ledgerId, projectUid, technology, properties } = ledgerRecord(ledger, [], this.#secrets);
    const byChainId = hasChainId(ledgerForm(technology, its));
    const others = await this.#store.read.db
      .select({ uid: this.#node.uid })
      .from(this.#node)
      .where(eq(this.#node.ledgerUid, uid))
      .limit(1);
    return {
      ...(others.length > 0 && { uid }),
      ledgerId,
      projectUid,
      technology,
      hasChainId: byChainId,
      properties,
    };
  }

  /** Returns the node after a change. If neither address nor properties change, no plugin is needed. */
  async #changed(row: NodeRow, ledger: LedgerRow, input: NodeUpdate): Promise<ChangedNode> {
    const held = { ...openNode(this.#secrets, row), plain: readJson<LedgerProperties>(row.properties) };
    if (input.properties === undefined && input.uri === undefined) {
      return { uri: held.uri, plain: held.plain, secrets: held.properties, moved: false };
    }
    return changeNode(
      held,
      input,
      nodeForm(ledger.technology, await this.#technologyOf(ledger, '/properties')),
    );
  }

  #technologyOf({ technology, scope, properties, ledgerId }: LedgerRow, pointer: string) {
    const tags = pluginTags(readJson<LedgerProperties>(properties));
    return demandTechnology(this.#technologies, technology, projectOf(scope), pointer, tags, ledgerId);
  }
}

/**
 * Detects a concurrent change. Without this check, one request could set the address while another
 * sets the secrets.
 */
function isSameNode(one: NodeRow, other: NodeRow): boolean {
  return (
    one.uri === other.uri &&
    one.properties === other.properties &&
    Buffer.from(one.secrets ?? []).equals(Buffer.from(other.secrets ?? []))
  );
}

function setOf({ name, client, uri, properties }: NodeRow): RecordValues {
  return { ...readJson<LedgerProperties>(properties), name, client, uri: visibleUri(uri) };
}

/** Makes a node the default of its ledger. Returns false if it already was the default. */
async function makeDefault(tx: Tx, uid: string, ledgerUid: string): Promise<boolean> {
  const { node } = tx.t;
  const [first] = await tx.db
    .select({ uid: node.uid, position: node.position })
    .from(node)
    .where(eq(node.ledgerUid, ledgerUid))
    .orderBy(asc(node.position), asc(node.id))
    .limit(1);
  await tx.db
    .update(node)
    .set({ position: (first?.position ?? 0) - 1 })
    .where(eq(node.uid, uid));
  return first?.uid !== uid;
}

async function rowInside(tx: Tx, uid: string): Promise<NodeRow> {
  const [row] = await tx.db.select().from(tx.t.node).where(eq(tx.t.node.uid, uid));
  if (row === undefined) throw gone('node');
  return row;
}
