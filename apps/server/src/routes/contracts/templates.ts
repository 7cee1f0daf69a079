import { z } from '@hono/zod-openapi';
import type { SmartContracts, SpecificationView, TemplateView } from '@ledger-ops/registry';
import { ok } from '../../http/answer.ts';
import { type PointerMap, withPointers } from '../../http/problems/pointers.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { longText, pathId, technologyName, text } from '../../http/schemas.ts';
import { rfc3339 } from '../../present/dates.ts';
import { at, creation } from '../administration/creation.ts';
import { listed, pageOf, pageOfSchema, pageQuery, pagingOf } from '../administration/cursor.ts';
import { chosenId, ofProject, recordName } from '../ledgers/properties.ts';
import { contractParameterSchema } from './contract-methods.ts';
import { codeOf } from './template-code.ts';

const service = 'contract-registry';
const path = '/v1/contract-templates';
const versionsPath = `${path}/{templateId}/versions` as const;
const params = z.object({ templateId: pathId('Id of the template.') });
const versionParams = params.extend({ version: pathId('Name of the version.') });
const read = { needs: 'smart-contract-template:read', on: 'record' } as const;

const templateSchema = z
  .object({ templateId: z.string(), name: z.string(), description: z.string().nullable() })
  .openapi('ContractTemplate');
function templateBody({ contractTemplateID: templateId, name, description }: TemplateView) {
  return { templateId, name, description };
}

/** Lines of a compiler, with their places. */
export const compilerMessages = z
  .array(
    z
      .object({
        severity: z.enum(['error', 'warning', 'info']),
        message: z.string(),
        file: z.string().nullable(),
        line: z.int().nullable(),
        column: z.int().nullable(),
      })
      .openapi('CompilerMessage'),
  )
  .openapi({ description: 'What the compiler said.' });
const time = z.string().openapi({ format: 'date-time' });
const summary = {
  templateId: z.string(),
  version: z.string().openapi({ description: 'A deployment names `templateId:version`.' }),
  ...{ technology: z.string(), description: z.string().nullable() },
  status: z.enum(['PENDING', 'COMPILED', 'FAILED']).openapi({
    description: 'Of sources PENDING until they are compiled; only what is COMPILED is deployed.',
  }),
  messages: compilerMessages,
  language: z.string().nullable(),
  compilerVersion: z.string().nullable(),
  checksum: z.string().openapi({ description: 'SHA-256 of code and interface; empty until it is compiled.' }),
  ...{ createdAt: time, updatedAt: time },
};
const summarySchema = z.object(summary).openapi('ContractTemplateVersionSummary');
function summaryBody(version: SpecificationView) {
  const { description, checksum, compilationStatus: status, compilationMessages: messages } = version;
  return {
    ...{ templateId: version.contractTemplate.contractTemplateID, version: version.tag },
    ...{ technology: version.ledgerTechnology.ledgerTechnologyID, description, status, messages },
    ...{ language: version.compilationLanguage, compilerVersion: version.targetCompilationVersion },
    ...{ checksum, createdAt: rfc3339(version.dateCreated), updatedAt: rfc3339(version.dateUpdated) },
  };
}

const versionSchema = z
  .object({
    ...summary,
    sources: z.string().nullable().openapi({
      description: 'As they were given, as the compiler’s Standard JSON; null where compiled output was.',
    }),
    compiled: z.string().nullable().openapi({
      description:
        'Compiled output, JSON text; of a package its label, type and id. Null until it is compiled.',
    }),
  })
  .openapi('ContractTemplateVersion');
function versionBody(version: SpecificationView) {
  const { preCompilationSpecification: sources, compilationSpecification: compiled } = version;
  return { ...summaryBody(version), sources, compiled };
}

const constructorSchema = z
  .object({
    inputs: z
      .array(contractParameterSchema)
      .nullable()
      .openapi({ description: 'Null: nothing tells them, as of sources that are not compiled.' }),
  })
  .openapi('ContractConstructor');

const newTemplateSchema = z
  .strictObject({
    ...{ templateId: chosenId.optional(), name: recordName },
    ...{ description: text(4096, 0).nullish(), projectId: ofProject.optional() },
  })
  .openapi('CreateContractTemplateBody');
const newVersionSchema = z
  .strictObject({
    version: text(64),
    code: z.union([longText(10_485_760), z.record(z.string().max(256), z.unknown())]).openapi({
      type: ['string', 'object'],
      description:
        'Sources: Solidity, or the compiler’s Standard JSON; imports come from the sources and from @openzeppelin/contracts. Or compiled output, JSON or its text, with abi and bytecode as solc, Hardhat and Foundry write them. Where code is a package (`GET /v1/technologies`): the .tar.gz in base64, or an object with it in `package` and the interface, such as contract metadata, in `interface`. Other code: a text, or an object with it in `code` and the interface in `interface`.',
    }),
    contract: text(512).optional().openapi({
      description: 'Which contract of the sources: `Name` or `File.sol:Name`; absent: the only one.',
    }),
    compilerVersion: text(64).optional().openapi({
      description: 'With sources: versions of the compiler that will do, such as `^0.8.26`.',
    }),
    technology: technologyName()
      .optional()
      .openapi({ description: 'Absent: the first of `GET /v1/technologies` that is compiled here.' }),
    description: text(4096, 0).nullish(),
  })
  .openapi('CreateContractTemplateVersionBody');

/** Templates and their versions by current paths, over the same functions as the older ones. */
export function templateRoutes(registry: SmartContracts): Route[] {
  return [...collection(registry), ...versions(registry), constructorRoute(registry)];
}

function collection(registry: SmartContracts): Route[] {
  const { answer, ...created } = creation(templateSchema, templateBody, ({ contractTemplateID }) =>
    at(path, contractTemplateID),
  );
  return [
    defineRoute({
      method: 'get',
      path,
      operationId: 'listContractTemplates',
      summary: 'List the contract templates of a project',
      service,
      permission: read,
      query: z.strictObject({
        ...pageQuery,
        projectId: text(64).optional().openapi({ description: 'Absent: that of the caller.' }),
      }),
      answers: {
        200: { description: 'A page.', schema: pageOfSchema('ContractTemplateList', templateSchema) },
      },
      async handle({ principal, query: { projectId, ...page } }) {
        const query = { ...pagingOf(page), project: projectId };
        return ok(pageOf(listed(await registry.listTemplates(principal, query)), templateBody));
      },
    }),
    defineRoute({
      method: 'post',
      path,
      operationId: 'createContractTemplate',
      summary: 'Create a contract template',
      description: 'Contracts are deployed from its versions, which are added to it.',
      service,
      permission: { needs: 'smart-contract-template:create', on: 'record' },
      body: jsonBody(newTemplateSchema, { templateId: 'dev-token', name: 'Token' }),
      ...created,
      problems: ['already-exists', 'not-found'],
      handle: ({ principal, body: { templateId = null, ...template }, claim }) =>
        withPointers([['/contractTemplateID', '/templateId']], async () => {
          const { name, description = null, projectId = null } = template;
          const input = { contractTemplateID: templateId, name, description, projectId };
          return answer(await registry.createTemplate(principal, input, claim));
        }),
    }),
    defineRoute({
      method: 'get',
      path: `${path}/{templateId}`,
      operationId: 'getContractTemplate',
      summary: 'Get a contract template',
      service,
      permission: read,
      params,
      answers: { 200: { description: 'The template.', schema: templateSchema } },
      problems: ['not-found'],
      handle: async ({ principal, params: { templateId } }) =>
        ok(templateBody(await registry.template(principal, templateId))),
    }),
  ];
}

function versions(registry: SmartContracts): Route[] {
  const { answer, ...created } = creation(versionSchema, versionBody, ({ contractTemplate, tag }) =>
    at(`${at(path, contractTemplate.contractTemplateID)}/versions`, tag),
  );
  return [
    defineRoute({
      method: 'get',
      path: versionsPath,
      operationId: 'listContractTemplateVersions',
      summary: 'List the versions of a contract template, oldest first',
      service,
      permission: read,
      params,
      query: z.strictObject(pageQuery),
      answers: {
        200: {
          description: 'A page, without sources and compiled output.',
          schema: pageOfSchema('ContractTemplateVersionList', summarySchema),
        },
      },
      problems: ['not-found'],
      async handle({ principal, params: { templateId }, query: page }) {
        const query = pagingOf(page);
        const found = await registry.pageOfSpecifications(principal, templateId, query);
        return ok(pageOf(listed(found), summaryBody));
      },
    }),
    defineRoute({
      method: 'post',
      path: versionsPath,
      operationId: 'createContractTemplateVersion',
      summary: 'Add a version to a contract template',
      description:
        'Of sources it is PENDING until it is COMPILED or FAILED, with what the compiler said in `messages`; of compiled output it is COMPILED at once. A version never changes.',
      service,
      permission: { needs: 'smart-contract-template:update', on: 'record' },
      params,
      body: jsonBody(
        newVersionSchema,
        {
          version: '1',
          code: 'pragma solidity ^0.8.26; contract Answer { uint256 public constant value = 42; }',
        },
        'contract',
      ),
      ...created,
      problems: ['already-exists', 'not-found', 'no-plugin', 'plugin-fault', 'too-many-requests'],
      async handle({ principal, params: { templateId }, body, claim }) {
        const { version: tag, code, contract = null, compilerVersion = null, description = null } = body;
        const { technology } = body;
        const ledgerTechnology = technology === undefined ? null : { ledgerTechnologyID: technology };
        const version = { tag, description, ledgerTechnology, targetCompilationVersion: compilerVersion };
        return await withPointers(places, async () => {
          const form = await registry.codeForm(principal, templateId, { ledgerTechnology });
          const input = { ...version, contract, ...(await codeOf(code, form, '/code')) };
          return answer(await registry.createSpecification(principal, templateId, input, claim));
        });
      },
    }),
    defineRoute({
      method: 'get',
      path: `${versionsPath}/{version}`,
      operationId: 'getContractTemplateVersion',
      summary: 'Get a version of a contract template',
      service,
      permission: read,
      params: versionParams,
      answers: { 200: { description: 'The version.', schema: versionSchema } },
      problems: ['not-found'],
      handle: async ({ principal, params: { templateId, version } }) =>
        ok(versionBody(await registry.specification(principal, templateId, version))),
    }),
  ];
}

/** Where the registry's names for the members of a version stand in its body. */
const places: PointerMap = [
  ['/tag', '/version'],
  ['/compilationSpecification', '/code'],
  ['/preCompilationSpecification', '/code'],
  ['/ledgerTechnology/ledgerTechnologyID', '/technology'],
  ['/targetCompilationVersion', '/compilerVersion'],
];

function constructorRoute(registry: SmartContracts): Route {
  return defineRoute({
    method: 'get',
    path: `${versionsPath}/{version}/constructor`,
    operationId: 'getTemplateConstructor',
    summary: 'The arguments of a deployment',
    description:
      'As a plugin of the version’s technology reads its interface: `args` of a deployment, in this order. For forms.',
    service,
    permission: read,
    params: versionParams,
    answers: { 200: { description: 'The arguments.', schema: constructorSchema } },
    problems: ['not-found', 'no-plugin', 'plugin-fault'],
    async handle({ principal, params: { templateId, version } }) {
      const inputs = await registry.constructorInputs(principal, templateId, version);
      return ok({ inputs: inputs === null ? null : [...inputs] });
    },
  });
}
