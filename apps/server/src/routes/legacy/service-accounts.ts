import { z } from '@hono/zod-openapi';
import type { Admin, CredentialProof } from '@ledger-ops/auth';
import { invalidRequest, pagingParameters, Secret } from '@ledger-ops/base';
import { created, ok } from '../../http/answer.ts';
import { pageKind } from '../../http/listing.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { answered, shownOnce } from '../admin/answers.ts';
import { atMost, exampleIds, fields } from '../admin/fields.ts';
import { anything, createdAs } from './answers.ts';
import {
  apiToken,
  apiTokenRecord,
  generatedKey,
  generatedKeyRecord,
  newApiToken,
  newApiTokenRecord,
  serviceAccount,
  serviceAccountKey,
  serviceAccountKeyRecord,
  serviceAccountRecord,
} from './records.ts';
import { idIn, references, resourceIdFilter } from './references.ts';

const service = 'service-accounts';
const accountPage = pageKind('ServiceAccountPage', serviceAccountRecord, 'The result.');
const prefix = '/v1/service-accounts';
const read = { needs: 'service-account:read', on: 'record' } as const;
const manage = { needs: 'service-account:manage', on: 'record' } as const;
const accountPath = z.object({ accountId: fields.id });
const status = apiTokenRecord.shape.status;
const { project } = references;

const mostOfProof = 4_096;
const bounded = z
  .unknown()
  .refine(
    (value) => typeof value !== 'string' || value.length <= mostOfProof,
    `must have at most ${mostOfProof} characters`,
  );
const proofBody = z
  .object({
    email: fields.email,
    // Only some credential types require it. The length is checked before the content.
    keyID: bounded.optional().meta({ type: ['integer', 'null'], minimum: 0, description: 'For privateKey.' }),
    secret: fields.secret,
    signature: bounded.optional().meta({ type: ['string', 'null'], description: 'For privateKey: base64.' }),
  })
  .meta({ id: 'CredentialValidation' });

const keyProof = z.object({
  keyID: z.int().nonnegative(),
  signature: atMost(mostOfProof).regex(/^[A-Za-z0-9+/]+={0,2}$/, 'must be base64'),
});

export function serviceAccountRoutes(admin: Admin): Route[] {
  return [...accounts(admin), ...credentials(admin)];
}

function accounts({ serviceAccounts }: Admin): Route[] {
  return [
    defineRoute({
      method: 'post',
      path: prefix,
      operationId: 'createServiceAccount',
      summary: 'Create a service account',
      service,
      permission: { needs: 'service-account:create', on: 'record', also: ['project:read'] },
      deprecated: true,
      body: jsonBody(
        z.object({
          name: fields.name,
          accountId: fields.id.optional(),
          email: fields.email.optional(),
          project: project.optional(),
        }),
        { name: 'payments', accountId: 'payments', project: exampleIds.project },
      ),
      ...createdAs(serviceAccountRecord, serviceAccount.present),
      pointers: serviceAccount.pointers,
      problems: ['not-found', 'conflict', 'already-exists'],
      async handle({ principal, body: { project: above, ...body }, claim }) {
        const projectId =
          above === undefined ? undefined : idIn(above, 'projectID', 'resourceUUID', 'resourceId');
        const made = await serviceAccounts.create(principal, { ...body, projectId }, claim);
        return created(serviceAccount.present(made));
      },
    }),
    defineRoute({
      method: 'get',
      path: `${prefix}/{emailOrAccountId}`,
      operationId: 'getServiceAccount',
      summary: 'Get a service account',
      service,
      permission: read,
      deprecated: true,
      params: z.object({ emailOrAccountId: fields.id }),
      query: z.object({ filter_by: z.enum(['EMAIL', 'SERVICE_ACCOUNT_ID']).default('EMAIL') }),
      answers: answered(serviceAccountRecord),
      problems: ['not-found'],
      handle: async ({ principal, params, query }) =>
        ok(
          serviceAccount.present(
            await serviceAccounts.get(principal, params.emailOrAccountId, query.filter_by),
          ),
        ),
    }),
    defineRoute({
      method: 'get',
      path: `${prefix}/projects/{projectId}`,
      operationId: 'listServiceAccountsOfProject',
      summary: 'List the service accounts of a project',
      service,
      permission: read,
      deprecated: true,
      params: z.object({ projectId: fields.id }),
      query: z.object({
        resourceId: resourceIdFilter,
        ...pagingParameters(
          serviceAccount.sortKeys(
            'id',
            'name',
            'accountId',
            'resourceId',
            'serviceId',
            'email',
            'project',
            'createdBy',
            'updatedBy',
            'dateCreated',
            'dateUpdated',
          ),
        ),
      }),
      answers: accountPage.answers,
      problems: ['not-found'],
      handle: async ({ principal, params, query }) =>
        accountPage.answer(
          query,
          await serviceAccounts.listOfProject(principal, params.projectId, query),
          serviceAccount.present,
        ),
    }),
    defineRoute({
      method: 'post',
      path: `${prefix}/validate`,
      operationId: 'validateServiceAccountCredentials',
      summary: 'Check credentials of a service account',
      service,
      permission: read,
      deprecated: true,
      query: z.object({ authType: z.enum(['privateKey', 'apiToken']) }),
      body: jsonBody(proofBody, { email: 'payments@ledger.example', secret: 'sak_…' }),
      answers: answered(serviceAccountRecord),
      problems: ['not-found', 'conflict'],
      handle: async ({ principal, query, body }) =>
        ok(serviceAccount.present(await serviceAccounts.validate(principal, proofOf(query.authType, body)))),
    }),
  ];
}

function credentials({ serviceAccounts }: Admin): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: `${prefix}/{accountId}/api-tokens`,
      operationId: 'listServiceAccountApiTokens',
      summary: 'List the API tokens of a service account, by their handles',
      service,
      permission: read,
      deprecated: true,
      params: accountPath,
      query: z.object({ status: status.default('ENABLED') }),
      answers: answered(z.array(apiTokenRecord)),
      problems: ['not-found'],
      handle: async ({ principal, params, query }) =>
        ok(
          (await serviceAccounts.listApiTokens(principal, params.accountId, query.status)).map(
            apiToken.present,
          ),
        ),
    }),
    defineRoute({
      method: 'post',
      path: `${prefix}/{accountId}/api-tokens`,
      operationId: 'createServiceAccountApiToken',
      summary: 'Create an API token; it is shown only once',
      description: shownOnce,
      service,
      permission: { ...manage, gives: true },
      params: accountPath,
      query: anything,
      ...createdAs(newApiTokenRecord),
      problems: ['not-found', 'conflict', 'already-exists'],
      handle: async ({ principal, params, claim }) =>
        created(
          newApiToken.present(await serviceAccounts.createApiToken(principal, params.accountId, claim)),
        ),
    }),
    defineRoute({
      method: 'put',
      path: `${prefix}/api-tokens/{apiToken}`,
      operationId: 'updateServiceAccountApiTokenStatus',
      summary: 'Enable or disable an API token',
      service,
      permission: { ...manage, gives: true },
      deprecated: true,
      params: z.object({ apiToken: fields.id.describe('The handle.') }),
      query: z.object({ status }),
      answers: answered(apiTokenRecord),
      problems: ['not-found', 'conflict'],
      handle: async ({ principal, params, query }) =>
        ok(
          apiToken.present(await serviceAccounts.setApiTokenStatus(principal, params.apiToken, query.status)),
        ),
    }),
    defineRoute({
      method: 'post',
      path: `${prefix}/{accountId}/keys`,
      operationId: 'generateServiceAccountKey',
      summary: 'Generate a key; its private part is shown only once',
      description: shownOnce,
      service,
      permission: { ...manage, gives: true },
      deprecated: true,
      params: accountPath,
      ...createdAs(generatedKeyRecord),
      problems: ['not-found', 'conflict', 'already-exists', 'too-many-requests'],
      handle: async ({ principal, params, claim }) =>
        created(generatedKey.present(await serviceAccounts.generateKey(principal, params.accountId, claim))),
    }),
    defineRoute({
      method: 'put',
      path: `${prefix}/{accountId}/keys`,
      operationId: 'updateServiceAccountKeyStatus',
      summary: 'Enable or disable a key',
      service,
      permission: { ...manage, gives: true },
      deprecated: true,
      params: accountPath,
      query: z.object({ keyId: fields.int64, status }),
      answers: answered(serviceAccountKeyRecord),
      problems: ['not-found', 'conflict'],
      handle: async ({ principal, params, query }) =>
        ok(
          serviceAccountKey.present(
            await serviceAccounts.setKeyStatus(principal, params.accountId, query.keyId, query.status),
          ),
        ),
    }),
    defineRoute({
      method: 'get',
      path: `${prefix}/{accountId}/keys`,
      operationId: 'listServiceAccountKeys',
      summary: 'List the keys of a service account',
      service,
      permission: read,
      deprecated: true,
      params: accountPath,
      query: z.object({ status }),
      answers: answered(z.array(serviceAccountKeyRecord)),
      problems: ['not-found'],
      handle: async ({ principal, params, query }) =>
        ok(
          (await serviceAccounts.listKeys(principal, params.accountId, query.status)).map(
            serviceAccountKey.present,
          ),
        ),
    }),
  ];
}

function proofOf(authType: 'privateKey' | 'apiToken', body: z.infer<typeof proofBody>): CredentialProof {
  const { email, keyID, signature } = body;
  const secret = new Secret(body.secret);
  if (authType === 'apiToken') return { authType, email, secret };
  const proof = keyProof.safeParse({ keyID, signature });
  if (proof.success)
    return { authType, email, secret, keyId: proof.data.keyID, signature: proof.data.signature };
  throw invalidRequest(
    proof.error.issues.map(({ path: [name = ''], message }) => {
      const missing = (name === 'keyID' ? keyID : signature) === undefined;
      const wrong = name === 'keyID' ? 'must be a whole number, 0 or more' : message;
      return { pointer: `/${String(name)}`, detail: missing ? 'is required' : wrong };
    }),
  );
}
