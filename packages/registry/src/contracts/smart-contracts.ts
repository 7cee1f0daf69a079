import {
  checkName,
  chosenId,
  type Principal,
  type ResourceType,
  recordActivity,
  type Update,
  valueChanges,
} from '@ledger-ops/auth';
import {
  invalidRequest,
  isMisleading,
  type ListResult,
  misleadingDetail,
  type Paging,
  Problem,
} from '@ledger-ops/base';
import {
  forUpdate,
  type IdempotencyClaim,
  listPage,
  nextId,
  once,
  type Queries,
  readJson,
  type Tx,
  uuidv7,
} from '@ledger-ops/store';
import { and, eq, or, type SQL, sql } from 'drizzle-orm';
import { ledgersOfId } from '../ledgers/ledger-views.ts';
import { type NamedProperties, namedProperties } from '../ledgers/properties/named-properties.ts';
import { withPointers } from '../pointers.ts';
import { registerNew } from '../register-new.ts';
import { demandScope, inProject } from '../scope.ts';
import { gone, pickVisible } from '../service.ts';
import { all, visible } from '../visible.ts';
import { writeProperties } from './contract-properties.ts';
import { at, technologyOf } from './contract-registry.ts';
import { addContract, ensureOlderGroup, mostListedBytes } from './contracts.ts';
import { numberNames } from './named-types.ts';
import type {
  SmartContractInput,
  SmartContractsOptions,
  SmartContractView,
  SpecificationReference,
  TokenInput,
  TokenView,
} from './types.ts';
import {
  type ContractRow,
  contractTypes,
  contractView,
  contractViews,
  hiddenColumns,
  type SpecificationRow,
  tokenView,
} from './views.ts';

const maxProperties = 100;
const maxValue = 65_536;

/** The deprecated contract registry for a caller. Every function also throws Problem `not-found` and `not-permitted`. */
export class SmartContracts {
  readonly #context: SmartContractsOptions;
  readonly #store: SmartContractsOptions['store'];
  readonly #auth: SmartContractsOptions['auth'];
  readonly #now: SmartContractsOptions['now'];
  readonly #reader: SmartContractsOptions['reader'];
  readonly #read: Queries;

  constructor(context: SmartContractsOptions) {
    this.#context = context;
    this.#store = context.store;
    this.#auth = context.auth;
    this.#now = context.now;
    this.#reader = context.reader;
    this.#read = this.#store.read;
  }

  /** Sortable by all scalar members. */
  async list(
    principal: Principal,
    { projectId, resourceId, ...query }: Paging & { projectId: string; resourceId?: string | undefined },
  ): Promise<ListResult<SmartContractView>> {
    const table = this.#read.t.contract;
    const { uid, id, contractId, name, ledgerId } = table;
    const where = all(
      visible(this.#read, principal, uid, 'smart-contract-instance'),
      inProject(this.#read, principal, table.projectId, projectId),
      resourceId === undefined || resourceId === '' ? undefined : eq(contractId, resourceId),
    );
    const columns = {
      id,
      contractId,
      name,
      ledgerId,
      ...specificationColumns(this.#read),
    };
    const { items, total, shortened } = await listPage(
      this.#read,
      {
        ...{ table, without: hiddenColumns, where, columns, created: id, tieBreaker: uid },
        bytes: { of: propertyBytes(this.#read), most: mostListedBytes },
      },
      query,
    );
    return { items: await contractViews(this.#read, items, shortened), total };
  }

  async get(principal: Principal, contractId: string): Promise<SmartContractView> {
    return await contractView(this.#read, await this.#find(principal, contractId));
  }

  /** @throws Problem `invalid-request`, `already-exists`, `conflict` (a version that is not compiled) */
  async register(
    principal: Principal,
    input: SmartContractInput,
    claim?: IdempotencyClaim,
  ): Promise<SmartContractView> {
    const scope = await demandScope(
      this.#context,
      principal,
      'smart-contract-instance:create',
      input.projectId,
    );
    const ledger = await pickVisible(
      this.#context,
      { ...principal, projectUid: scope },
      'ledger',
      await ledgersOfId(this.#read, input.ledgerId),
    ).catch((error: unknown) => {
      if (!(error instanceof Problem) || error.problem !== 'not-found') throw error;
      const detail = `the ledger ${input.ledgerId} does not exist or is not available to you`;
      throw new Problem('not-found', `/ledgerId: ${detail}.`, {
        errors: [{ pointer: '/ledgerId', detail }],
      });
    });
    const properties = readProperties(input.properties);
    const types = readTypes(input.types ?? []);
    const specification =
      input.specification === undefined ? null : await this.#specificationOf(principal, input.specification);
    const { text, pointer } = interfaceText(specification, properties);
    const { technology } = ledger;
    const place = { technology, ledgerUid: ledger.uid, projectUid: scope };
    // A chaincode package may have no interface.
    const parsedInterface =
      text === '' ? '' : await at(pointer, () => this.#reader.readInterface(place, text));
    const address = properties.values.get('address');
    if (typeof address !== 'string') {
      const detail = "must contain the property address: the contract's address on its ledger";
      throw invalidRequest([{ pointer: properties.pointerOf('address'), detail }]);
    }
    const nativeReference = await at(properties.pointerOf('address'), () =>
      this.#reader.normaliseAddress(place, address),
    );
    properties.values.set('address', nativeReference);
    const renamed = [
      ['/ledgerReference/ledgerId', '/ledgerId'],
      ['/ledgerReference/nativeReference', properties.pointerOf('address')],
      ['/interface', pointer],
    ] as const;
    return await withPointers(renamed, () =>
      once(this.#store, { claim, status: 201 }, async (tx) => {
        const groupId = await ensureOlderGroup(tx, scope, this.#context);
        const made = await addContract(
          tx,
          {
            ...(input.contractId === undefined ? {} : { contractId: input.contractId }),
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
          this.#context,
        );
        await numberNames(tx, contractTypes, types);
        await writeProperties(tx, made.uid, properties.values);
        const of = { ...made, id: made.contractId, projectId: scope };
        await this.#record(tx, principal, 'create', 'smart-contract-instance', of);
        return await contractView(tx, await contractInside(tx, made.uid));
      }),
    );
  }

  /** Replaces all properties. @throws Problem `invalid-request` */
  async updateProperties(
    principal: Principal,
    contractId: string,
    given: Readonly<Record<string, unknown>>,
  ): Promise<SmartContractView> {
    const { uid, projectId, ledgerUid, nativeReference, name } = await this.#find(principal, contractId);
    await this.#auth.demand(principal, 'smart-contract-instance:update', uid);
    const properties = readProperties(given);
    const place = { technology: await technologyOf(this.#read, ledgerUid), ledgerUid, projectUid: projectId };
    const address = properties.values.get('address') ?? nativeReference;
    const pointer = properties.pointerOf('address');
    const same =
      typeof address === 'string' &&
      (await at(pointer, () => this.#reader.normaliseAddress(place, address))) === nativeReference;
    if (!same) {
      const detail = 'the address of a contract cannot change; register another contract instead';
      throw invalidRequest([{ pointer, detail }]);
    }
    properties.values.set('address', nativeReference);
    return await this.#store.transaction(async (tx) => {
      const { contractProperty } = tx.t;
      const held = await tx.db
        .delete(contractProperty)
        .where(eq(contractProperty.contractUid, uid))
        .returning({ name: contractProperty.name, value: contractProperty.value });
      await writeProperties(tx, uid, properties.values);
      const of = { uid, id: contractId, projectId, name };
      const before = Object.fromEntries(held.map((one) => [one.name, readJson<unknown>(one.value)]));
      const update = { before, after: Object.fromEntries(properties.values) };
      await this.#record(tx, principal, 'update-properties', 'smart-contract-instance', of, update);
      return await contractView(tx, await contractInside(tx, uid));
    });
  }

  /** @throws Problem `invalid-request`, `already-exists` */
  async registerToken(principal: Principal, input: TokenInput, claim?: IdempotencyClaim): Promise<TokenView> {
    const scope = await demandScope(this.#context, principal, 'ledger-token:create', input.projectId);
    const { contractId } = input;
    const contract = await this.#find({ ...principal, projectUid: scope }, contractId).catch(
      (error: unknown) => {
        if (!(error instanceof Problem) || error.problem !== 'not-found') throw error;
        const pointer = '/contractId';
        const detail = `the contract ${contractId} does not exist or is not visible to you`;
        throw new Problem('not-found', `${pointer}: ${detail}.`, { errors: [{ pointer, detail }] });
      },
    );
    if (contract.projectId !== scope) {
      const detail = "must be a contract of the token's project";
      throw invalidRequest([{ pointer: '/contractId', detail }]);
    }
    const tokenId = chosenId(input.tokenId, '/tokenId');
    const name = checkName(input.name, '/name');
    if (!/^[^\p{Cc}\s]{1,32}$/u.test(input.ticker)) {
      const detail = 'must have 1 to 32 characters without spaces and control characters';
      throw invalidRequest([{ pointer: '/ticker', detail }]);
    }
    if (isMisleading(input.ticker)) throw invalidRequest([{ pointer: '/ticker', detail: misleadingDetail }]);
    return await once(this.#store, { claim, status: 201 }, async (tx) => {
      const { ledgerToken } = tx.t;
      const row = {
        uid: uuidv7(),
        id: await nextId(tx, 'ledger_token'),
        tokenId,
        projectId: scope,
        contractUid: contract.uid,
        name,
        ticker: input.ticker,
        createdAt: this.#now(),
      };
      // The contract is locked until the transaction ends, so that it is not deleted in between.
      const its = await contractInside(tx, contract.uid);
      const added = await tx.db
        .insert(ledgerToken)
        .values(row)
        .onConflictDoNothing({ target: [ledgerToken.projectId, ledgerToken.tokenId] })
        .returning({ uid: ledgerToken.uid });
      await registerNew(this.#auth, tx, added, {
        uid: row.uid,
        resourceId: tokenId,
        type: 'ledger-token',
        pointer: '/tokenId',
        parentUid: scope,
        owner: principal.serviceId,
      });
      await this.#record(tx, principal, 'create', 'ledger-token', { ...row, id: tokenId });
      return tokenView(row, await contractView(tx, its));
    });
  }

  async #find(principal: Principal, contractId: string): Promise<ContractRow> {
    const { contract } = this.#read.t;
    const rows = await this.#read.db
      .select()
      .from(contract)
      .where(or(eq(contract.contractId, contractId), eq(contract.uid, contractId)));
    const scoped = rows.map((row) => ({ ...row, scope: row.projectId }));
    const { scope: _scope, ...row } = await pickVisible(
      this.#context,
      principal,
      'smart-contract-instance',
      scoped,
    );
    return row;
  }

  async #record(
    tx: Tx,
    principal: Principal,
    action: string,
    resourceType: ResourceType,
    of: { uid: string; id: string; projectId: string; name: string },
    update?: Update,
  ) {
    const resource = { resourceUid: of.uid, resourceId: of.id, resourceType, scope: of.projectId };
    const service = 'older-contract-registry';
    const named = { ...resource, resourceName: of.name, targetObject: of.name };
    const changes = update === undefined ? [] : valueChanges(update);
    await recordActivity(tx, principal, { action, service, ...named, changes }, this.#now());
  }

  /** Returns the requested version, of a template that the caller may see. */
  async #specificationOf(principal: Principal, reference: SpecificationReference): Promise<SpecificationRow> {
    const pointer = '/specification';
    const { specification, template } = this.#read.t;
    const which =
      'id' in reference
        ? eq(specification.id, reference.id)
        : and(eq(specification.tag, reference.version), eq(template.templateId, reference.templateId));
    const rows = await this.#read.db
      .select({ specification, template })
      .from(specification)
      .innerJoin(template, eq(template.uid, specification.templateUid))
      .where(and(which, visible(this.#read, principal, template.uid, 'smart-contract-template')));
    const found = rows.find((row) => row.template.projectId === principal.projectUid) ?? rows[0];
    if (found === undefined) {
      const detail = 'the version does not exist or is not visible to you';
      throw new Problem('not-found', `${pointer}: ${detail}.`, { errors: [{ pointer, detail }] });
    }
    if (found.specification.status !== 'COMPILED') {
      const detail = `the version is not compiled; its status is ${found.specification.status}`;
      throw new Problem('conflict', `${pointer}: ${detail}.`, { errors: [{ pointer, detail }] });
    }
    return found.specification;
  }
}

/** Returns the bytes of a contract's properties, one of which may be an ABI. */
function propertyBytes({ t: { contract, contractProperty } }: Queries): SQL<number> {
  return sql<number>`(select coalesce(sum(octet_length(${contractProperty.value})), 0) from ${contractProperty} where ${contractProperty.contractUid} = ${contract.uid})`;
}

/** Column expressions for the parts of a contract's record that come from its version. */
function specificationColumns({ t: { contract, specification } }: Queries) {
  const version = sql`from ${specification} where ${specification.uid} = ${contract.specificationUid}`;
  return {
    compilationDetails: sql`(select ${specification.status} || ' ' || coalesce(${specification.language}, '') || ' ' || ${specification.checksum} ${version})`,
    compileVersion: sql`(select ${specification.compilerVersion} ${version})`,
  };
}

interface ContractProperties extends Pick<NamedProperties, 'pointerOf'> {
  values: Map<string, unknown>;
}

function readProperties(given: Readonly<Record<string, unknown>>): ContractProperties {
  const { values, pointerOf } = namedProperties(given);
  const entries = Object.entries(values);
  if (entries.length > maxProperties) {
    throw invalidRequest([
      { pointer: '/properties', detail: `must have at most ${maxProperties} properties` },
    ]);
  }
  for (const [name, value] of entries) {
    if (!isContractPropertyName(name)) {
      const detail = 'must be 1 to 64 characters from A-Z a-z 0-9 . _ -';
      throw invalidRequest([{ pointer: pointerOf(name), detail }]);
    }
    if (value === undefined || (name !== 'abi' && JSON.stringify(value).length > maxValue)) {
      const detail = `is required and must have at most ${maxValue} characters of JSON`;
      throw invalidRequest([{ pointer: pointerOf(name), detail }]);
    }
  }
  return { values: new Map(entries), pointerOf };
}

/** Whether a contract may have a property of the name. */
export function isContractPropertyName(name: string): boolean {
  return /^[A-Za-z0-9_.-]{1,64}$/.test(name);
}

function readTypes(given: readonly string[]): string[] {
  given.forEach((name, index) => {
    checkName(name, `/types/${index}`);
  });
  return [...new Set(given)];
}

/** Returns the interface of a contract: from its version, otherwise from the property `abi`. */
function interfaceText(
  specification: SpecificationRow | null,
  { values, pointerOf }: ContractProperties,
): { text: string; pointer: string } {
  if (specification !== null) return { text: specification.interface, pointer: '/specification' };
  const pointer = pointerOf('abi');
  const abi = values.get('abi');
  if (abi === undefined) {
    const detail = 'requires a contractSpecification, or a property abi that contains the interface';
    throw invalidRequest([{ pointer: '/specification', detail }]);
  }
  return { text: typeof abi === 'string' ? abi : JSON.stringify(abi), pointer };
}

async function contractInside(tx: Tx, uid: string): Promise<ContractRow> {
  const { contract } = tx.t;
  const [row] = await forUpdate(tx, tx.db.select().from(contract).where(eq(contract.uid, uid)));
  if (row === undefined) throw gone('contract');
  return row;
}
