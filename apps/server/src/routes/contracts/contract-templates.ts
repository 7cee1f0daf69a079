import { z } from '@hono/zod-openapi';
import { invalidRequest } from '@ledger-ops/base';
import type { CodeForm, SmartContracts, SpecificationInput } from '@ledger-ops/registry';
import { created, ok } from '../../http/answer.ts';
import { pageKind } from '../../http/listing.ts';
import { type PointerMap, withPointers } from '../../http/problems/pointers.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { longText, pathId, technologyName, text } from '../../http/schemas.ts';
import { listingOfProject } from '../ledgers/properties.ts';
import { codeOf, type VersionCode } from './template-code.ts';
import { compilerMessages } from './templates.ts';

const service = 'older-contract-registry';

/** The old contract template of section 2.9. */
const templateSchema = z
  .object({
    contractTemplateID: z.string(),
    description: z.string().nullable(),
    id: z.int(),
    name: z.string(),
    resourceId: z.string(),
  })
  .openapi('OldContractTemplate');
const technologySchema = z.object({ id: z.int(), ledgerTechnologyID: z.string() });
/** The old contract specification of section 2.9. */
export const specificationSchema = z
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
    compilationMessages: compilerMessages,
  })
  .openapi('OldContractSpecification');

const newTemplateSchema = z
  .object({
    contractTemplateID: text(64).nullish().openapi({ description: 'Generated when absent.' }),
    name: text(256),
    description: text(4096, 0).nullish(),
    projectId: text(64)
      .nullish()
      .openapi({ description: 'Absent: the project of the caller’s application.' }),
  })
  .openapi('CreateOldContractTemplateBody');
const sources = z.union([longText(10_485_760), z.record(z.string().max(256), z.unknown())]);
const newSpecificationSchema = z
  .object({
    tag: text(64),
    compilationSpecification: sources.nullish().openapi({
      type: ['string', 'null'],
      description:
        'Compiled output: JSON text, or the object itself, with abi and bytecode as solc, Hardhat or Foundry write them. Sources are taken here too. Where code is a package (`GET /v1/technologies`): the .tar.gz in base64, or an object with it in package, and the interface, such as contract metadata, in interface; other code: a text, or in code.',
    }),
    preCompilationSpecification: sources.nullish().openapi({
      type: ['string', 'null'],
      description:
        'Sources that are compiled here: Solidity, or the compiler’s Standard JSON. Imports come from the sources and from @openzeppelin/contracts.',
    }),
    contract: text(512).nullish().openapi({
      description: 'Which contract of the sources: `Name` or `File.sol:Name`; absent: the only one.',
    }),
    compilationLanguage: text(64).nullish(),
    targetCompilationVersion: text(64)
      .nullish()
      .openapi({ description: 'With sources: versions of the compiler that will do, such as `^0.8.26`.' }),
    description: text(4096, 0).nullish(),
    ledgerTechnology: z.object({ ledgerTechnologyID: technologyName() }).nullish(),
  })
  .openapi('CreateOldContractSpecificationBody');

const templatePath = z.object({ templateId: pathId('Id of the template.') });
const templatePage = pageKind('ContractTemplatePage', templateSchema, 'A page of templates.');
const readPermission = { needs: 'smart-contract-template:read', on: 'record' } as const;
const specificationAnswer = { 200: { description: 'The version.', schema: specificationSchema } };

/** Templates and their versions, of the older contract registry. */
export function contractTemplateRoutes(registry: SmartContracts): Route[] {
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
      query: z.object(
        listingOfProject(['id', 'contractTemplateID', 'name', 'description', 'resourceId', 'createdAt']),
      ),
      answers: templatePage.answers,
      handle: async ({ principal, query }) =>
        templatePage.answer(query, await registry.listTemplates(principal, query)),
    }),
  ];
}

function specificationRoutes(registry: SmartContracts): Route[] {
  return [
    defineRoute({
      method: 'post',
      path: '/v1/smart-contracts/templates/{templateId}/specifications',
      operationId: 'createSpecification',
      summary: 'Create a version of a template',
      description:
        'Of sources it is PENDING until it is COMPILED or FAILED, with what the compiler said in compilationMessages; of compiled output it is COMPILED at once.',
      service,
      permission: { needs: 'smart-contract-template:update', on: 'record' },
      deprecated: true,
      params: templatePath,
      body: jsonBody(
        newSpecificationSchema,
        {
          tag: '1',
          compilationLanguage: 'Solidity',
          preCompilationSpecification:
            'pragma solidity ^0.8.26; contract Answer { uint256 public constant value = 42; }',
        },
        'contract',
      ),
      creates: { present: (stored) => stored },
      answers: { 201: { description: 'The version.', schema: specificationSchema } },
      problems: ['already-exists', 'not-found', 'no-plugin', 'plugin-fault', 'too-many-requests'],
      async handle({ principal, params: { templateId }, body, claim }) {
        const { tag, description = null, ledgerTechnology = null } = body;
        const form = await registry.codeForm(principal, templateId, { ledgerTechnology });
        const { contents, pointers } = await contentsOf(body, form);
        const { compilationLanguage = null, targetCompilationVersion = null } = body;
        const version = { tag, description, ledgerTechnology, compilationLanguage, targetCompilationVersion };
        return await withPointers(pointers, async () =>
          created(
            await registry.createSpecification(principal, templateId, { ...version, ...contents }, claim),
          ),
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

/** A version's sources in a body, and where the registry's names for them stand there. */
async function contentsOf(
  body: z.output<typeof newSpecificationSchema>,
  form: CodeForm,
): Promise<{ contents: VersionCode & Pick<SpecificationInput, 'contract'>; pointers: PointerMap }> {
  const { compilationSpecification = null, preCompilationSpecification = null, contract = null } = body;
  if (compilationSpecification === null) {
    return { contents: { preCompilationSpecification, contract }, pointers: [] };
  }
  const pointer = '/compilationSpecification';
  const code = await codeOf(compilationSpecification, form, pointer);
  if (code.compiled) return { contents: { ...code, preCompilationSpecification, contract }, pointers: [] };
  const both = preCompilationSpecification !== null;
  if (both) throw invalidRequest([{ pointer, detail: 'holds sources, too' }]);
  return { contents: { ...code, contract }, pointers: [['/preCompilationSpecification', pointer]] };
}
