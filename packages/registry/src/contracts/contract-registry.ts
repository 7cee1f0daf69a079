import { checkName, type Principal, recordActivity } from '@ledger-ops/auth';
import { invalidRequest, type Paging, Problem } from '@ledger-ops/base';
import { forUpdate, listPage, once, type Queries, type Tx } from '@ledger-ops/store';
import { eq, or, type SQL } from 'drizzle-orm';
import { countWhere, refuseInUse, usesInWords } from '../in-use.ts';
import { ledgersOfId } from '../ledgers/ledger-views.ts';
import { withPointers } from '../pointers.ts';
import { demandScope, inProject } from '../scope.ts';
import { gone, pickVisible, type ServiceContext, unseen } from '../service.ts';
import { all, visible } from '../visible.ts';
import {
  addContract,
  addGroup,
  checkInterface,
  contractRecord,
  groupRecord,
  readContract,
  readGroup,
} from './contracts.ts';
import type { ContractPlace, ContractReader, ContractRegistry } from './types.ts';

/** Options of the contract registry. */
export interface ContractRegistryOptions extends ServiceContext {
  reader: ContractReader;
}

const service = 'contract-registry';

/** Makes the current contract registry. It holds nothing that has to be closed. */
export function createContractRegistry(context: ContractRegistryOptions): ContractRegistry {
  const { store, auth, now, reader } = context;
  const { read } = store;

  async function group(principal: Principal, groupId: string) {
    const found = await readGroup(read, groupId);
    if (found === null) throw gone('contract group');
    await auth.demand(principal, 'contract-group:read', groupId).catch(unseen('contract group'));
    return found;
  }

  async function contract(principal: Principal, groupId: string, contractId: string) {
    const its = await readGroup(read, groupId);
    const found = its === null ? null : await readContract(read, its.projectUid, contractId);
    if (found === null || found.groupId !== groupId) throw gone('contract');
    await auth.demand(principal, 'smart-contract-instance:read', found.uid).catch(unseen('contract'));
    return found;
  }

  async function contracts(principal: Principal, which: SQL, query: Paging) {
    const table = read.t.contract;
    const { uid, id, contractId, name, ledgerId, nativeReference, createdAt } = table;
    const where = all(visible(read, principal, uid, 'smart-contract-instance'), which);
    const columns = {
      ...{ contractId, name, ledgerId, nativeReference, createdAt },
      ...{ groupId: table.groupId, interface: table.interface },
    };
    const { items, total } = await listPage(
      read,
      { table, where, columns, created: id, tieBreaker: uid },
      query,
    );
    return { items: items.map(contractRecord), total };
  }

  async function record(
    tx: Tx,
    principal: Principal,
    action: string,
    resourceType: 'contract-group' | 'smart-contract-instance',
    of: { uid: string; id: string; projectUid: string; name: string },
  ) {
    const resource = { resourceUid: of.uid, resourceId: of.id, resourceType, scope: of.projectUid };
    await recordActivity(tx, principal, { action, service, ...resource, targetObject: of.name }, now());
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

  return {
    group,
    contract,

    async listGroups(principal, projectId, query) {
      const table = read.t.contractGroup;
      const { groupId, name, createdAt } = table;
      const where = all(
        visible(read, principal, groupId, 'contract-group'),
        inProject(read, principal, table.projectId, projectId),
      );
      const columns = { groupId, name, createdAt };
      const { items, total } = await listPage(
        read,
        { table, where, columns, created: createdAt, tieBreaker: groupId },
        query,
      );
      return { items: items.map(groupRecord), total };
    },

    async createGroup(principal, { name, projectId }, claim) {
      const scope = await demandScope(context, principal, 'contract-group:create', projectId);
      return await once(store, { claim, status: 201 }, async (tx) => {
        const made = await addGroup(tx, { projectUid: scope, name, owner: principal.serviceId }, context);
        await record(tx, principal, 'create', 'contract-group', groupOf(made));
        return made;
      });
    },

    async updateGroup(principal, groupId, input) {
      await group(principal, groupId);
      await auth.demand(principal, 'contract-group:update', groupId);
      const name = checkName(input.name, '/name');
      return await store.transaction(async (tx) => {
        const { contractGroup } = tx.t;
        const [row] = await tx.db
          .update(contractGroup)
          .set({ name })
          .where(eq(contractGroup.groupId, groupId))
          .returning();
        if (row === undefined) throw gone('contract group');
        const changed = groupRecord(row);
        await record(tx, principal, 'update', 'contract-group', groupOf(changed));
        return changed;
      });
    },

    async deleteGroup(principal, groupId) {
      const found = await group(principal, groupId);
      await auth.demand(principal, 'contract-group:delete', groupId);
      await store.transaction(async (tx) => {
        const contracts = await countWhere(tx, 'contract', 'group_id', groupId);
        const uses = usesInWords([[contracts, 'contract', 'contracts']]);
        refuseInUse(`The contract group ${found.name}`, uses, 'Delete these first.');
        const { contractGroup } = tx.t;
        const deleted = await tx.db
          .delete(contractGroup)
          .where(eq(contractGroup.groupId, groupId))
          .returning({ groupId: contractGroup.groupId });
        if (deleted.length === 0) throw gone('contract group');
        // Refuses, too, when a contract came meanwhile: its resource stands below.
        await auth.removeResource(tx, groupId);
        await record(tx, principal, 'delete', 'contract-group', groupOf(found));
      });
    },

    async listContracts(principal, groupId, query) {
      await group(principal, groupId);
      return await contracts(principal, eq(read.t.contract.groupId, groupId), query);
    },

    contractsOfProject: (principal, projectId, query) =>
      contracts(principal, inProject(read, principal, read.t.contract.projectId, projectId), query),

    async findContract(principal, contractId) {
      const { contract: table } = read.t;
      const rows = await read.db
        .select()
        .from(table)
        .where(or(eq(table.contractId, contractId), eq(table.uid, contractId)));
      const scoped = rows.map((row) => ({ ...row, scope: row.projectId }));
      const { scope: _scope, ...row } = await pickVisible(
        context,
        principal,
        'smart-contract-instance',
        scoped,
      );
      return contractRecord(row);
    },

    async createContract(principal, input, claim) {
      const { projectUid } = await group(principal, input.groupId);
      await auth.demand(principal, 'smart-contract-instance:create', input.groupId);
      const { ledgerId, nativeReference } = input.ledgerReference;
      const pointer = '/ledgerReference/ledgerId';
      const there = { ...principal, projectUid };
      const ledger = await pickVisible(context, there, 'ledger', await ledgersOfId(read, ledgerId)).catch(
        (error: unknown) => {
          if (!(error instanceof Problem) || error.problem !== 'not-found') throw error;
          throw invalidRequest([{ pointer, detail: `there is no ledger ${ledgerId} that you may use` }]);
        },
      );
      // It is asked for the contract and its interface.
      await auth.demandUse(there, 'ledger:read', ledger.uid);
      const { technology } = ledger;
      const place = { technology, ledgerUid: ledger.uid, projectUid };
      if (input.interface !== undefined) checkInterface(input.interface);
      const address = await at('/ledgerReference/nativeReference', () =>
        reader.normaliseAddress(place, nativeReference),
      );
      await at('/ledgerReference/nativeReference', () => reader.demandContract(place, address));
      const text = await interfaceOf(reader, place, address, input.interface);
      // A ledger that knows the contract may publish nothing of it: then it is called by plain names.
      const parsedInterface =
        text === '' ? '' : await at('/interface', () => reader.readInterface(place, text));
      return await once(store, { claim, status: 201 }, async (tx) => {
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
          context,
        );
        await record(tx, principal, 'create', 'smart-contract-instance', contractOf(made));
        return made;
      });
    },

    async updateContract(principal, groupId, contractId, input) {
      const found = await contract(principal, groupId, contractId);
      await auth.demand(principal, 'smart-contract-instance:update', found.uid);
      const name =
        input.name === undefined
          ? found.name
          : input.name === null
            ? contractId
            : checkName(input.name, '/name');
      const text = input.interface ?? found.interface;
      checkInterface(text);
      const { ledgerUid, projectUid } = found;
      const place = { technology: await technologyOf(read, ledgerUid), ledgerUid, projectUid };
      const parsed =
        input.interface === undefined
          ? found.parsedInterface
          : await at('/interface', () => reader.readInterface(place, text));
      return await store.transaction(async (tx) => {
        const table = tx.t.contract;
        const [row] = await tx.db
          .update(table)
          .set({ name, interface: text, parsedInterface: parsed })
          .where(eq(table.uid, found.uid))
          .returning();
        if (row === undefined) throw gone('contract');
        const changed = contractRecord(row);
        await record(tx, principal, 'update', 'smart-contract-instance', contractOf(changed));
        return changed;
      });
    },

    async deleteContract(principal, groupId, contractId) {
      const found = await contract(principal, groupId, contractId);
      await auth.demand(principal, 'smart-contract-instance:delete', found.uid);
      await store.transaction(async (tx) => {
        // Held until the end: no token comes meanwhile.
        await forUpdate(
          tx,
          tx.db
            .select({ uid: tx.t.contract.uid })
            .from(tx.t.contract)
            .where(eq(tx.t.contract.uid, found.uid)),
        );
        const tokens = await countWhere(tx, 'ledger_token', 'contract_uid', found.uid);
        const uses = usesInWords([[tokens, 'token', 'tokens']]);
        refuseInUse(`The contract ${contractId}`, uses, 'A contract that tokens are registered on stays.');
        const { contract: table, contractProperty } = tx.t;
        await tx.db.delete(contractProperty).where(eq(contractProperty.contractUid, found.uid));
        const deleted = await tx.db
          .delete(table)
          .where(eq(table.uid, found.uid))
          .returning({ uid: table.uid });
        if (deleted.length === 0) throw gone('contract');
        await auth.removeResource(tx, found.uid);
        await record(tx, principal, 'delete', 'smart-contract-instance', contractOf(found));
      });
    },
  };
}

/**
 * The interface to be registered: as given, else what the ledger publishes. Where it tells which contracts there are,
 * the contract must be one of them; a ledger that does not answer keeps nobody from registering what is given.
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

/** The technology of a ledger. */
export async function technologyOf({ db, t: { ledger } }: Queries, ledgerUid: string): Promise<string> {
  const [row] = await db
    .select({ technology: ledger.technology })
    .from(ledger)
    .where(eq(ledger.uid, ledgerUid));
  if (row === undefined) throw gone('ledger');
  return row.technology;
}

/** Puts an adapter's complaint about a text at the text's place in the request. */
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
