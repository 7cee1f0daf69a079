import { type Principal, type RecordValues, scopeIdOf } from '@ledger-ops/auth';
import { type ListResult, Problem } from '@ledger-ops/base';
import {
  forUpdate,
  type IdempotencyClaim,
  listPage,
  once,
  type Queries,
  readJson,
  type Tx,
} from '@ledger-ops/store';
import { and, asc, eq } from 'drizzle-orm';
import { countWhere, refuseInUse, usesInWords } from '../in-use.ts';
import { bumpRevision } from '../revision.ts';
import { demandScope, projectOf } from '../scope.ts';
import { demandAsNew, gone, refuseStale } from '../service.ts';
import { type DescribedTechnology, demandTechnology } from '../technologies.ts';
import type { LedgerProperties, NewNode } from '../types.ts';
import type { LedgerNodesContext } from './context.ts';
import { type LedgerRow, ledgerViews } from './ledger-views.ts';
import { addLedger, changeLedger, dropNode, ledgerInside } from './ledgers.ts';
import { chainOf } from './nodes/node-chain.ts';
import { nodeForm, refuseUnusedNode } from './nodes/node-properties.ts';
import { checkNodeUri } from './nodes/node-uri.ts';
import { listedFor } from './project-list.ts';
import { keepBoundSecrets } from './properties/bound-secrets.ts';
import { chainProperty, givenPluginTags, hasChainId, ledgerForm } from './properties/ledger-properties.ts';
import { type NamedProperties, namedProperties } from './properties/named-properties.ts';
import type { PropertyForm } from './properties/property-form.ts';
import type {
  LedgerInput,
  LedgerUpdate,
  LedgerView,
  NodeReport,
  ProbedLedger,
  ProjectQuery,
} from './types.ts';

const technologyPointer = '/technology';

/** Ledgers for a caller. Every method also throws Problem `not-found` and `not-permitted`. */
export class Ledgers {
  readonly #context: LedgerNodesContext;
  readonly #store: LedgerNodesContext['store'];
  readonly #auth: LedgerNodesContext['auth'];
  readonly #findLedger: LedgerNodesContext['findLedger'];
  readonly #record: LedgerNodesContext['record'];
  readonly #secrets: LedgerNodesContext['secrets'];
  readonly #technologies: LedgerNodesContext['technologies'];

  constructor(context: LedgerNodesContext) {
    this.#context = context;
    this.#store = context.store;
    this.#auth = context.auth;
    this.#findLedger = context.findLedger;
    this.#record = context.record;
    this.#secrets = context.secrets;
    this.#technologies = context.technologies;
  }

  /** Sortable by all scalar members. @throws Problem `invalid-request` */
  listActive(principal: Principal, query: ProjectQuery): Promise<ListResult<LedgerView>> {
    return this.#list(principal, query, false);
  }

  /** Active ledgers that are featured. */
  listFeatured(principal: Principal, query: ProjectQuery): Promise<ListResult<LedgerView>> {
    return this.#list(principal, query, true);
  }

  async get(principal: Principal, ledgerId: string): Promise<LedgerView> {
    const row = await this.#findLedger(principal, ledgerId);
    return await this.#viewOf(this.#store.read, row, (await this.#titlesOf([row]))(row));
  }

  /** @throws Problem `invalid-request`, `already-exists`, `conflict` (a node on another chain) */
  async create(principal: Principal, input: LedgerInput, claim?: IdempotencyClaim): Promise<LedgerView> {
    const scope = await demandScope(this.#context, principal, 'ledger:create', input.projectId);
    const { technology } = input;
    const projectUid = projectOf(scope);
    const given = namedProperties(input.properties);
    const tags = givenPluginTags(given);
    const pointer = tags.length === 0 ? technologyPointer : given.pointerOf('plugin_tags');
    const its = await demandTechnology(
      this.#technologies,
      technology,
      projectUid,
      pointer,
      tags,
      input.ledgerId,
    );
    const form = ledgerForm(technology, its);
    const { plain, secrets: hidden } = form.read(given);
    const probed = {
      ledgerId: input.ledgerId ?? input.name,
      projectUid,
      technology,
      hasChainId: hasChainId(form),
      properties: { ...plain, ...hidden },
    };
    const { nodes, chain } = await this.#withNodes(input, probed, its);
    return await once(this.#store, { claim, status: 201 }, async (tx) => {
      const made = await addLedger(
        tx,
        {
          ...(input.ledgerId === undefined ? {} : { ledgerId: input.ledgerId }),
          projectUid,
          name: input.name,
          technology,
          ...(input.type === undefined ? {} : { type: input.type }),
          active: input.active ?? true,
          featured: input.featured ?? false,
          properties: { ...plain, ...chain },
          secrets: hidden,
          nodes,
          parentResourceUid: scope,
          owner: principal.serviceId,
        },
        this.#context,
      );
      await this.#record(tx, principal, 'create', 'ledger', { ...made, resourceId: made.ledgerId, scope });
      return await this.#viewOf(tx, await rowInside(tx, made.uid), its.title);
    });
  }

  /** @throws Problem `invalid-request`, `conflict` */
  async update(principal: Principal, ledgerId: string, input: LedgerUpdate): Promise<LedgerView> {
    const row = await this.#findLedger(principal, ledgerId);
    const { uid, scope } = row;
    await this.#auth.demand(principal, 'ledger:update', uid);
    // Reactivating a ledger requires the permission to create one.
    if (input.active === true && !row.active)
      await demandAsNew(this.#context, principal, 'ledger:create', row);
    const given = namedProperties(input.properties);
    const form = input.properties ? await this.#formOf(row, given) : undefined;
    const title = (await this.#titlesOf([row]))(row);
    return await this.#store.transaction(async (tx) => {
      // Locks the counter's row first, so that the ledger read next cannot change.
      await bumpRevision(tx);
      const before = await rowInside(tx, uid);
      const held = await ledgerInside(tx, uid, this.#secrets);
      refuseStale('ledger', held.active === row.active);
      // Secrets that the request contains without a value are kept if the address to which they are sent does
      // not change.
      const read = form?.read({
        ...given,
        values: keepBoundSecrets({
          held: held.properties,
          next: given.values,
          kindOf: form.kindOf,
          pointerOf: given.pointerOf,
        }),
      });
      const changed = await changeLedger(
        tx,
        uid,
        {
          ...(input.name === undefined ? {} : { name: input.name }),
          ...(input.type === undefined ? {} : { type: input.type }),
          ...(input.active === undefined ? {} : { active: input.active }),
          ...(input.featured === undefined ? {} : { featured: input.featured }),
          ...(read === undefined
            ? {}
            : { properties: read.plain, secrets: read.secrets, pointerOf: given.pointerOf }),
        },
        this.#context,
      );
      const after = await rowInside(tx, uid);
      const record = { ...changed, resourceId: changed.ledgerId, scope };
      await this.#record(tx, principal, 'update', 'ledger', record, {
        before: setOf(before),
        after: setOf(after),
        hidden: {
          before: this.#secrets.open(uid, before.secrets),
          after: this.#secrets.open(uid, after.secrets),
        },
      });
      return await this.#viewOf(tx, after, title);
    });
  }

  /** Deletes a ledger with its nodes. @throws Problem `in-use` */
  async delete(principal: Principal, ledgerId: string): Promise<void> {
    const { uid, scope } = await this.#findLedger(principal, ledgerId);
    await this.#auth.demand(principal, 'ledger:delete', uid);
    await this.#store.transaction(async (tx) => {
      await bumpRevision(tx);
      // Locks the ledger until the transaction ends, so that no wallet is added to it.
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
      refuseInUse(
        `The ledger ${row.ledgerId}`,
        uses,
        'Delete these first, or deactivate the ledger instead.',
      );
      const { ledger, node, chainMark } = tx.t;
      const nodes = await tx.db
        .select({ uid: node.uid })
        .from(node)
        .where(eq(node.ledgerUid, uid))
        .orderBy(asc(node.id));
      for (const its of nodes) await dropNode(tx, its.uid, this.#context);
      await tx.db.delete(chainMark).where(eq(chainMark.ledgerUid, uid));
      await tx.db.delete(ledger).where(eq(ledger.uid, uid));
      await this.#auth.removeResource(tx, uid);
      await this.#record(tx, principal, 'delete', 'ledger', { ...row, resourceId: row.ledgerId, scope });
    });
  }

  /** @param title display name of the ledger's technology */
  async #viewOf(queries: Tx | Queries, row: LedgerRow, title: string): Promise<LedgerView> {
    const [view] = await ledgerViews(queries, [row], this.#secrets, () => title);
    if (view === undefined) throw gone('ledger');
    return view;
  }

  /** Display names of the ledgers' technologies; the technology's name if its plugin is not loaded. */
  async #titlesOf(rows: readonly LedgerRow[]): Promise<(row: LedgerRow) => string> {
    const scopes = [...new Set(rows.map(({ scope }) => scope))];
    const known = new Map(
      await Promise.all(
        scopes.map(async (scope) => [scope, await this.#technologies.known(projectOf(scope))] as const),
      ),
    );
    return ({ scope, technology }) => known.get(scope)?.get(technology)?.title ?? technology;
  }

  /** Returns the properties that the ledger may have with the given `plugin_tags`. */
  async #formOf({ technology, scope, ledgerId }: LedgerRow, given: NamedProperties): Promise<PropertyForm> {
    const tags = givenPluginTags(given);
    const pointer = given.pointerOf('plugin_tags');
    return ledgerForm(
      technology,
      await demandTechnology(this.#technologies, technology, projectOf(scope), pointer, tags, ledgerId),
    );
  }

  async #list(principal: Principal, query: ProjectQuery, featured: boolean) {
    const { ledger } = this.#store.read.t;
    const { uid, id, ledgerId, scope, name, active } = ledger;
    const only = and(eq(active, true), featured ? eq(ledger.featured, true) : undefined);
    const where = listedFor(this.#store.read, principal, 'ledger', { uid, scope, id: ledgerId }, query, only);
    const columns = {
      id,
      uid,
      ledgerId,
      name,
      active,
      projectId: scopeIdOf(scope),
      featured: ledger.featured,
    };
    const { items, total } = await listPage(
      this.#store.read,
      { table: ledger, where, columns, created: id, tieBreaker: uid },
      query,
    );
    return {
      items: await ledgerViews(this.#store.read, items, this.#secrets, await this.#titlesOf(items)),
      total,
    };
  }

  /**
   * Queries the initial nodes of a ledger. Unless the request sets the chain id, the first node that reports one sets
   * it.
   */
  async #withNodes(
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
      const { plain, secrets: hidden } = form.read(
        namedProperties(given.properties, `${pointer}/properties`),
      );
      checkNodeUri(given.uri, `${pointer}/uri`);
      refuseUnusedNode(its, `${pointer}/uri`);
      const asked = { uri: given.uri, properties: { ...plain, ...hidden } };
      report = await chainOf(this.#context.probe, ledger, asked, `${pointer}/uri`, report);
      const { chainId: chain } = report;
      if (chain !== null && ledger.properties.chain_id === undefined) {
        learned = chainProperty(chain);
        // Later nodes must be on the chain that this node reported.
        ledger = { ...ledger, properties: { ...ledger.properties, ...learned } };
      }
      made.push({
        ...(given.nodeId === undefined ? {} : { nodeId: given.nodeId }),
        ...(given.name === undefined ? {} : { name: given.name }),
        uri: given.uri,
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
  if (row === undefined) throw new Problem('not-found', 'The ledger does not exist.');
  return row;
}

/** Returns the values that an update can change, except secrets. */
function setOf({ name, type, active, featured, properties }: LedgerRow): RecordValues {
  return { ...readJson<LedgerProperties>(properties), name, type, active, featured };
}
