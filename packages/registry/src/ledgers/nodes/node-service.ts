import { checkName, type Principal } from '@ledger-ops/auth';
import { listPage, once, type Queries, readJson, type Tx } from '@ledger-ops/store';
import { and, asc, eq, min, ne, or, type SQL } from 'drizzle-orm';
import { countWhere, refuseInUse, usesInWords } from '../../in-use.ts';
import { withPointers } from '../../pointers.ts';
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
import { namedProperties } from '../properties/property-list.ts';
import type { LedgerNodes, NodeUpdate, NodeView, ProbedLedger, ProjectQuery } from '../types.ts';
import { chainOf } from './node-chain.ts';
import { type ChangedNode, changeNode } from './node-change.ts';
import { nodeForm } from './node-properties.ts';
import { openNode, sealNode } from './node-secrets.ts';
import { checkNodeUri } from './node-uri.ts';

const oldNames = [
  ['/nodeId', '/nodeID'],
  ['/uri', '/options/uri'],
] as const;

/** Nodes for a caller. */
export function createNodes(context: LedgerNodesContext): LedgerNodes['nodes'] {
  const { store, auth, findLedger, record, secrets, probe, technologies } = context;
  const { node } = store.read.t;

  async function find(principal: Principal, nodeId: string): Promise<NodeRow> {
    const rows = await store.read.db
      .select()
      .from(node)
      .where(or(eq(node.nodeId, nodeId), eq(node.uid, nodeId)));
    return await pickVisible(context, principal, 'node', rows);
  }

  const viewOf = async (queries: Queries, row: NodeRow): Promise<NodeView> => {
    const [view] = await nodeViews(queries, [row], secrets);
    if (view === undefined) throw gone('node');
    return view;
  };

  async function list(principal: Principal, query: ProjectQuery, more?: SQL) {
    const { uid, id, nodeId, scope, name, client, uri, ledgerUid } = node;
    const where = listedFor(store.read, principal, 'node', { uid, scope, id: nodeId }, query, more);
    const columns = {
      ...{ id, nodeID: nodeId, name, client, uri, resourceId: nodeId },
      ledgerID: ledgerIdOf(store.read, ledgerUid),
    };
    const { items, total } = await listPage(
      store.read,
      { table: node, where, columns, created: id, tieBreaker: uid },
      query,
    );
    return { items: await nodeViews(store.read, items, secrets), total };
  }

  /** The ledger as a probe is told of it. */
  function probed(ledger: LedgerRow, its: DescribedTechnology): ProbedLedger {
    const { uid, ledgerId, projectUid, technology, properties } = ledgerRecord(ledger, [], secrets);
    const byChainId = hasChainId(ledgerForm(technology, its));
    return { uid, ledgerId, projectUid, technology, hasChainId: byChainId, properties };
  }

  /** A node after a change. Without its address and properties it may be changed while no plugin serves its ledger. */
  async function changed(row: NodeRow, ledger: LedgerRow, input: NodeUpdate): Promise<ChangedNode> {
    const held = { ...openNode(secrets, row), plain: readJson<LedgerProperties>(row.properties) };
    if (!input.properties && !input.options && !input.uri) {
      return { uri: held.uri, plain: held.plain, secrets: held.properties, moved: false };
    }
    return changeNode(held, input, nodeForm(ledger.technology, await technologyOf(ledger, '/properties')));
  }

  const technologyOf = ({ technology, scope }: LedgerRow, pointer: string) =>
    demandTechnology(technologies, technology, projectOf(scope), pointer);

  return {
    list: (principal, query) => list(principal, query),
    async listOfLedger(principal, ledgerId, query) {
      const { uid } = await findLedger(principal, ledgerId);
      return await list(principal, query, eq(node.ledgerUid, uid));
    },
    get: async (principal, nodeId) => await viewOf(store.read, await find(principal, nodeId)),

    async defaultOf(principal, ledgerId) {
      const { uid } = await findLedger(principal, ledgerId);
      const [row] = await store.read.db
        .select()
        .from(node)
        .where(and(eq(node.ledgerUid, uid), visible(store.read, principal, node.uid, 'node')))
        .orderBy(asc(node.position), asc(node.id))
        .limit(1);
      if (row === undefined) throw gone('node');
      return await viewOf(store.read, row);
    },

    async create(principal, input, claim) {
      const ledger = await namedLedger(context, principal, input.ledgerID, '/ledgerID');
      await auth.demand(principal, 'ledger:manage', ledger.uid);
      const its = await technologyOf(ledger, '/ledgerID');
      const form = nodeForm(ledger.technology, its);
      const { plain, secrets: hidden } = form.read(namedProperties(input.properties ?? []));
      const { uri } = input.options;
      checkNodeUri(uri, '/options/uri');
      // Outside of the transaction: this may take its time.
      const asked = { uri, properties: { ...plain, ...hidden } };
      const { chainId: chain } = await chainOf(probe, probed(ledger, its), asked, '/options/uri');
      return await withPointers(oldNames, () =>
        once(store, { claim, status: 201 }, async (tx) => {
          const made = await addNode(
            tx,
            ledger.uid,
            {
              ...(input.nodeID ? { nodeId: input.nodeID } : {}),
              ...(input.name ? { name: input.name } : {}),
              uri,
              client: input.client ?? null,
              properties: plain,
              secrets: hidden,
            },
            context,
          );
          if (input.default === true) await makeDefault(tx, made.uid, ledger.uid);
          if (chain !== null) await learnChain(tx, ledger.uid, chain, context);
          const { uid, nodeId, name } = made;
          await record(tx, principal, 'create', 'node', {
            uid,
            resourceId: nodeId,
            scope: ledger.scope,
            name,
          });
          return await viewOf(tx, await rowInside(tx, uid));
        }),
      );
    },

    async update(principal, nodeId, input) {
      const row = await find(principal, nodeId);
      await auth.demand(principal, 'node:update', row.uid);
      const [ledger] = await store.read.db
        .select()
        .from(store.read.t.ledger)
        .where(eq(store.read.t.ledger.uid, row.ledgerUid));
      if (ledger === undefined) throw gone('node');
      const next = await changed(row, ledger, input);
      if (next.moved) {
        const its = await technologyOf(ledger, '/options/uri');
        // Another address is another node: whoever may not add nodes may not change where this one is.
        await auth.demand(principal, 'ledger:manage', ledger.uid);
        const asked = { uri: next.uri, properties: { ...next.plain, ...next.secrets } };
        await chainOf(probe, probed(ledger, its), asked, '/options/uri');
      }
      return await store.transaction(async (tx) => {
        await touchLedger(tx, row.ledgerUid, context);
        refuseStale('node', isSameNode(row, await rowInside(tx, row.uid)));
        const [stored] = await tx.db
          .update(node)
          .set({
            name: input.name ? checkName(input.name, '/name') : row.name,
            client: input.client === undefined ? row.client : input.client,
            ...sealNode(secrets, row.uid, { uri: next.uri, properties: next.secrets }),
            properties: JSON.stringify(next.plain),
          })
          .where(eq(node.uid, row.uid))
          .returning();
        if (stored === undefined) throw gone('node');
        if (input.default === true) await makeDefault(tx, row.uid, row.ledgerUid);
        await record(tx, principal, 'update', 'node', { ...stored, resourceId: stored.nodeId });
        return await viewOf(tx, stored);
      });
    },

    async delete(principal, nodeId) {
      const row = await find(principal, nodeId);
      await auth.demand(principal, 'node:delete', row.uid);
      await store.transaction(async (tx) => {
        await touchLedger(tx, row.ledgerUid, context);
        const { ledger } = tx.t;
        const others = await tx.db
          .select({ uid: node.uid })
          .from(node)
          .where(and(eq(node.ledgerUid, row.ledgerUid), ne(node.uid, row.uid)))
          .limit(1);
        const [its] = await tx.db.select().from(ledger).where(eq(ledger.uid, row.ledgerUid));
        const last = others.length === 0 && its?.active === true;
        const wallets = last ? await countWhere(tx, 'wallet', 'ledger_uid', row.ledgerUid) : 0;
        const uses = usesInWords([
          [await countWhere(tx, 'explorer', 'node_uid', row.uid), 'explorer', 'explorers'],
          [
            wallets,
            `wallet of the ledger ${its?.ledgerId}, whose last node it is`,
            `wallets of the ledger ${its?.ledgerId}, whose last node it is`,
          ],
        ]);
        refuseInUse(`The node ${row.nodeId}`, uses, 'Add another node, or deactivate the ledger, first.');
        await dropNode(tx, row.uid, context);
        await record(tx, principal, 'delete', 'node', { ...row, resourceId: row.nodeId });
      });
    },
  };
}

/** Of two changes at once one could bring the address, the other the secrets. */
function isSameNode(one: NodeRow, other: NodeRow): boolean {
  return (
    one.uri === other.uri &&
    one.properties === other.properties &&
    Buffer.from(one.secrets ?? []).equals(Buffer.from(other.secrets ?? []))
  );
}

async function makeDefault(tx: Tx, uid: string, ledgerUid: string): Promise<void> {
  const { node } = tx.t;
  const [first] = await tx.db
    .select({ position: min(node.position) })
    .from(node)
    .where(eq(node.ledgerUid, ledgerUid));
  await tx.db
    .update(node)
    .set({ position: (first?.position ?? 0) - 1 })
    .where(eq(node.uid, uid));
}

async function rowInside(tx: Tx, uid: string): Promise<NodeRow> {
  const [row] = await tx.db.select().from(tx.t.node).where(eq(tx.t.node.uid, uid));
  if (row === undefined) throw gone('node');
  return row;
}
