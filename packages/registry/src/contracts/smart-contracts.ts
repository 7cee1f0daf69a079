import { checkName, chosenId, type Principal, type ResourceType, recordActivity } from '@ledger-ops/auth';
import { invalidRequest, Problem } from '@ledger-ops/base';
import { forUpdate, listPage, nextId, once, type Queries, type Tx, uuidv7 } from '@ledger-ops/store';
import { and, eq, or, sql } from 'drizzle-orm';
import { ledgersOfId } from '../ledgers/ledger-views.ts';
import { type GivenProperty, namedProperties } from '../ledgers/properties/property-list.ts';
import { withPointers } from '../pointers.ts';
import { registerNew } from '../register-new.ts';
import { demandScope, inProject } from '../scope.ts';
import { gone, pickVisible } from '../service.ts';
import { all, visible } from '../visible.ts';
import { writeProperties } from './contract-properties.ts';
import { at, technologyOf } from './contract-registry.ts';
import { addContract, ensureOlderGroup } from './contracts.ts';
import { numberNames } from './named-types.ts';
import { createTemplates } from './template-service.ts';
import type { SmartContracts, SmartContractsOptions, SpecificationReference } from './types.ts';
import {
  type ContractRow,
  contractTypes,
  contractView,
  contractViews,
  type SpecificationRow,
  tokenView,
} from './views.ts';

const maxProperties = 100;
const maxValue = 65_536;

/** Makes the older contract registry. It holds nothing that has to be closed. */
export function createSmartContracts(context: SmartContractsOptions): SmartContracts {
  const { store, auth, now, reader } = context;
  const { read } = store;

  async function find(principal: Principal, contractId: string): Promise<ContractRow> {
    const { contract } = read.t;
    const rows = await read.db
      .select()
      .from(contract)
      .where(or(eq(contract.contractId, contractId), eq(contract.uid, contractId)));
    const scoped = rows.map((row) => ({ ...row, scope: row.projectId }));
    const { scope: _scope, ...row } = await pickVisible(
      context,
      principal,
      'smart-contract-instance',
      scoped,
    );
    return row;
  }

  async function record(
    tx: Tx,
    principal: Principal,
    action: string,
    resourceType: ResourceType,
    of: { uid: string; id: string; projectId: string; name: string },
  ) {
    const resource = { resourceUid: of.uid, resourceId: of.id, resourceType, scope: of.projectId };
    const service = 'older-contract-registry';
    await recordActivity(tx, principal, { action, service, ...resource, targetObject: of.name }, now());
  }

  /** The version that a body names, of templates that the caller may see. */
  async function specificationOf(
    principal: Principal,
    reference: SpecificationReference,
  ): Promise<SpecificationRow> {
    const pointer = '/contractSpecification';
    const { specification, template } = read.t;
    const id = typeof reference === 'number' ? reference : (reference.id ?? undefined);
    const named = typeof reference === 'number' ? {} : reference;
    const which =
      id !== undefined
        ? eq(specification.id, id)
        : named.tag && named.contractTemplate
          ? and(
              eq(specification.tag, named.tag),
              eq(template.templateId, named.contractTemplate.contractTemplateID),
            )
          : undefined;
    if (which === undefined) {
      const detail = 'names a version by its id, or by contractTemplate.contractTemplateID and tag';
      throw invalidRequest([{ pointer, detail }]);
    }
    const rows = await read.db
      .select({ specification, template })
      .from(specification)
      .innerJoin(template, eq(template.uid, specification.templateUid))
      .where(and(which, visible(read, principal, template.uid, 'smart-contract-template')));
    const found = rows.find((row) => row.template.projectId === principal.projectUid) ?? rows[0];
    if (found === undefined) {
      const detail = 'there is no such version that you may see';
      throw new Problem('not-found', `${pointer}: ${detail}.`, { errors: [{ pointer, detail }] });
    }
    if (found.specification.status !== 'COMPILED') {
      const detail = `the version is not compiled: ${found.specification.status}`;
      throw new Problem('conflict', `${pointer}: ${detail}.`, { errors: [{ pointer, detail }] });
    }
    return found.specification;
  }

  return {
    ...createTemplates(context),

    async list(principal, { project, resourceId, ...query }) {
      const table = read.t.contract;
      const { uid, id, contractId, name, ledgerId } = table;
      const where = all(
        visible(read, principal, uid, 'smart-contract-instance'),
        inProject(read, principal, table.projectId, project),
        resourceId === undefined || resourceId === '' ? undefined : eq(contractId, resourceId),
      );
      const columns = {
        id,
        contractInstanceID: contractId,
        name,
        ledgerID: ledgerId,
        resourceId: contractId,
        ...specificationColumns(read),
      };
      const { items, total } = await listPage(
        read,
        { table, where, columns, created: id, tieBreaker: uid },
        query,
      );
      return { items: await contractViews(read, items), total };
    },

    get: async (principal, contractId) => await contractView(read, await find(principal, contractId)),

    async register(principal, input, claim) {
      const scope = await demandScope(context, principal, 'smart-contract-instance:create', input.projectId);
      const ledger = await pickVisible(
        context,
        { ...principal, projectUid: scope },
        'ledger',
        await ledgersOfId(read, input.ledgerID),
      ).catch((error: unknown) => {
        if (!(error instanceof Problem) || error.problem !== 'not-found') throw error;
        const detail = `there is no ledger ${input.ledgerID} that you may use`;
        throw new Problem('not-found', `/ledgerID: ${detail}.`, {
          errors: [{ pointer: '/ledgerID', detail }],
        });
      });
      const properties = readProperties(input.properties ?? []);
      const types = readTypes(input.types ?? []);
      const specification =
        input.contractSpecification === undefined || input.contractSpecification === null
          ? null
          : await specificationOf(principal, input.contractSpecification);
      const { text, pointer } = interfaceText(specification, properties);
      const { technology } = ledger;
      const place = { technology, ledgerUid: ledger.uid, projectUid: scope };
      // A chaincode package may hold no metadata.
      const parsedInterface = text === '' ? '' : await at(pointer, () => reader.readInterface(place, text));
      const address = properties.values.get('address');
      if (typeof address !== 'string') {
        const detail = 'a property address is needed: where the contract is on its ledger';
        throw invalidRequest([{ pointer: properties.pointerOf('address'), detail }]);
      }
      const nativeReference = await at(properties.pointerOf('address'), () =>
        reader.normaliseAddress(place, address),
      );
      properties.values.set('address', nativeReference);
      const renamed = [
        ['/contractId', '/contractInstanceID'],
        ['/ledgerReference/ledgerId', '/ledgerID'],
        ['/ledgerReference/nativeReference', properties.pointerOf('address')],
        ['/interface', pointer],
      ] as const;
      return await withPointers(renamed, () =>
        once(store, { claim, status: 201 }, async (tx) => {
          const groupId = await ensureOlderGroup(tx, scope, context);
          const made = await addContract(
            tx,
            {
              ...(input.contractInstanceID ? { contractId: input.contractInstanceID } : {}),
              groupId,
              name: input.name ?? null,
              interface: text,
              parsedInterface,
              ledgerUid: ledger.uid,
              nativeReference,
              specificationUid: specification?.uid ?? null,
              types,
              owner: principal.serviceId,
            },
            context,
          );
          await numberNames(tx, contractTypes, types);
          await writeProperties(tx, made.uid, properties.values);
          const of = { ...made, id: made.contractId, projectId: scope };
          await record(tx, principal, 'create', 'smart-contract-instance', of);
          return await contractView(tx, await contractInside(tx, made.uid));
        }),
      );
    },

    async updateProperties(principal, contractId, given) {
      const { uid, projectId, ledgerUid, nativeReference, name } = await find(principal, contractId);
      await auth.demand(principal, 'smart-contract-instance:update', uid);
      const properties = readProperties(given);
      const place = { technology: await technologyOf(read, ledgerUid), ledgerUid, projectUid: projectId };
      const address = properties.values.get('address') ?? nativeReference;
      const pointer = properties.pointerOf('address');
      const same =
        typeof address === 'string' &&
        (await at(pointer, () => reader.normaliseAddress(place, address))) === nativeReference;
      if (!same) {
        const detail = 'the address of a contract does not change: register another contract';
        throw invalidRequest([{ pointer, detail }]);
      }
      properties.values.set('address', nativeReference);
      return await store.transaction(async (tx) => {
        await tx.db.delete(tx.t.contractProperty).where(eq(tx.t.contractProperty.contractUid, uid));
        await writeProperties(tx, uid, properties.values);
        const of = { uid, id: contractId, projectId, name };
        await record(tx, principal, 'update-properties', 'smart-contract-instance', of);
        return await contractView(tx, await contractInside(tx, uid));
      });
    },

    async registerToken(principal, input, claim) {
      const scope = await demandScope(context, principal, 'ledger-token:create', input.projectId);
      const contractId = input.contractInstance.contractInstanceID;
      const contract = await find({ ...principal, projectUid: scope }, contractId).catch((error: unknown) => {
        if (!(error instanceof Problem) || error.problem !== 'not-found') throw error;
        const pointer = '/contractInstance/contractInstanceID';
        const detail = `there is no contract ${contractId} that you may see`;
        throw new Problem('not-found', `${pointer}: ${detail}.`, { errors: [{ pointer, detail }] });
      });
      if (contract.projectId !== scope) {
        const detail = "is not a contract of the token's project";
        throw invalidRequest([{ pointer: '/contractInstance/contractInstanceID', detail }]);
      }
      const tokenId = chosenId(input.tokenID ?? undefined, '/tokenID');
      const name = checkName(input.name, '/name');
      if (!/^[^\p{Cc}\s]{1,32}$/u.test(input.ticker)) {
        const detail = 'must have 1 to 32 characters without spaces and control characters';
        throw invalidRequest([{ pointer: '/ticker', detail }]);
      }
      return await once(store, { claim, status: 201 }, async (tx) => {
        const { ledgerToken } = tx.t;
        const row = {
          uid: uuidv7(),
          id: await nextId(tx, 'ledger_token'),
          ...{ tokenId, projectId: scope, contractUid: contract.uid, name, ticker: input.ticker },
          createdAt: now(),
        };
        // Held until the end: it is not deleted meanwhile.
        const its = await contractInside(tx, contract.uid);
        const added = await tx.db
          .insert(ledgerToken)
          .values(row)
          .onConflictDoNothing({ target: [ledgerToken.projectId, ledgerToken.tokenId] })
          .returning({ uid: ledgerToken.uid });
        await registerNew(auth, tx, added, {
          uid: row.uid,
          resourceId: tokenId,
          type: 'ledger-token',
          pointer: '/tokenID',
          parentUid: scope,
          owner: principal.serviceId,
        });
        await record(tx, principal, 'create', 'ledger-token', { ...row, id: tokenId });
        return tokenView(row, await contractView(tx, its));
      });
    },
  };
}

/** The part of a contract's record that is its version's. */
function specificationColumns({ t: { contract, specification } }: Queries) {
  const version = sql`from ${specification} where ${specification.uid} = ${contract.specificationUid}`;
  return {
    compilationDetails: sql`(select ${specification.status} || ' ' || coalesce(${specification.language}, '') || ' ' || ${specification.checksum} ${version})`,
    compileVersion: sql`(select ${specification.compilerVersion} ${version})`,
  };
}

/** Properties of a contract, by name. */
interface ContractProperties {
  values: Map<string, unknown>;
  pointerOf(name: string): string;
}

function readProperties(given: readonly GivenProperty[]): ContractProperties {
  const { values, pointerOf } = namedProperties(given);
  if (given.length > maxProperties) {
    throw invalidRequest([{ pointer: '/properties', detail: `takes at most ${maxProperties} properties` }]);
  }
  for (const [index, { type, value }] of given.entries()) {
    if (!/^[A-Za-z0-9_.-]{1,64}$/.test(type.name)) {
      const detail = 'must be 1 to 64 characters out of A-Z a-z 0-9 . _ -';
      throw invalidRequest([{ pointer: `/properties/${index}/type/name`, detail }]);
    }
    if (value === undefined || (type.name !== 'abi' && JSON.stringify(value).length > maxValue)) {
      const detail = `is required, and takes at most ${maxValue} characters of JSON`;
      throw invalidRequest([{ pointer: `/properties/${index}/value`, detail }]);
    }
  }
  return { values: new Map(Object.entries(values)), pointerOf };
}

function readTypes(given: readonly { name: string }[]): string[] {
  given.forEach(({ name }, index) => {
    checkName(name, `/types/${index}/name`);
  });
  return [...new Set(given.map(({ name }) => name))];
}

/** The interface of a contract: of its version, else of the property `abi`. */
function interfaceText(
  specification: SpecificationRow | null,
  { values, pointerOf }: ContractProperties,
): { text: string; pointer: string } {
  if (specification !== null) return { text: specification.interface, pointer: '/contractSpecification' };
  const pointer = pointerOf('abi');
  const abi = values.get('abi');
  if (abi === undefined) {
    const detail = 'a contractSpecification, or a property abi with the interface, is needed';
    throw invalidRequest([{ pointer: '/contractSpecification', detail }]);
  }
  return { text: typeof abi === 'string' ? abi : JSON.stringify(abi), pointer };
}

async function contractInside(tx: Tx, uid: string): Promise<ContractRow> {
  const { contract } = tx.t;
  const [row] = await forUpdate(tx, tx.db.select().from(contract).where(eq(contract.uid, uid)));
  if (row === undefined) throw gone('contract');
  return row;
}
