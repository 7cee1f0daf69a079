import { z } from '@hono/zod-openapi';
import { invalidRequest, pagingParameters } from '@ledger-ops/base';
import type { ContractGroupRecord, ContractRegistry } from '@ledger-ops/registry';
import { created, noContent, ok } from '../../http/answer.ts';
import { given } from '../../http/given.ts';
import { pageKind } from '../../http/listing.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { longText, pathId, text } from '../../http/schemas.ts';
import { pageOf, pageOfSchema, pageQuery, pagingOf } from '../admin/cursor.ts';
import { ledgerProblems } from '../ledger-problems.ts';

const service = 'contract-registry';

const groupSchema = z.object({ groupId: z.string(), name: z.string() }).openapi('ContractGroup');
const ledgerReferenceSchema = z.strictObject({ ledgerId: text(64), nativeReference: text(256) });
const contractSchema = z
  .object({
    contractId: z.string(),
    groupId: z.string(),
    interface: z.string().openapi({ description: 'For Ethereum an ABI, as JSON text or human-readable.' }),
    interfaceOmitted: z.literal(true).optional().openapi({
      description:
        'True if `interface` is empty because the page already contains 32 MiB of interfaces; otherwise absent. To read it, get the contract by its id.',
    }),
    ledgerReference: z.object({ ledgerId: z.string(), nativeReference: z.string() }),
    name: z.string().openapi({ description: 'Display name; the contractId if none was given.' }),
  })
  .openapi('Contract');

const groupExample = { groupId: '019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c13', name: 'tokens' };
const referenceExample = {
  ledgerId: 'dev-ethereum',
  nativeReference: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
};
const contractExample = {
  contractId: '019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c12',
  groupId: groupExample.groupId,
  interface:
    '[{"type":"function","name":"totalSupply","inputs":[],"outputs":[{"type":"uint256"}],"stateMutability":"view"}]',
  ledgerReference: referenceExample,
  name: 'token',
};

// Read-only members of a record are accepted and ignored, so that a record can be read, changed and sent back.
const newGroupSchema = z
  .strictObject({ name: text(256), projectId: text(64).optional(), groupId: z.unknown().optional() })
  .openapi('CreateContractGroupBody');
const groupUpdateSchema = z
  .strictObject({
    name: text(256),
    projectId: z.unknown().optional(),
    groupId: z.unknown().optional(),
  })
  .openapi('ContractGroupUpdate');
const newContractSchema = z
  .strictObject({
    groupId: text(64).optional(),
    interface: longText(1_048_576)
      .optional()
      .openapi({ description: 'Optional if the ledger publishes it (Hyperledger Fabric).' }),
    ledgerReference: ledgerReferenceSchema,
    name: text(256).nullish(),
    contractId: z.unknown().optional(),
  })
  .openapi('CreateContractBody');

const contractUpdateSchema = z
  .strictObject({
    name: text(256).nullish().openapi({ description: 'Null if the name is the id.' }),
    interface: longText(1_048_576).optional(),
    groupId: z.unknown().optional(),
    contractId: z.unknown().optional(),
    ledgerReference: z.unknown().optional(),
  })
  .openapi('ContractUpdate');

const groupPage = pageKind('ContractGroupPage', groupSchema, 'A page of groups.');
const contractPage = pageKind('ContractPage', contractSchema, 'A page of contracts.');
const groupPath = z.object({ contractGroupId: pathId('Id of the group.') });

const contractPath = groupPath.extend({ smartContractId: pathId('Id of the contract.') });

/** Contract registry (specification, section 4.3). */
export function contractRegistryRoutes(registry: ContractRegistry): Route[] {
  return [...groupRoutes(registry), ...contractRoutes(registry), ...contractsOfAllGroups(registry)];
}

function groupRoutes(registry: ContractRegistry): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/v1/contract-groups',
      operationId: 'listContractGroups',
      summary: 'List contract groups',
      service,
      permission: { needs: 'contract-group:read', on: 'record' },
      query: z.strictObject({
        project: text(64).openapi({ description: 'Id of the project.' }),
        ...pagingParameters(['groupId', 'name', 'createdAt']),
      }),
      answers: groupPage.answers,
      async handle({ principal, query }) {
        const { project, ...paging } = query;
        return groupPage.answer(query, await registry.listGroups(principal, project, paging), groupBody);
      },
    }),
    defineRoute({
      method: 'post',
      path: '/v1/contract-groups',
      operationId: 'registerContractGroup',
      summary: 'Register a contract group',
      service,
      permission: { needs: 'contract-group:create', on: 'record' },
      body: jsonBody(newGroupSchema, { name: 'tokens', projectId: 'dev-project' }),
      creates: { present: (stored) => groupSchema.parse(stored) },
      answers: { 201: { description: 'The group.', schema: groupSchema, example: groupExample } },
      problems: ['not-found'],
      async handle({ principal, body, claim }) {
        const group = { name: body.name, projectId: body.projectId };
        return created(groupBody(await registry.createGroup(principal, group, claim)));
      },
    }),
    defineRoute({
      method: 'get',
      path: '/v1/contract-groups/{contractGroupId}',
      operationId: 'getContractGroup',
      summary: 'Get a contract group',
      service,
      permission: { needs: 'contract-group:read', on: 'record' },
      params: groupPath,
      answers: { 200: { description: 'The group.', schema: groupSchema, example: groupExample } },
      problems: ['not-found'],
      handle: async ({ principal, params }) =>
        ok(groupBody(await registry.group(principal, params.contractGroupId))),
    }),
    defineRoute({
      method: 'put',
      path: '/v1/contract-groups/{contractGroupId}',
      operationId: 'updateContractGroup',
      summary: 'Rename a contract group',
      service,
      permission: { needs: 'contract-group:update', on: 'record' },
      params: groupPath,
      body: jsonBody(groupUpdateSchema, { name: 'tokens' }),
      answers: { 200: { description: 'The group.', schema: groupSchema, example: groupExample } },
      problems: ['not-found'],
      handle: async ({ principal, params, body }) =>
        ok(groupBody(await registry.updateGroup(principal, params.contractGroupId, { name: body.name }))),
    }),
    defineRoute({
      method: 'delete',
      path: '/v1/contract-groups/{contractGroupId}',
      operationId: 'deleteContractGroup',
      summary: 'Delete a contract group',
      service,
      permission: { needs: 'contract-group:delete', on: 'record' },
      params: groupPath,
      answers: { 204: { description: 'Deleted.' } },
      problems: ['not-found', 'in-use'],
      async handle({ principal, params }) {
        await registry.deleteGroup(principal, params.contractGroupId);
        return noContent;
      },
    }),
  ];
}

function contractRoutes(registry: ContractRegistry): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/v1/contract-groups/{contractGroupId}/instances',
      operationId: 'listContracts',
      summary: 'List the contracts of a group',
      description:
        'A page has at most 32 MiB of interfaces. If it would have more, later contracts have `interfaceOmitted` and an empty `interface`.',
      service,
      permission: { needs: 'smart-contract-instance:read', on: 'record', also: ['contract-group:read'] },
      params: groupPath,
      query: z.strictObject(
        pagingParameters([
          'contractId',
          'groupId',
          'name',
          'interface',
          'ledgerId',
          'nativeReference',
          'createdAt',
        ]),
      ),
      answers: contractPage.answers,
      problems: ['not-found'],
      async handle({ principal, params, query }) {
        const found = await registry.listContracts(principal, params.contractGroupId, query);
        return contractPage.answer(query, found, contractBody);
      },
    }),
    defineRoute({
      method: 'post',
      path: '/v1/contract-groups/{contractGroupId}/instances',
      operationId: 'registerContract',
      contacts: ['ledger'],
      summary: 'Register a contract instance',
      service,
      permission: {
        needs: 'smart-contract-instance:create',
        on: 'record',
        also: ['contract-group:read', 'ledger:read'],
      },
      params: groupPath,
      body: jsonBody(
        newContractSchema,
        {
          groupId: groupExample.groupId,
          interface: contractExample.interface,
          ledgerReference: referenceExample,
          name: 'token',
        },
        'contract',
      ),
      creates: { present: (stored) => contractBody(storedContract.parse(stored)) },
      answers: { 201: { description: 'The contract.', schema: contractSchema, example: contractExample } },
      problems: ['not-found', 'unknown-contract', ...ledgerProblems],
      async handle({ principal, params, body, claim }) {
        const groupId = params.contractGroupId;
        if (body.groupId !== undefined && body.groupId !== groupId) {
          throw invalidRequest([{ pointer: '/groupId', detail: 'is not the group in the path' }]);
        }
        const { interface: text, ledgerReference, name } = body;
        const given = text === undefined ? {} : { interface: text };
        const contract = { groupId, ...given, ledgerReference, name: name ?? null };
        return created(contractBody(await registry.createContract(principal, contract, claim)));
      },
    }),
    defineRoute({
      method: 'get',
      path: '/v1/contract-groups/{contractGroupId}/instances/{smartContractId}',
      operationId: 'getContract',
      summary: 'Get a contract',
      service,
      permission: { needs: 'smart-contract-instance:read', on: 'record' },
      params: contractPath,
      answers: { 200: { description: 'The contract.', schema: contractSchema, example: contractExample } },
      problems: ['not-found'],
      handle: async ({ principal, params }) =>
        ok(contractBody(await registry.contract(principal, params.contractGroupId, params.smartContractId))),
    }),
    defineRoute({
      method: 'put',
      path: '/v1/contract-groups/{contractGroupId}/instances/{smartContractId}',
      operationId: 'updateContract',
      contacts: ['ledger'],
      summary: 'Change a contract',
      description: 'Changes name and interface; absent members remain unchanged. The address cannot change.',
      service,
      permission: { needs: 'smart-contract-instance:update', on: 'record' },
      params: contractPath,
      body: jsonBody(
        contractUpdateSchema,
        { name: 'token', interface: contractExample.interface },
        'contract',
      ),
      answers: { 200: { description: 'The contract.', schema: contractSchema, example: contractExample } },
      problems: ['not-found', ...ledgerProblems],
      async handle({ principal, params: { contractGroupId, smartContractId }, body }) {
        const change = given({ name: body.name, interface: body.interface });
        return ok(
          contractBody(await registry.updateContract(principal, contractGroupId, smartContractId, change)),
        );
      },
    }),
    defineRoute({
      method: 'delete',
      path: '/v1/contract-groups/{contractGroupId}/instances/{smartContractId}',
      operationId: 'deleteContract',
      summary: 'Delete a contract',
      description: 'Deletes the contract from the registry, not from the ledger.',
      service,
      permission: { needs: 'smart-contract-instance:delete', on: 'record' },
      params: contractPath,
      answers: { 204: { description: 'Deleted.' } },
      problems: ['not-found', 'in-use'],
      async handle({ principal, params: { contractGroupId, smartContractId } }) {
        await registry.deleteContract(principal, contractGroupId, smartContractId);
        return noContent;
      },
    }),
  ];
}

/**
 * Adds two operations to the specification: they list and find contracts of all groups, by the ids that actions and
 * calls use.
 */
function contractsOfAllGroups(registry: ContractRegistry): Route[] {
  const path = '/v1/contracts';
  const permission = { needs: 'smart-contract-instance:read', on: 'record' } as const;
  return [
    defineRoute({
      method: 'get',
      path,
      operationId: 'listContractsOfProject',
      summary: 'List the contracts of a project',
      description:
        'Registered and deployed contracts of all its groups. A page has at most 32 MiB of interfaces. If it would have more, later contracts have `interfaceOmitted` and an empty `interface`.',
      service,
      permission,
      query: z.strictObject({
        ...pageQuery,
        projectId: text(64).optional().openapi({ description: 'Default: the caller’s project.' }),
      }),
      answers: { 200: { description: 'A page.', schema: pageOfSchema('ContractList', contractSchema) } },
      async handle({ principal, query: { projectId, ...page } }) {
        const query = pagingOf(page);
        const found = await registry.contractsOfProject(principal, projectId, query);
        return ok(pageOf(found, contractBody));
      },
    }),
    defineRoute({
      method: 'get',
      path: `${path}/{smartContractId}`,
      operationId: 'findContract',
      summary: 'Find a contract by its id',
      description: 'Searches all groups. The response names the group.',
      service,
      permission,
      params: z.object({ smartContractId: pathId('Id of the contract.') }),
      answers: { 200: { description: 'The contract.', schema: contractSchema, example: contractExample } },
      problems: ['not-found'],
      handle: async ({ principal, params: { smartContractId } }) =>
        ok(contractBody(await registry.findContract(principal, smartContractId))),
    }),
  ];
}

/** Returns the contract group (specification, section 2.5). */
function groupBody({ groupId, name }: ContractGroupRecord) {
  return { groupId, name };
}

/** The part of a record that is stored with an Idempotency-Key, for retries. */
const storedContract = z.object({
  contractId: z.string(),
  groupId: z.string(),
  interface: z.string(),
  name: z.string(),
  ledgerId: z.string(),
  nativeReference: z.string(),
});

/** Returns the contract (specification, section 2.5). */
function contractBody(contract: z.infer<typeof storedContract> & { readonly interfaceOmitted?: true }) {
  const { contractId, groupId, ledgerId, nativeReference, name } = contract;
  return {
    contractId,
    groupId,
    interface: contract.interface,
    ...(contract.interfaceOmitted === true ? { interfaceOmitted: true as const } : {}),
    ledgerReference: { ledgerId, nativeReference },
    name,
  };
}
