import { z } from '@hono/zod-openapi';
import type { ContractTemplates, SpecificationView, TemplateView } from '@ledger-ops/registry';
import { ok } from '../../http/answer.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import {
  chosenId,
  longText,
  ofProject,
  pathId,
  recordName,
  technologyName,
  text,
} from '../../http/schemas.ts';
import { rfc3339 } from '../../present/dates.ts';
import { at, creation } from '../admin/creation.ts';
import { pageOf, pageOfSchema, pageQuery, pagingOf } from '../admin/cursor.ts';
import { ledgerProblems } from '../ledger-problems.ts';
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
function templateBody({ id: _id, ...template }: TemplateView) {
  return template;
}

/** Compiler messages with their locations. */
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
  .openapi({ description: 'The compiler’s messages.' });
const time = z.string().openapi({ format: 'date-time' });
const summary = {
  templateId: z.string(),
  version: z.string().openapi({ description: 'Deployments use `templateId:version`.' }),
  technology: z.string(),
  description: z.string().nullable(),
  status: z.enum(['PENDING', 'COMPILED', 'FAILED']).openapi({
    description: 'Versions with sources are PENDING until compiled; only COMPILED versions can be deployed.',
  }),
  messages: compilerMessages,
  language: z.string().nullable(),
  compilerVersion: z.string().nullable(),
  checksum: z.string().openapi({ description: 'SHA-256 of code and interface; empty until compiled.' }),
  createdAt: time,
  updatedAt: time,
};
const summarySchema = z.object(summary).openapi('ContractTemplateVersionSummary');
function summaryBody({ template, createdAt, updatedAt, ...version }: SpecificationView) {
  const {
    id: _id,
    hasPreprocessing: _hasPreprocessing,
    sources: _sources,
    compiled: _compiled,
    ...shown
  } = version;
  return {
    templateId: template.templateId,
    ...shown,
    createdAt: rfc3339(createdAt),
    updatedAt: rfc3339(updatedAt),
  };
}

const versionSchema = z
  .object({
    ...summary,
    sources: z.string().nullable().openapi({
      description:
        'The sources as the compiler’s Standard JSON; null if the version was created from compiled output.',
    }),
    compiled: z.string().nullable().openapi({
      description:
        'Compiled output as JSON text; for a package, its label, type and id. Null until compiled.',
    }),
  })
  .openapi('ContractTemplateVersion');
function versionBody(version: SpecificationView) {
  const { sources, compiled } = version;
  return { ...summaryBody(version), sources, compiled };
}

const constructorSchema = z
  .object({
    inputs: z
      .array(contractParameterSchema)
      .nullable()
      .openapi({ description: 'Null if it is not known, for example until the sources are compiled.' }),
  })
  .openapi('ContractConstructor');

const newTemplateSchema = z
  .strictObject({
    templateId: chosenId.optional(),
    name: recordName,
    description: text(4096, 0).nullish(),
    projectId: ofProject.optional(),
  })
  .openapi('CreateContractTemplateBody');
const newVersionSchema = z
  .strictObject({
    version: text(64),
    code: z.union([longText(10_485_760), z.record(z.string().max(256), z.unknown())]).openapi({
      type: ['string', 'object'],
      description:
        'Sources: Solidity, or the compiler’s Standard JSON; imports come from the sources and from @openzeppelin/contracts. Or compiled output: a JSON object or its text, with abi and bytecode as solc, Hardhat and Foundry write them. If the technology’s code is a package (`GET /v1/technologies`): the .tar.gz in base64, or an object with the package in `package` and the interface, such as contract metadata, in `interface`. Any other code: text, or an object with the code in `code` and the interface in `interface`.',
    }),
    contract: text(512).optional().openapi({
      description: 'The contract in the sources, `Name` or `File.sol:Name`. Default: the only contract.',
    }),
    compilerVersion: text(64).optional().openapi({
      description: 'With sources: accepted compiler versions, such as `^0.8.26`.',
    }),
    technology: technologyName().optional().openapi({
      description:
        'Default: the first technology of `GET /v1/technologies` whose sources this server compiles.',
    }),
    description: text(4096, 0).nullish(),
  })
  .openapi('CreateContractTemplateVersionBody');

/** Templates and their versions. */
export function templateRoutes(templates: ContractTemplates): Route[] {
  return [...collection(templates), ...versions(templates), constructorRoute(templates)];
}

function collection(templates: ContractTemplates): Route[] {
  const { answer, ...created } = creation(templateSchema, templateBody, ({ templateId }) =>
    at(path, templateId),
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
        projectId: text(64).optional().openapi({ description: 'Default: the caller’s project.' }),
      }),
      answers: {
        200: { description: 'A page.', schema: pageOfSchema('ContractTemplateList', templateSchema) },
      },
      async handle({ principal, query: { projectId, ...page } }) {
        const query = { ...pagingOf(page), projectId };
        return ok(pageOf(await templates.listTemplates(principal, query), templateBody));
      },
    }),
    defineRoute({
      method: 'post',
      path,
      operationId: 'createContractTemplate',
      summary: 'Create a contract template',
      description: 'Contracts are deployed from versions of the template. Add them after creating it.',
      service,
      permission: { needs: 'smart-contract-template:create', on: 'record' },
      body: jsonBody(newTemplateSchema, { templateId: 'dev-token', name: 'Token' }),
      ...created,
      problems: ['already-exists', 'not-found'],
      handle: async ({ principal, body, claim }) =>
        answer(await templates.createTemplate(principal, body, claim)),
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
        ok(templateBody(await templates.template(principal, templateId))),
    }),
  ];
}

function versions(templates: ContractTemplates): Route[] {
  const { answer, ...created } = creation(versionSchema, versionBody, ({ template, version }) =>
    at(`${at(path, template.templateId)}/versions`, version),
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
        const found = await templates.pageOfSpecifications(principal, templateId, query);
        return ok(pageOf(found, summaryBody));
      },
    }),
    defineRoute({
      method: 'post',
      path: versionsPath,
      operationId: 'createContractTemplateVersion',
      contacts: ['plugin'],
      summary: 'Add a version to a contract template',
      description:
        'A version with sources is PENDING until it is COMPILED or FAILED; `messages` contains the compiler’s messages. A version with compiled output is COMPILED immediately. A version never changes.',
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
      problems: ['already-exists', 'not-found', 'too-many-requests', ...ledgerProblems],
      pointers: [
        ['/compiled', '/code'],
        ['/sources', '/code'],
      ],
      async handle({ principal, params: { templateId }, body: { code, ...version }, claim }) {
        const form = await templates.codeForm(principal, templateId, version);
        const input = { ...version, ...(await codeOf(code, form, '/code')) };
        return answer(await templates.createSpecification(principal, templateId, input, claim));
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
        ok(versionBody(await templates.specification(principal, templateId, version))),
    }),
  ];
}

function constructorRoute(templates: ContractTemplates): Route {
  return defineRoute({
    method: 'get',
    path: `${versionsPath}/{version}/constructor`,
    operationId: 'getTemplateConstructor',
    contacts: ['plugin'],
    summary: 'Get the arguments of a deployment',
    description:
      'The `args` of a deployment, in order. A plugin of the version’s technology reads them from the interface. Use them to build forms.',
    service,
    permission: read,
    params: versionParams,
    answers: { 200: { description: 'The arguments.', schema: constructorSchema } },
    problems: ['not-found', ...ledgerProblems],
    async handle({ principal, params: { templateId, version } }) {
      const inputs = await templates.constructorInputs(principal, templateId, version);
      return ok({ inputs: inputs === null ? null : [...inputs] });
    },
  });
}
