import { invalidRequest, pageSchema, pagingParameters, Secret } from '@ledger-ops/base';
import { z } from 'zod';
import type { Admin } from '../create-admin.ts';
import { atMost, fields, idIn, references, resourceIdFilter } from '../fields.ts';
import { type AdminOperation, defineOperation } from '../operation.ts';
import {
  apiTokenRecord,
  type CredentialProof,
  generatedKeyRecord,
  newApiTokenRecord,
  serviceAccountKeyRecord,
  serviceAccountRecord,
  serviceAccountSortKeys,
  usabilities,
} from '../service-accounts.ts';

const service = 'service-accounts';
const prefix = '/v1/service-accounts';
const read = { needs: 'service-account:read', on: 'record' } as const;
const manage = { needs: 'service-account:manage', on: 'record' } as const;
const accountPath = z.object({ accountId: fields.id });
const status = z.enum(usabilities);
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
    // Looked at where the type of the credential needs them; no text is read before its length.
    keyID: bounded.optional().meta({ type: ['integer', 'null'], minimum: 0, description: 'For privateKey.' }),
    secret: fields.secret,
    signature: bounded.optional().meta({ type: ['string', 'null'], description: 'For privateKey: base64.' }),
  })
  .meta({ id: 'CredentialValidation' });

const keyProof = z.object({
  keyID: z.int().nonnegative(),
  signature: atMost(mostOfProof).regex(/^[A-Za-z0-9+/]+={0,2}$/, 'must be base64'),
});

/** Service accounts (section 4.6). */
export function serviceAccountOperations(admin: Admin): AdminOperation[] {
  return [...accounts(admin), ...credentials(admin)];
}

function accounts({ serviceAccounts }: Admin): AdminOperation[] {
  return [
    defineOperation({
      operationId: 'createServiceAccount',
      service,
      method: 'post',
      path: prefix,
      summary: 'Create a service account',
      permission: { needs: 'service-account:create', on: 'record', also: ['project:read'] },
      body: z.object({
        name: fields.name,
        accountId: fields.id.optional(),
        email: fields.email.optional(),
        project: project.optional(),
      }),
      status: 201,
      output: serviceAccountRecord,
      creates: true,
      run: ({ principal, body: { project: above, ...body }, claim }) =>
        serviceAccounts.create(
          principal,
          {
            ...body,
            project: above === undefined ? undefined : idIn(above, 'projectID', 'resourceUUID', 'resourceId'),
          },
          claim,
        ),
    }),
    defineOperation({
      operationId: 'getServiceAccount',
      service,
      method: 'get',
      path: `${prefix}/{emailOrAccountId}`,
      summary: 'Get a service account',
      permission: read,
      params: z.object({ emailOrAccountId: fields.id }),
      query: z.object({ filter_by: z.enum(['EMAIL', 'SERVICE_ACCOUNT_ID']).default('EMAIL') }),
      status: 200,
      output: serviceAccountRecord,
      run: ({ principal, params, query }) =>
        serviceAccounts.get(principal, params.emailOrAccountId, query.filter_by),
    }),
    defineOperation({
      operationId: 'listServiceAccountsOfProject',
      service,
      method: 'get',
      path: `${prefix}/projects/{projectId}`,
      summary: 'List the service accounts of a project',
      permission: read,
      params: z.object({ projectId: fields.id }),
      query: z.object({ resourceId: resourceIdFilter, ...pagingParameters(serviceAccountSortKeys) }),
      status: 200,
      output: pageSchema('ServiceAccountPage', serviceAccountRecord),
      pageType: 'ServiceAccountPage',
      run: ({ principal, params, query }) =>
        serviceAccounts.listOfProject(principal, params.projectId, query),
    }),
    defineOperation({
      operationId: 'validateServiceAccountCredentials',
      service,
      method: 'post',
      path: `${prefix}/validate`,
      summary: 'Check credentials of a service account',
      permission: read,
      query: z.object({ authType: z.enum(['privateKey', 'apiToken']) }),
      body: proofBody,
      status: 200,
      output: serviceAccountRecord,
      run: ({ principal, query, body }) => serviceAccounts.validate(principal, proofOf(query.authType, body)),
    }),
  ];
}

function credentials({ serviceAccounts }: Admin): AdminOperation[] {
  return [
    defineOperation({
      operationId: 'listServiceAccountApiTokens',
      service,
      method: 'get',
      path: `${prefix}/{accountId}/api-tokens`,
      summary: 'List the API tokens of a service account, by their handles',
      permission: read,
      params: accountPath,
      query: z.object({ status: status.default('ENABLED') }),
      status: 200,
      output: z.array(apiTokenRecord),
      run: ({ principal, params, query }) =>
        serviceAccounts.listApiTokens(principal, params.accountId, query.status),
    }),
    defineOperation({
      operationId: 'createServiceAccountApiToken',
      service,
      method: 'post',
      path: `${prefix}/{accountId}/api-tokens`,
      summary: 'Create an API token; it is shown once',
      permission: { ...manage, gives: true },
      params: accountPath,
      status: 201,
      output: newApiTokenRecord,
      creates: true,
      secret: true,
      current: true,
      run: ({ principal, params, claim }) =>
        serviceAccounts.createApiToken(principal, params.accountId, claim),
    }),
    defineOperation({
      operationId: 'updateServiceAccountApiTokenStatus',
      service,
      method: 'put',
      path: `${prefix}/api-tokens/{apiToken}`,
      summary: 'Enable or disable an API token',
      permission: { ...manage, gives: true },
      params: z.object({ apiToken: fields.id.describe('The handle.') }),
      query: z.object({ status }),
      status: 200,
      output: apiTokenRecord,
      run: ({ principal, params, query }) =>
        serviceAccounts.setApiTokenStatus(principal, params.apiToken, query.status),
    }),
    defineOperation({
      operationId: 'generateServiceAccountKey',
      service,
      method: 'post',
      path: `${prefix}/{accountId}/keys`,
      summary: 'Generate a key; its private part is shown once',
      permission: { ...manage, gives: true },
      params: accountPath,
      status: 201,
      output: generatedKeyRecord,
      creates: true,
      secret: true,
      run: ({ principal, params, claim }) => serviceAccounts.generateKey(principal, params.accountId, claim),
    }),
    defineOperation({
      operationId: 'updateServiceAccountKeyStatus',
      service,
      method: 'put',
      path: `${prefix}/{accountId}/keys`,
      summary: 'Enable or disable a key',
      permission: { ...manage, gives: true },
      params: accountPath,
      query: z.object({ keyId: fields.int64, status }),
      status: 200,
      output: serviceAccountKeyRecord,
      run: ({ principal, params, query }) =>
        serviceAccounts.setKeyStatus(principal, params.accountId, query.keyId, query.status),
    }),
    defineOperation({
      operationId: 'listServiceAccountKeys',
      service,
      method: 'get',
      path: `${prefix}/{accountId}/keys`,
      summary: 'List the keys of a service account',
      permission: read,
      params: accountPath,
      query: z.object({ status }),
      status: 200,
      output: z.array(serviceAccountKeyRecord),
      run: ({ principal, params, query }) =>
        serviceAccounts.listKeys(principal, params.accountId, query.status),
    }),
  ];
}

function proofOf(authType: 'privateKey' | 'apiToken', body: z.infer<typeof proofBody>): CredentialProof {
  const { email, keyID, signature } = body;
  const secret = new Secret(body.secret);
  if (authType === 'apiToken') return { authType, email, secret };
  const proof = keyProof.safeParse({ keyID, signature });
  if (proof.success) return { authType, email, secret, ...proof.data };
  throw invalidRequest(
    proof.error.issues.map(({ path: [name = ''], message }) => {
      const missing = (name === 'keyID' ? keyID : signature) === undefined;
      const wrong = name === 'keyID' ? 'must be a whole number, 0 or more' : message;
      return { pointer: `/${String(name)}`, detail: missing ? 'is required' : wrong };
    }),
  );
}
