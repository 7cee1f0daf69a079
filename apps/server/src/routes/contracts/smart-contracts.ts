import { z } from '@hono/zod-openapi';
import { Problem } from '@ledger-ops/base';
import type { GivenProperty, SmartContracts } from '@ledger-ops/registry';
import { created, ok } from '../../http/answer.ts';
import { pageKind } from '../../http/listing.ts';
import { type PointerMap, remapProblem, withPointers } from '../../http/problems/pointers.ts';
import { type BodySpec, defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { pathId, text } from '../../http/schemas.ts';
import { idAndNameSchema, listingOfProject, propertyTypeSchema } from '../ledgers/properties.ts';
import { specificationSchema } from './contract-templates.ts';

const service = 'older-contract-registry';

const int64 = z.int().openapi({ format: 'int64' });
const contractSchema = z
  .object({
    compilationDetails: z
      .string()
      .nullable()
      .openapi({ description: 'JSON text: status, language and checksum of its version.' }),
    compileVersion: z.string().nullable(),
    contractInstanceID: z.string(),
    contractSpecification: z.union([specificationSchema, z.null()]),
    id: int64,
    ledgerID: z.string(),
    name: z.string(),
    properties: z.array(
      z.object({
        id: int64,
        type: propertyTypeSchema,
        value: z.unknown().openapi({ description: 'Any JSON value.' }),
      }),
    ),
    resourceId: z.string(),
    types: z.array(idAndNameSchema),
  })
  .openapi('OldContract');
const tokenSchema = z
  .object({
    contractInstance: contractSchema,
    id: int64,
    name: z.string(),
    resourceId: z.string(),
    ticker: z.string(),
    tokenID: z.string(),
  })
  .openapi('OldToken');

const properties = z
  .array(
    z
      .object({ type: z.object({ name: z.string().max(256) }), value: z.unknown() })
      .openapi('GivenContractProperty'),
  )
  .max(256);
const projectId = text(64)
  .nullish()
  .openapi({ description: 'Absent: the project of the caller’s application.' });
const newContractSchema = z
  .object({
    contractInstanceID: text(64).nullish().openapi({ description: 'Generated when absent.' }),
    ledgerID: text(64),
    name: text(200).nullish(),
    contractSpecification: z
      .union([
        z.int(),
        z.object({
          id: z.int().nullish(),
          tag: z.string().max(256).nullish(),
          contractTemplate: z.object({ contractTemplateID: z.string().max(256) }).nullish(),
        }),
      ])
      .nullish()
      .openapi({ description: 'The version that it was made from, by its id or by template and tag.' }),
    properties: properties.nullish().openapi({
      description: '`address`: where it is on its ledger. Without a version, `abi`: its interface.',
    }),
    types: z
      .array(z.object({ name: z.string().max(256) }))
      .max(256)
      .nullish(),
    projectId,
  })
  .openapi('CreateOldContractBody');
const newTokenSchema = z
  .object({
    tokenID: text(64).nullish().openapi({ description: 'Generated when absent.' }),
    name: text(200),
    ticker: text(32),
    contractInstance: z.object({ contractInstanceID: text(256) }),
    projectId,
  })
  .openapi('CreateOldTokenBody');

const address = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
const contractAnswer = { 200: { description: 'The contract.', schema: contractSchema } };
const contractPath = z.object({ smartContractId: pathId('Id of the contract.') });
const contractPage = pageKind('SmartContractPage', contractSchema, 'A page of contracts.');
const read = { needs: 'smart-contract-instance:read', on: 'record' } as const;

/** Contracts and tokens of the older contract registry. */
export function smartContractRoutes(registry: SmartContracts): Route[] {
  return [...contractRoutes(registry), tokenRoute(registry)];
}

function contractRoutes(registry: SmartContracts): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/v1/smart-contracts',
      operationId: 'listSmartContracts',
      summary: 'List the contracts of a project',
      description: 'Those that were registered, and those that were deployed from a template.',
      service,
      permission: read,
      deprecated: true,
      query: z.object(
        listingOfProject([
          ...['id', 'contractInstanceID', 'name', 'ledgerID', 'resourceId'],
          ...['compilationDetails', 'compileVersion'],
        ]),
      ),
      answers: contractPage.answers,
      handle: async ({ principal, query }) =>
        contractPage.answer(query, await registry.list(principal, query)),
    }),
    defineRoute({
      method: 'post',
      path: '/v1/smart-contracts',
      operationId: 'registerSmartContract',
      summary: 'Register a version of a contract',
      service,
      permission: {
        needs: 'smart-contract-instance:create',
        on: 'record',
        also: ['ledger:read', 'smart-contract-template:read'],
      },
      deprecated: true,
      body: jsonBody(newContractSchema, {
        ledgerID: 'dev-ethereum',
        name: 'Token',
        contractSpecification: { tag: '1', contractTemplate: { contractTemplateID: 'dev-token' } },
        properties: [{ type: { name: 'address' }, value: address }],
        types: [{ name: 'ERC20' }],
      }),
      creates: { present: (stored) => stored },
      answers: { 201: { description: 'The contract.', schema: contractSchema } },
      problems: ['already-exists', 'conflict', 'not-found', 'no-plugin'],
      handle: async ({ principal, body, claim }) =>
        created(await registry.register(principal, given(body), claim)),
    }),
    defineRoute({
      method: 'get',
      path: '/v1/smart-contracts/{smartContractId}',
      operationId: 'getSmartContract',
      summary: 'Get a contract by its id',
      service,
      permission: read,
      deprecated: true,
      params: contractPath,
      answers: contractAnswer,
      problems: ['not-found'],
      handle: async ({ principal, params }) => ok(await registry.get(principal, params.smartContractId)),
    }),
    defineRoute({
      method: 'put',
      path: '/v1/smart-contracts/{smartContractId}/properties',
      operationId: 'updateSmartContractProperties',
      summary: 'Replace the properties of a contract',
      description: 'The address stays, whether it is given or not.',
      service,
      permission: { needs: 'smart-contract-instance:update', on: 'record' },
      deprecated: true,
      params: contractPath,
      body: propertiesBody,
      answers: contractAnswer,
      problems: ['not-found'],
      handle: async ({ principal, params, body: { list, places } }) =>
        await withPointers(places, async () =>
          ok(await registry.updateProperties(principal, params.smartContractId, list)),
        ),
    }),
  ];
}

function tokenRoute(registry: SmartContracts): Route {
  return defineRoute({
    method: 'post',
    path: '/v1/smart-contracts/tokens',
    operationId: 'registerToken',
    summary: 'Register a token',
    service,
    permission: { needs: 'ledger-token:create', on: 'record', also: ['smart-contract-instance:read'] },
    deprecated: true,
    body: jsonBody(newTokenSchema, {
      name: 'My Token',
      ticker: 'MINE',
      contractInstance: { contractInstanceID: '019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c12' },
    }),
    creates: { present: (stored) => stored },
    answers: { 201: { description: 'The token.', schema: tokenSchema } },
    problems: ['already-exists', 'not-found'],
    async handle({ principal, body, claim }) {
      const { tokenID = null, name, ticker, contractInstance, projectId: project = null } = body;
      const token = { tokenID, name, ticker, contractInstance, projectId: project };
      return created(await registry.registerToken(principal, token, claim));
    },
  });
}

interface GivenProperties {
  readonly list: GivenProperty[];
  /** Where the list stands in the body. */
  readonly places: PointerMap;
}

const objectBody = jsonBody(z.object({ properties }));

/** `{properties}` or the list itself. */
const propertiesBody: BodySpec<GivenProperties> = {
  type: 'application/json',
  schema: z
    .union([z.object({ properties }), properties])
    .openapi('OldContractProperties', { description: 'An object with them, or the list itself.' }),
  example: { properties: [{ type: { name: 'decimals' }, value: 18 }] },
  read(input) {
    const places: PointerMap = Array.isArray(input) ? [['/properties', '']] : [];
    try {
      return {
        list: objectBody.read(Array.isArray(input) ? { properties: input } : input).properties,
        places,
      };
    } catch (error) {
      throw error instanceof Problem ? remapProblem(error, places) : error;
    }
  },
};

function given({ contractSpecification: reference = null, ...body }: z.output<typeof newContractSchema>) {
  const { contractInstanceID = null, ledgerID, name = null, projectId: project = null } = body;
  const { properties: list = null, types = null } = body;
  const named = typeof reference === 'object' && reference !== null;
  return {
    ...{ contractInstanceID, ledgerID, name, projectId: project, properties: list, types },
    contractSpecification: named
      ? {
          ...{ id: reference.id ?? null, tag: reference.tag ?? null },
          contractTemplate: reference.contractTemplate ?? null,
        }
      : reference,
  };
}
