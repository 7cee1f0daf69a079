import { scopeIdOf } from '@ledger-ops/auth';
import { Problem } from '@ledger-ops/base';
import { forUpdate, listPage, once, type Tx } from '@ledger-ops/store';
import { and, asc, eq } from 'drizzle-orm';
import { countWhere, refuseInUse, usesInWords } from '../in-use.ts';
import { withPointers } from '../pointers.ts';
import { bumpRevision } from '../revision.ts';
import { demandScope, projectOf } from '../scope.ts';
import { demandAsNew, gone, refuseStale } from '../service.ts';
import { type DescribedTechnology, demandTechnology } from '../technologies.ts';
import type { LedgerProperties, NewNode } from '../types.ts';
import type { LedgerNodesContext } from './context.ts';
import { type LedgerRow, ledgerViews } from './ledger-views.ts';
import { addLedger, changeLedger, dropNode, ledgerInside } from './ledgers.ts';
import { chainOf } from './nodes/node-chain.ts';
import { nodeForm } from './nodes/node-properties.ts';
import { checkNodeUri } from './nodes/node-uri.ts';
import { listedFor } from './project-list.ts';
import { keepBoundSecrets } from './properties/bound-secrets.ts';
import { chainProperty, hasChainId, ledgerForm } from './properties/ledger-properties.ts';
import { namedProperties } from './properties/property-list.ts';
import type {
  LedgerInput,
  LedgerNodes,
  LedgerView,
  NodeReport,
  ProbedLedger,
  ProjectQuery,
} from './types.ts';

const oldNames = [['/ledgerId', '/ledgerID']] as const;
const technologyPointer = '/ledgerTechnology/ledgerTechnologyID';

/** Ledgers for a caller. */
export function createLedgers(context: LedgerNodesContext): LedgerNodes['ledgers'] {
  const { store, auth, findLedger, record, secrets, technologies } = context;

  /** @param title what people call the ledger's technology */
  const viewOf = async (
    queries: Tx | typeof store.read,
    row: LedgerRow,
    title: string,
  ): Promise<LedgerView> => {
    const [view] = await ledgerViews(queries, [row], secrets, () => title);
    if (view === undefined) throw gone('ledger');
    return view;
  };

  /** Titles of the technologies of ledgers; of one whose plugin is not loaded, its name. */
  async function titlesOf(rows: readonly LedgerRow[]): Promise<(row: LedgerRow) => string> {
    const scopes = [...new Set(rows.map(({ scope }) => scope))];
    const known = new Map(
      await Promise.all(
        scopes.map(async (scope) => [scope, await technologies.known(projectOf(scope))] as const),
      ),
    );
    return ({ scope, technology }) => known.get(scope)?.get(technology)?.title ?? technology;
  }

  async function list(principal: Parameters<typeof findLedger>[0], query: ProjectQuery, featured: boolean) {
    const { ledger } = store.read.t;
    const { uid, id, ledgerId, scope, name, active } = ledger;
    const only = and(eq(active, true), featured ? eq(ledger.featured, true) : undefined);
    const where = listedFor(store.read, principal, 'ledger', { uid, scope, id: ledgerId }, query, only);
    const columns = {
      ...{ id, uid, ledgerID: ledgerId, name, resourceId: ledgerId, active },
      ...{ projectId: scopeIdOf(scope), featured: ledger.featured },
    };
    const { items, total } = await listPage(
      store.read,
      { table: ledger, where, columns, created: id, tieBreaker: uid },
      query,
    );
    return { items: await ledgerViews(store.read, items, secrets, await titlesOf(items)), total };
  }

  return {
    listActive: (principal, query) => list(principal, query, false),
    listFeatured: (principal, query) => list(principal, query, true),
    async get(principal, ledgerId) {
      const row = await findLedger(principal, ledgerId);
      return await viewOf(store.read, row, (await titlesOf([row]))(row));
    },

    async create(principal, input, claim) {
      const scope = await demandScope(context, principal, 'ledger:create', input.projectId);
      const { ledgerTechnologyID: technology } = input.ledgerTechnology;
      const projectUid = projectOf(scope);
      const its = await demandTechnology(technologies, technology, projectUid, technologyPointer);
      const form = ledgerForm(technology, its);
      const { plain, secrets: hidden } = form.read(namedProperties(input.properties ?? []));
      const probed = {
        ...{ ledgerId: input.ledgerID || input.name, projectUid, technology, hasChainId: hasChainId(form) },
        properties: { ...plain, ...hidden },
      };
      const { nodes, chain } = await withNodes(input, probed, its);
      const renamed = nodes.flatMap((_, index) => [
        [`/nodes/${index}/nodeId`, `/nodes/${index}/nodeID`] as const,
      ]);
      return await withPointers([...oldNames, ...renamed], () =>
        once(store, { claim, status: 201 }, async (tx) => {
          const made = await addLedger(
            tx,
            {
              ...(input.ledgerID ? { ledgerId: input.ledgerID } : {}),
              projectUid,
              name: input.name,
              technology,
              ...(input.type ? { type: input.type.name } : {}),
              active: input.active ?? true,
              featured: input.featured ?? false,
              properties: { ...plain, ...chain },
              secrets: hidden,
              nodes,
              parentResourceUid: scope,
              owner: principal.serviceId,
            },
            context,
          );
          await record(tx, principal, 'create', 'ledger', { ...made, resourceId: made.ledgerId, scope });
          return await viewOf(tx, await rowInside(tx, made.uid), its.title);
        }),
      );
    },

    async update(principal, ledgerId, input) {
      const row = await findLedger(principal, ledgerId);
      const { uid, scope } = row;
      await auth.demand(principal, 'ledger:update', uid);
      // Whoever may not create ledgers may not bring one back.
      if (input.active === true && !row.active) await demandAsNew(context, principal, 'ledger:create', row);
      const form = input.properties
        ? ledgerForm(
            row.technology,
            await demandTechnology(technologies, row.technology, projectOf(scope), '/properties'),
          )
        : undefined;
      const given = namedProperties(input.properties ?? []);
      const title = (await titlesOf([row]))(row);
      return await store.transaction(async (tx) => {
        // The counter's row first: what is kept is read behind it.
        await bumpRevision(tx);
        const held = await ledgerInside(tx, uid, secrets);
        refuseStale('ledger', held.active === row.active);
        // Secrets given back without a value stay as they are, while they go where they went.
        const read = form?.read({
          ...given,
          values: keepBoundSecrets({
            ...{ held: held.properties, next: given.values },
            ...{ kindOf: form.kindOf, pointerOf: given.pointerOf },
          }),
        });
        const changed = await changeLedger(
          tx,
          uid,
          {
            ...(input.name === undefined ? {} : { name: input.name }),
            ...(input.type ? { type: input.type.name } : {}),
            ...(typeof input.active === 'boolean' ? { active: input.active } : {}),
            ...(typeof input.featured === 'boolean' ? { featured: input.featured } : {}),
            ...(read === undefined
              ? {}
              : { properties: read.plain, secrets: read.secrets, pointerOf: given.pointerOf }),
          },
          context,
        );
        await record(tx, principal, 'update', 'ledger', { ...changed, resourceId: changed.ledgerId, scope });
        return await viewOf(tx, await rowInside(tx, uid), title);
      });
    },

    async delete(principal, ledgerId) {
      const { uid, scope } = await findLedger(principal, ledgerId);
      await auth.demand(principal, 'ledger:delete', uid);
      await store.transaction(async (tx) => {
        await bumpRevision(tx);
        // Held until the end: no wallet comes meanwhile.
        await forUpdate(
          tx,
          tx.db.select({ uid: tx.t.ledger.uid }).from(tx.t.ledger).where(eq(tx.t.ledger.uid, uid)),
        );
        const row = await rowInside(tx, uid);
        const uses = usesInWords([
          [await countWhere(tx, 'wallet', 'ledger_uid', uid), 'wallet', 'wallets'],
          [await countWhere(tx, 'contract', 'ledger_uid', uid), 'contract', 'contracts'],
          [await countWhere(tx, 'explorer', 'ledger_uid', uid), 'explorer', 'explorers'],
        ]);
        refuseInUse(`The ledger ${row.ledgerId}`, uses, 'Deactivate it instead, or delete these first.');
        const { ledger, node, chainMark } = tx.t;
        const nodes = await tx.db
          .select({ uid: node.uid })
          .from(node)
          .where(eq(node.ledgerUid, uid))
          .orderBy(asc(node.id));
        for (const its of nodes) await dropNode(tx, its.uid, context);
        await tx.db.delete(chainMark).where(eq(chainMark.ledgerUid, uid));
        await tx.db.delete(ledger).where(eq(ledger.uid, uid));
        await auth.removeResource(tx, uid);
        await record(tx, principal, 'delete', 'ledger', { ...row, resourceId: row.ledgerId, scope });
      });
    },
  };

  /** Asks the nodes that a ledger begins with; the first that knows its chain says it where nobody else did. */
  async function withNodes(
    { nodes }: LedgerInput,
    ledger: ProbedLedger,
    its: DescribedTechnology,
  ): Promise<{ nodes: NewNode[]; chain: LedgerProperties }> {
    const made: NewNode[] = [];
    const form = nodeForm(ledger.technology, its);
    let learned: LedgerProperties = {};
    let report: NodeReport | undefined;
    for (const [index, given] of (nodes ?? []).entries()) {
      const pointer = `/nodes/${index}`;
      const { plain, secrets: hidden } = await withPointers(
        [['/properties', `${pointer}/properties`]],
        async () => form.read(namedProperties(given.properties ?? [])),
      );
      checkNodeUri(given.options.uri, `${pointer}/options/uri`);
      report = await chainOf(
        context.probe,
        ledger,
        { uri: given.options.uri, properties: { ...plain, ...hidden } },
        `${pointer}/options/uri`,
        report,
      );
      const { chainId: chain } = report;
      if (chain !== null && ledger.properties.chain_id === undefined) {
        learned = chainProperty(chain);
        // The next node is held against what the first one said.
        ledger = { ...ledger, properties: { ...ledger.properties, ...learned } };
      }
      made.push({
        ...(given.nodeID ? { nodeId: given.nodeID } : {}),
        ...(given.name ? { name: given.name } : {}),
        uri: given.options.uri,
        client: given.client ?? null,
        properties: plain,
        secrets: hidden,
      });
    }
    return { nodes: made, chain: learned };
  }
}

async function rowInside(tx: Tx, uid: string): Promise<LedgerRow> {
  const [row] = await tx.db.select().from(tx.t.ledger).where(eq(tx.t.ledger.uid, uid));
  if (row === undefined) throw new Problem('not-found', 'There is no such ledger.');
  return row;
}
