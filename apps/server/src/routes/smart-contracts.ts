import { z } from '@hono/zod-openapi';
import { technologies } from '@ledger-ops/glo-core';
import type { SmartContracts } from '@ledger-ops/registry';
import { created, ok } from '../http/answer.ts';
import { pageBody, pageSchema, pagingParameters } from '../http/paging.ts';
import { defineRoute, jsonBody, type Route } from '../http/route.ts';
import { longText, pathId, text } from '../http/schemas.ts';
import { readCompiledOutput } from './compiled-output.ts';

const service = 'older-contract-registry';

const templateSchema = z
  .object({
    contractTemplateID: z.string(),
    description: z.string().nullable(),
    id: z.int(),
    name: z.string(),
    resourceId: z.string(),
  })
  .openapi('OldContractTemplate');
const technologySchema = z.object({ id: z.int(), ledgerTechnologyID: z.enum(technologies) });
const specificationSchema = z
  .object({
    checksum: z.string().openapi({ description: 'SHA-256 of code and interface.' }),
    compilationLanguage: z.string().nullable(),
    compilationSpecification: z.string().nullable().openapi({
      description: 'Compiled output, JSON text; null until it is compiled.',
    }),
    compilationStatus: z.enum(['COMPILED', 'PENDING', 'FAILED']),
    contractTemplate: templateSchema,
    dateCreated: z.int().openapi({ description: 'Milliseconds since the epoch.' }),
    dateUpdated: z.int(),
    description: z.string().nullable(),
    hasPreprocessing: z.boolean(),
    id: z.int(),
    ledgerTechnology: technologySchema,
    preCompilationSpecification: z.string().nullable(),
    tag: z.string().openapi({ description: 'The version; a deployment names template:tag.' }),
    targetCompilationVersion: z.string().nullable(),
    compilationMessages: z
      .array(
        z.object({
          severity: z.enum(['error', 'warning', 'info']),
          message: z.string(),
          file: z.string().nullable(),
          line: z.int().nullable(),
          column: z.int().nullable(),
        }),
      )
      .openapi({ description: 'What the compiler said.' }),
  })
  .openapi('OldContractSpecification');

const chosenId = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,64}$/, 'must be 1 to 64 letters, digits, dots, hyphens or underscores');
const newTemplateSchema = z
  .object({
    contractTemplateID: chosenId.nullish().openapi({ description: 'Generated when absent.' }),
    name: text(256),
    description: text(4096, 0).nullish(),
    projectId: text(64)
      .nullish()
      .openapi({ description: 'Absent: the project of the caller’s application.' }),
  })
  .openapi('NewOldContractTemplate');
const newSpecificationSchema = z
  .object({
    tag: chosenId,
    compilationSpecification: z.union([longText(5_242_880), z.record(z.string(), z.unknown())]).openapi({
      type: 'string',
      description:
        'Compiled output: JSON text, or the object itself, with abi and bytecode as solc, Hardhat or Foundry write them.',
    }),
    compilationLanguage: text(64).nullish(),
    targetCompilationVersion: text(64).nullish(),
    description: text(4096, 0).nullish(),
    ledgerTechnology: z.object({ ledgerTechnologyID: z.enum(technologies) }).nullish(),
  })
  .openapi('NewOldContractSpecification');

const templatePath = z.object({ templateId: pathId('Id of the template.') });
const readPermission = { needs: 'smart-contract-template:read', on: 'record' } as const;
const specificationAnswer = { 200: { description: 'The version.', schema: specificationSchema } };

/** Templates and their versions, from the older contract registry. */
export function smartContractRoutes(registry: SmartContracts): Route[] {
  return [...templateRoutes(registry), ...specificationRoutes(registry)];
}

function templateRoutes(registry: SmartContracts): Route[] {
  return [
    defineRoute({
      method: 'post',
      path: '/v1/smart-contracts/templates',
      operationId: 'createTemplate',
      summary: 'Create a contract template',
      service,
      permission: { needs: 'smart-contract-template:create', on: 'record' },
      deprecated: true,
      body: jsonBody(newTemplateSchema, {
        contractTemplateID: 'dev-token',
        name: 'Token',
        description: 'A small token',
      }),
      creates: { present: (stored) => stored },
      answers: { 201: { description: 'The template.', schema: templateSchema } },
      problems: ['already-exists', 'not-found'],
      async handle({ principal, body, claim }) {
        const { contractTemplateID = null, name, description = null, projectId = null } = body;
        const template = { contractTemplateID, name, description, projectId };
        return created(await registry.createTemplate(principal, template, claim));
      },
    }),
    defineRoute({
      method: 'get',
      path: '/v1/smart-contracts/templates',
      operationId: 'listTemplates',
      summary: 'List the templates of a project',
      service,
      permission: readPermission,
      deprecated: true,
      query: z.object({
        project: text(64).openapi({ description: 'Id of the project.' }),
        resourceId: text(256, 0).optional().openapi({ description: 'Exactly this template; empty: all.' }),
        ...pagingParameters(['id', 'contractTemplateID', 'name', 'resourceId', 'createdAt']),
      }),
      answers: {
        200: {
          description: 'A page of templates.',
          schema: pageSchema('ContractTemplatePage', templateSchema),
        },
      },
      async handle({ principal, query }) {
        const { items, total } = await registry.listTemplates(principal, query);
        return ok(pageBody('ContractTemplatePage', query, total, items));
      },
    }),
  ];
}

function specificationRoutes(registry: SmartContracts): Route[] {
  return [
    defineRoute({
      method: 'post',
      path: '/v1/smart-contracts/templates/{templateId}/specifications',
      operationId: 'createSpecification',
      summary: 'Store a version of a template: already compiled output',
      service,
      permission: { needs: 'smart-contract-template:update', on: 'record' },
      deprecated: true,
      params: templatePath,
      body: jsonBody(newSpecificationSchema, {
        tag: '1',
        compilationLanguage: 'Solidity',
        compilationSpecification: '{"abi":[],"bytecode":"0x6000"}',
      }),
      creates: { present: (stored) => stored },
      answers: { 201: { description: 'The version.', schema: specificationSchema } },
      problems: ['already-exists', 'not-found', 'no-plugin'],
      async handle({ principal, params, body, claim }) {
        const compiled = readCompiledOutput(body.compilationSpecification, '/compilationSpecification');
        const { tag, description = null, ledgerTechnology = null } = body;
        const { compilationLanguage = null, targetCompilationVersion = null } = body;
        const version = { tag, description, ledgerTechnology, compilationLanguage, targetCompilationVersion };
        const { templateId } = params;
        return created(
          await registry.createSpecification(principal, templateId, { ...version, compiled }, claim),
        );
      },
    }),
    defineRoute({
      method: 'get',
      path: '/v1/smart-contracts/templates/{templateId}/specifications',
      operationId: 'listSpecifications',
      summary: 'List the versions of a template',
      service,
      permission: readPermission,
      deprecated: true,
      params: templatePath,
      answers: { 200: { description: 'The versions, oldest first.', schema: z.array(specificationSchema) } },
      problems: ['not-found'],
      handle: async ({ principal, params }) =>
        ok(await registry.listSpecifications(principal, params.templateId)),
    }),
    defineRoute({
      method: 'get',
      path: '/v1/smart-contracts/templates/{templateId}/specifications/{tag}',
      operationId: 'getSpecification',
      summary: 'Get a version of a template',
      service,
      permission: readPermission,
      deprecated: true,
      params: templatePath.extend({ tag: pathId('Tag of the version.') }),
      answers: specificationAnswer,
      problems: ['not-found'],
      handle: async ({ principal, params }) =>
        ok(await registry.specification(principal, params.templateId, params.tag)),
    }),
  ];
}
