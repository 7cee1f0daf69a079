import {
  checkName,
  type Principal,
  recordActivity,
  recountDocuments,
  type Update,
  valueChanges,
} from '@ledger-ops/auth';
import { invalidRequest, type ListResult, type Paging, Problem } from '@ledger-ops/base';
import { forUpdate, type IdempotencyClaim, listPage, once, type Queries, type Tx } from '@ledger-ops/store';
import { eq, or, type SQL, sql } from 'drizzle-orm';
import { countWhere, refuseInUse, usesInWords } from '../in-use.ts';
import { ledgersOfId } from '../ledgers/ledger-views.ts';
import { withPointers } from '../pointers.ts';
import { demandScope, inProject } from '../scope.ts';
import { gone, pickVisible, type ServiceContext, unseen } from '../service.ts';
import type { ContractGroupRecord, ContractRecord } from '../types.ts';
import { all, visible } from '../visible.ts';
import {
  addContract,
  addGroup,
  checkInterface,
  contractRecord,
  groupRecord,
  type ListedContract,
  listedContract,
  mostListedBytes,
  readContract,
  readGroup,
} from './contracts.ts';
import type { ContractPlace, ContractReader } from './types.ts';

export interface ContractRegistryOptions extends ServiceContext {
  reader: ContractReader;
}

const service = 'contract-registry';

/** The current contract registry for a caller. Every function also throws Problem `not-found` and `not-permitted`. */
export class ContractRegistry {
  readonly #context: ContractRegistryOptions;
  readonly #store: ContractRegistryOptions['store'];
  readonly #auth: ContractRegistryOptions['auth'];
  readonly #now: ContractRegistryOptions['now'];
  readonly #reader: ContractReader;
  readonly #read: Queries;

  constructor(context: ContractRegistryOptions) {
    this.#context = context;
    this.#store = context.store;
    this.#auth = context.auth;
    this.#now = context.now;
    this.#reader = context.reader;
    this.#read = this.#store.read;
  }

  async group(principal: Principal, groupId: string): Promise<ContractGroupRecord> {
    const found = await readGroup(this.#read, groupId);
    if (found === null) throw gone('contract group');
    await this.#auth.demand(principal, 'contract-group:read', groupId).catch(unseen('contract group'));
    return found;
  }

  async contract(principal: Principal, groupId: string, contractId: string): Promise<ContractRecord> {
    const its = await readGroup(this.#read, groupId);
    const found = its === null ? null : await readContract(this.#read, its.projectUid, contractId);
    if (found === null || found.groupId !== groupId) throw gone('contract');
    await this.#auth.demand(principal, 'smart-contract-instance:read', found.uid).catch(unseen('contract'));
    return found;
  }

  /** Sortable by groupId, name, createdAt. */
  async listGroups(
    principal: Principal,
    projectId: string,
    query: Paging,
  ): Promise<ListResult<ContractGroupRecord>> {
    const table = this.#read.t.contractGroup;
    const { groupId, name, createdAt } = table;
    const where = all(
      visible(this.#read, principal, groupId, 'contract-group'),
      inProject(this.#read, principal, table.projectId, projectId),
    );
    const columns = { groupId, name, createdAt };
    const { items, total } = await listPage(
      this.#read,
      { table, where, columns, created: createdAt, tieBreaker: groupId },
      query,
    );
    return { items: items.map(groupRecord), total };
  }

  async createGroup(
    principal: Principal,
    { name, projectId }: { name: string; projectId?: string | undefined },
    claim?: IdempotencyClaim,
  ): Promise<ContractGroupRecord> {
    const scope = await demandScope(this.#context, principal, 'contract-group:create', projectId);
    return await once(this.#store, { claim, status: 201 }, async (tx) => {
      const made = await addGroup(tx, { projectUid: scope, name, owner: principal.serviceId }, this.#context);
      await this.#record(tx, principal, 'create', 'contract-group', groupOf(made));
      return made;
    });
  }

  /** Renames a group. */
  async updateGroup(
    principal: Principal,
    groupId: string,
    input: { name: string },
  ): Promise<ContractGroupRecord> {
    const before = await this.group(principal, groupId);
    await this.#auth.demand(principal, 'contract-group:update', groupId);
    const name = checkName(input.name, '/name');
    return await this.#store.transaction(async (tx) => {
      const { contractGroup } = tx.t;
      const [row] = await tx.db
        .update(contractGroup)
        .set({ name })
        .where(eq(contractGroup.groupId, groupId))
        .returning();
      if (row === undefined) throw gone('contract group');
      const changed = groupRecord(row);
      const update = { before: { name: before.name }, after: { name } };
      await this.#record(tx, principal, 'update', 'contract-group', groupOf(changed), update);
      return changed;
    });
  }

  /** @throws Problem `in-use` if the group has contracts */
  async deleteGroup(principal: Principal, groupId: string): Promise<void> {
    const found = await this.group(principal, groupId);
    await this.#auth.demand(principal, 'contract-group:delete', groupId);
    await this.#store.transaction(async (tx) => {
      const contracts = await countWhere(tx, 'contract', 'group_id', groupId);
      const uses = usesInWords([[contracts, 'contract', 'contracts']]);
      refuseInUse(`The contract group ${found.name}`, uses, 'Delete these first.');
      const { contractGroup } = tx.t;
      const deleted = await tx.db
        .delete(contractGroup)
        .where(eq(contractGroup.groupId, groupId))
        .returning({ groupId: contractGroup.groupId });
      if (deleted.length === 0) throw gone('contract group');
      // This also fails if a contract was added in the meantime, because its resource is below the group's.
      await this.#auth.removeResource(tx, groupId);
      await this.#record(tx, principal, 'delete', 'contract-group', groupOf(found));
    });
  }

  /** Sortable by contractId, name, ledgerId, nativeReference, createdAt. */
  async listContracts(
    principal: Principal,
    groupId: string,
    query: Paging,
  ): Promise<ListResult<ListedContract>> {
    await this.group(principal, groupId);
    return await this.#contracts(principal, eq(this.#read.t.contract.groupId, groupId), query);
  }

  /**
   * Lists contracts in all groups of a project; without `projectId`, of the caller's project. Sortable like
   * `listContracts`.
   */
  contractsOfProject(
    principal: Principal,
    projectId: string | undefined,
    query: Paging,
  ): Promise<ListResult<ListedContract>> {
    return this.#contracts(
      principal,
      inProject(this.#read, principal, this.#read.t.contract.projectId, projectId),
      query,
    );
  }

  /** Finds a contract by id in any group: in the caller's project, otherwise in another project. */
  async findContract(principal: Principal, contractId: string): Promise<ContractRecord> {
    const { contract: table } = this.#read.t;
    const rows = await this.#read.db
      .select()
      .from(table)
      .where(or(eq(table.contractId, contractId), eq(table.uid, contractId)));
    const scoped = rows.map((row) => ({ ...row, scope: row.projectId }));
    const { scope: _scope, ...row } = await pickVisible(
      this.#context,
      principal,
      'smart-contract-instance',
      scoped,
    );
    return contractRecord(row);
  }

  /** @throws Problem `invalid-request`, `already-exists`, `unknown-contract` */
  async createContract(
    principal: Principal,
    input: {
      groupId: string;
      contractId?: string | undefined;
      /** Interface of the contract. If absent, the interface that the ledger publishes is used. */
      interface?: string | undefined;
      ledgerReference: { ledgerId: string; nativeReference: string };
      name: string | null;
    },
    claim?: IdempotencyClaim,
  ): Promise<ContractRecord> {
    const { projectUid } = await this.group(principal, input.groupId);
    await this.#auth.demand(principal, 'smart-contract-instance:create', input.groupId);
    const { ledgerId, nativeReference } = input.ledgerReference;
    const pointer = '/ledgerReference/ledgerId';
    const there = { ...principal, projectUid };
    const ledger = await pickVisible(
      this.#context,
      there,
      'ledger',
      await ledgersOfId(this.#read, ledgerId),
    ).catch((error: unknown) => {
      if (!(error instanceof Problem) || error.problem !== 'not-found') throw error;
      throw invalidRequest([
        { pointer, detail: `the ledger ${ledgerId} does not exist or is not available to you` },
      ]);
    });
    // The contract's interface is read from this ledger, so the caller must be allowed to use the ledger.
    await this.#auth.demandUse(there, 'ledger:read', ledger.uid);
    const { technology } = ledger;
    const place = { technology, ledgerUid: ledger.uid, projectUid };
    if (input.interface !== undefined) checkInterface(input.interface);
    const address = await at('/ledgerReference/nativeReference', () =>
      this.#reader.normaliseAddress(place, nativeReference),
    );
    await at('/ledgerReference/nativeReference', () => this.#reader.demandContract(place, address));
    const text = await interfaceOf(this.#reader, place, address, input.interface);
    // A ledger may know the contract but publish no interface. The contract's methods are then called only by
    // name.
    const parsedInterface =
      text === '' ? '' : await at('/interface', () => this.#reader.readInterface(place, text));
    return await once(this.#store, { claim, status: 201 }, async (tx) => {
      const made = await addContract(
        tx,
        {
          ...(input.contractId === undefined ? {} : { contractId: input.contractId }),
          groupId: input.groupId,
          name: input.name,
          interface: text,
          parsedInterface,
          ledgerUid: ledger.uid,
          nativeReference: address,
          owner: principal.serviceId,
        },
        this.#context,
      );
      await this.#record(tx, principal, 'create', 'smart-contract-instance', contractOf(made));
      return made;
    });
  }

  /**
   * Changes name or interface; the address on the ledger cannot change. A null `name` sets the name
   * to the contract's id.
   */
  async updateContract(
    principal: Principal,
    groupId: string,
    contractId: string,
    input: { name?: string | null; interface?: string },
  ): Promise<ContractRecord> {
    const found = await this.contract(principal, groupId, contractId);
    await this.#auth.demand(principal, 'smart-contract-instance:update', found.uid);
    const name =
      input.name === undefined
        ? found.name
        : input.name === null
          ? contractId
          : checkName(input.name, '/name');
    const text = input.interface ?? found.interface;
    checkInterface(text);
    const { ledgerUid, projectUid } = found;
    const place = { technology: await technologyOf(this.#read, ledgerUid), ledgerUid, projectUid };
    const parsed =
      input.interface === undefined
        ? found.parsedInterface
        : await at('/interface', () => this.#reader.readInterface(place, text));
    return await this.#store.transaction(async (tx) => {
      const table = tx.t.contract;
      const [row] = await tx.db
        .update(table)
        .set({ name, interface: text, parsedInterface: parsed })
        .where(eq(table.uid, found.uid))
        .returning();
      if (row === undefined) throw gone('contract');
      const changed = contractRecord(row);
      // Interfaces are too long for the timeline, so the record only states that the interface changed.
      const hidden = { before: { interface: found.interface }, after: { interface: text } };
      const update = { before: { name: found.name }, after: { name }, hidden };
      await this.#record(tx, principal, 'update', 'smart-contract-instance', contractOf(changed), update);
      return changed;
    });
  }

  /** @throws Problem `in-use` if tokens are registered on the contract */
  async deleteContract(principal: Principal, groupId: string, contractId: string): Promise<void> {
    const found = await this.contract(principal, groupId, contractId);
    await this.#auth.demand(principal, 'smart-contract-instance:delete', found.uid);
    await this.#store.transaction(async (tx) => {
      // The contract is locked until the transaction ends, so that no token is registered on it.
      await forUpdate(
        tx,
        tx.db.select({ uid: tx.t.contract.uid }).from(tx.t.contract).where(eq(tx.t.contract.uid, found.uid)),
      );
      const tokens = await countWhere(tx, 'ledger_token', 'contract_uid', found.uid);
      const uses = usesInWords([[tokens, 'token', 'tokens']]);
      refuseInUse(`The contract ${contractId}`, uses, 'A contract with registered tokens cannot be deleted.');
      const { contract: table, contractProperty } = tx.t;
      await tx.db.delete(contractProperty).where(eq(contractProperty.contractUid, found.uid));
      const deleted = await tx.db.delete(table).where(eq(table.uid, found.uid)).returning({ uid: table.uid });
      if (deleted.length === 0) throw gone('contract');
      await recountDocuments(tx, found.uid);
      await this.#auth.removeResource(tx, found.uid);
      await this.#record(tx, principal, 'delete', 'smart-contract-instance', contractOf(found));
    });
  }

  async #contracts(principal: Principal, which: SQL, query: Paging) {
    const table = this.#read.t.contract;
    const { uid, id, contractId, name, ledgerId, nativeReference, createdAt } = table;
    const where = all(visible(this.#read, principal, uid, 'smart-contract-instance'), which);
    const columns = {
      contractId,
      name,
      ledgerId,
      nativeReference,
      createdAt,
      groupId: table.groupId,
      interface: table.interface,
    };
    const { items, total, shortened } = await listPage(
      this.#read,
      {
        ...{ table, without: ['parsedInterface'], where, columns, created: id, tieBreaker: uid },
        bytes: {
          of: sql<number>`octet_length(${table.interface})`,
          most: mostListedBytes,
          emptied: ['interface'],
        },
      },
      query,
    );
    return { items: items.map((row) => listedContract(row, shortened.has(row.uid))), total };
  }

  async #record(
    tx: Tx,
    principal: Principal,
    action: string,
    resourceType: 'contract-group' | 'smart-contract-instance',
    of: { uid: string; id: string; projectUid: string; name: string },
    update?: Update,
  ) {
    const resource = { resourceUid: of.uid, resourceId: of.id, resourceType, scope: of.projectUid };
    const named = { ...resource, resourceName: of.name, targetObject: of.name };
    const changes = update === undefined ? [] : valueChanges(update);
    await recordActivity(tx, principal, { action, service, ...named, changes }, this.#now());
  }
}

const groupOf = (of: { groupId: string; projectUid: string; name: string }) => ({
  ...of,
  uid: of.groupId,
  id: of.groupId,
});

const contractOf = (of: { uid: string; contractId: string; projectUid: string; name: string }) => ({
  ...of,
  id: of.contractId,
});

/**
 * Returns the interface to register: the given one, otherwise the one that the ledger publishes. If the
 * ledger reports which contracts exist, the contract must be one of them. If the ledger does not respond, a
 * given interface can still be registered.
 */
async function interfaceOf(
  reader: ContractReader,
  place: ContractPlace & { ledgerUid: string },
  address: string,
  given: string | undefined,
): Promise<string> {
  const told = await at('/ledgerReference/nativeReference', async () =>
    reader.describe?.(place, address),
  ).catch((error: unknown) => {
    const down =
      error instanceof Problem &&
      ['ledger-unavailable', 'ledger-timeout', 'address-not-opened'].includes(error.problem);
    if (down && given !== undefined) return undefined;
    throw error;
  });
  if (given !== undefined) return given;
  if (told === undefined) {
    const detail = 'is required: this ledger does not publish the interfaces of its contracts';
    throw invalidRequest([{ pointer: '/interface', detail }]);
  }
  if (told !== null) checkInterface(told);
  return told ?? '';
}

export async function technologyOf({ db, t: { ledger } }: Queries, ledgerUid: string): Promise<string> {
  const [row] = await db
    .select({ technology: ledger.technology })
    .from(ledger)
    .where(eq(ledger.uid, ledgerUid));
  if (row === undefined) throw gone('ledger');
  return row.technology;
}

/** Runs `work`, and prepends `pointer` to the pointers in its problems. */
export async function at<Answer>(pointer: string, work: () => Promise<Answer>): Promise<Answer> {
  return await withPointers([['', pointer]], async () => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Problem && error.problem === 'invalid-request' && error.errors.length === 0) {
        throw invalidRequest([{ pointer: '', detail: error.message }]);
      }
      throw error;
    }
  });
}
