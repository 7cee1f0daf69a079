import type { AdapterDefinition } from '@ledger-ops/adapter';
import type { Auth, Permission, Principal } from '@ledger-ops/auth';
import { invalidRequest, Problem } from '@ledger-ops/base';
import { technologies } from '@ledger-ops/glo-core';
import type { ContractRecord, Registry, TemplateRecord } from '@ledger-ops/registry';
import { type IdempotencyClaim, type Ledgers, problemFrom, recordAnswer } from '@ledger-ops/runtime';
import type { Store, Tx } from '@ledger-ops/store';
import { withPointers } from './http/pointers.ts';
import type { RegistryPort } from './registry-port.ts';
import type { ContractArguments } from './routes/contract-arguments.ts';
import { contractBody, groupBody } from './routes/contract-registry.ts';
import { noSuch } from './routes/not-found.ts';
import { specificationBody, templateBody } from './routes/smart-contracts.ts';

/** What the service stands on. */
export interface ContractServiceOptions {
  readonly store: Store;
  readonly auth: Auth;
  readonly registry: Registry;
  readonly ledgers: Ledgers;
  readonly adapters: readonly AdapterDefinition[];
  readonly now: () => number;
}

/** Where a new version’s parts stand in the body of the older registry. */
const specificationPointers = [
  ['/code', '/compilationSpecification/bytecode'],
  ['/interface', '/compilationSpecification/abi'],
  ['/compilation', '/compilationSpecification'],
] as const;

/** Contract groups, contracts and templates for a caller: decides, asks the plugin, and creates in one transaction. */
export function createContractService(options: ContractServiceOptions): RegistryPort & ContractArguments {
  const { store, auth, registry, ledgers, adapters, now } = options;

  /** Creates in one transaction with the answer that the claim's key will get again. */
  async function create<Created>(
    claim: IdempotencyClaim | undefined,
    work: (tx: Tx) => Promise<Created>,
    body: (made: Created) => unknown,
  ): Promise<Created> {
    return await store.transaction(async (tx) => {
      const made = await work(tx);
      if (claim !== undefined) await recordAnswer(tx, claim, 201, JSON.stringify(body(made)), now());
      return made;
    });
  }

  /** The uid of a project that the caller names, or of its application's. */
  async function projectUid(principal: Principal, projectId: string | undefined): Promise<string | null> {
    if (projectId === undefined || projectId === principal.projectId) return principal.projectUid;
    return (await auth.projectByProjectId(projectId))?.uid ?? null;
  }

  async function demandProject(principal: Principal, projectId: string | undefined, permission: Permission) {
    const uid = await projectUid(principal, projectId);
    const pointer = '/projectId';
    const detail = `there is no project ${projectId} that you may see`;
    if (uid === null)
      throw new Problem('not-found', `${pointer}: ${detail}.`, { errors: [{ pointer, detail }] });
    await auth.demand(principal, permission, uid);
    return uid;
  }

  /** Null when the caller may not see what stands below the project: a search then finds nothing. */
  async function readableProject(principal: Principal, projectId: string, permission: Permission) {
    const uid = await projectUid(principal, projectId);
    if (uid === null) return null;
    return (await auth.decide(principal, [permission], uid)).result ? uid : null;
  }

  async function group(principal: Principal, groupId: string) {
    const found = await registry.group(groupId);
    if (found === null) throw noSuch('contract group');
    await auth.demand(principal, 'contract-group:read', groupId);
    return found;
  }

  async function template(
    principal: Principal,
    templateId: string,
    permission: Permission,
  ): Promise<TemplateRecord> {
    const found = await registry.template(principal.projectUid, templateId);
    if (found === null) throw noSuch('template');
    await auth.demand(principal, permission, found.uid);
    return found;
  }

  function adapterFor(technology: string): AdapterDefinition {
    const adapter = adapters.find((one) => one.technology === technology);
    if (adapter === undefined) {
      throw new Problem('no-plugin', `No active plugin with the tag "${technology}" reads its interfaces.`);
    }
    return adapter;
  }

  async function readInterface(adapter: AdapterDefinition, text: string, pointer: string) {
    return await adapter.readInterface(text).catch((error: unknown) => {
      throw refusalOf(error, pointer);
    });
  }

  async function visibleContract(principal: Principal, contractId: string): Promise<ContractRecord | null> {
    const found = await registry.contract(principal.projectUid, contractId);
    if (found === null) return null;
    return (await auth.decide(principal, ['smart-contract-instance:read'], found.uid)).result ? found : null;
  }

  return {
    async methods(principal, contractId) {
      const found = await visibleContract(principal, contractId);
      if (found === null) return null;
      const { definition } = await ledgers.open(found.ledgerUid, { projectUid: found.projectUid });
      return (await readInterface(definition, found.parsedInterface, '/contractId')).methods;
    },

    async listGroups(principal, projectId, query) {
      const uid = await readableProject(principal, projectId, 'contract-group:read');
      return uid === null ? { items: [], total: 0 } : await registry.listGroups(uid, query);
    },
    async createGroup(principal, { name, projectId }, claim) {
      const uid = await demandProject(principal, projectId, 'contract-group:create');
      const input = { projectUid: uid, name, owner: principal.serviceId };
      return await create(claim, (tx) => registry.createGroup(tx, input), groupBody);
    },
    group,

    async listContracts(principal, groupId, query) {
      await group(principal, groupId);
      const mayRead = (await auth.decide(principal, ['smart-contract-instance:read'], groupId)).result;
      return mayRead ? await registry.listContracts(groupId, query) : { items: [], total: 0 };
    },
    async contract(principal, groupId, contractId) {
      const owner = await registry.group(groupId);
      const found = owner === null ? null : await registry.contract(owner.projectUid, contractId);
      if (found === null || found.groupId !== groupId) throw noSuch('contract');
      await auth.demand(principal, 'smart-contract-instance:read', found.uid);
      return found;
    },
    async createContract(principal, contract, claim) {
      const { groupId, ledgerId, name } = contract;
      const { projectUid: groupProject } = await group(principal, groupId);
      await auth.demand(principal, 'smart-contract-instance:create', groupId);
      const ledger = await registry.ledgerByLedgerId(ledgerId, groupProject);
      if (ledger === null || (ledger.projectUid !== null && ledger.projectUid !== groupProject)) {
        const detail = `there is no ledger ${ledgerId} that the group's project may use`;
        throw invalidRequest([{ pointer: '/ledgerReference/ledgerId', detail }]);
      }
      const { definition, session } = await ledgers.open(ledger.uid, { projectUid: groupProject });
      const parsed = await readInterface(definition, contract.interface, '/interface');
      const pointer = '/ledgerReference/nativeReference';
      const nativeReference = await session
        .normaliseAddress(contract.nativeReference)
        .catch((error: unknown) => {
          throw refusalOf(error, pointer);
        });
      const input = {
        groupId,
        name,
        interface: contract.interface,
        parsedInterface: parsed.interface,
        ledgerUid: ledger.uid,
        nativeReference,
        owner: principal.serviceId,
      };
      return await create(claim, (tx) => registry.createContract(tx, input), contractBody);
    },

    async listTemplates(principal, projectId, { resourceId, ...query }) {
      const uid = await readableProject(principal, projectId, 'smart-contract-template:read');
      if (uid === null) return { items: [], total: 0 };
      if (resourceId === undefined) return await registry.listTemplates(uid, query);
      const found = await registry.template(uid, resourceId);
      const items = found === null || query.page > 0 ? [] : [found];
      return { items, total: found === null ? 0 : 1 };
    },
    async createTemplate(principal, { templateId, name, description, projectId }, claim) {
      const uid = await demandProject(principal, projectId, 'smart-contract-template:create');
      const input = {
        ...(templateId === undefined ? {} : { templateId }),
        projectUid: uid,
        name,
        description,
        owner: principal.serviceId,
      };
      const work = () => create(claim, (tx) => registry.createTemplate(tx, input), templateBody);
      return await withPointers([['/templateId', '/contractTemplateID']], work);
    },
    template: (principal, templateId) => template(principal, templateId, 'smart-contract-template:read'),
    async listSpecifications(principal, templateId) {
      const { uid } = await template(principal, templateId, 'smart-contract-template:read');
      return await registry.listSpecifications(uid);
    },
    async specification(principal, templateId, tag) {
      const { uid } = await template(principal, templateId, 'smart-contract-template:read');
      const found = await registry.specification(uid, tag);
      if (found === null) throw noSuch('version of the template');
      return found;
    },
    async createSpecification(principal, templateId, specification, claim) {
      const record = await template(principal, templateId, 'smart-contract-template:update');
      const { technology } = specification;
      const adapter = adapterFor(technology);
      const known = technologies.find((name) => name === technology);
      if (known === undefined)
        throw new Problem('no-plugin', `There is no ledger technology "${technology}".`);
      const text = specification.interface;
      const { interface: parsed } = await readInterface(adapter, text, '/compilationSpecification/abi');
      const input = { ...specification, technology: known, interface: parsed, templateUid: record.uid };
      const work = () =>
        create(
          claim,
          (tx) => registry.createSpecification(tx, input),
          (made) => specificationBody(made, record),
        );
      return await withPointers(specificationPointers, work);
    },
  };
}

/** What a plugin says of a text that it reads, at the text's place in the request. */
function refusalOf(error: unknown, pointer: string): Problem {
  const problem = problemFrom(error, () => pointer);
  return problem.problem === 'invalid-request' && problem.errors.length === 0
    ? invalidRequest([{ pointer, detail: problem.message }])
    : problem;
}
