import { z } from '@hono/zod-openapi';
import type { Admin, ApiTokenView, Principal, ServiceAccountKeyView } from '@ledger-ops/auth';
import { Problem } from '@ledger-ops/base';
import { created, noContent, ok } from '../../http/answer.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { rfc3339 } from '../../present/dates.ts';
import { answered, shownOnce } from '../admin/answers.ts';
import { issuedAppToken } from '../admin/apps.ts';
import { fields } from '../admin/fields.ts';
import { at } from './creation.ts';
import { pageOf, pageOfAll, pageOfSchema, pageQuery, pagingOf } from './cursor.ts';

const service = 'administration';
const path = '/v1/admin/accounts/{accountId}';
const params = z.object({ accountId: fields.id.describe('accountId or serviceId.') });
const read = { needs: 'service-account:read', on: 'record' } as const;
const manage = { needs: 'service-account:manage', on: 'record', gives: true } as const;
const status = z.enum(['ENABLED', 'DISABLED']);
const statusBody = jsonBody(z.strictObject({ status }), { status: 'DISABLED' });
const time = z.string().openapi({ format: 'date-time' });
const problems = ['not-found', 'conflict'] as const;

const tokenSchema = z.object({ tokenId: z.string(), status, createdAt: time }).openapi('AdminToken');
function tokenBody({ apiToken: tokenId, status, dateCreated }: ApiTokenView) {
  return { tokenId, status, createdAt: rfc3339(dateCreated) };
}

const keySchema = z
  .object({
    ...{ keyId: z.int(), status, publicKey: z.string() },
    createdBy: z.string().openapi({ description: 'serviceId.' }),
    ...{ createdAt: time, updatedAt: time },
  })
  .openapi('AdminKey');
function keyBody(key: ServiceAccountKeyView) {
  const { keyID: keyId, status, publicKey, generatedBy: createdBy, dateCreated, dateUpdated } = key;
  return {
    ...{ keyId, status, publicKey, createdBy },
    ...{ createdAt: rfc3339(dateCreated), updatedAt: rfc3339(dateUpdated) },
  };
}

/** An answer that holds a secret: where it stands in a list, which shows all but the secret. */
const issued = (schema: z.ZodType) => ({
  answers: { 201: { description: 'It is created.', schema, headers: ['Location' as const] } },
  creates: { present: (stored: unknown) => stored },
});

/** API tokens and keys of service accounts, and the tokens of applications. */
export function credentialRoutes(admin: Admin): Route[] {
  return [...tokenRoutes(admin), ...keyRoutes(admin), ...appTokenRoutes(admin)];
}

function appTokenRoutes({ apps }: Admin): Route[] {
  const app = '/v1/admin/apps/{appId}';
  const params = z.object({ appId: fields.id });
  return [
    defineRoute({
      method: 'post',
      path: `${app}/token`,
      operationId: 'adminIssueAppToken',
      summary: 'Issue the token of an application, or another one; it is shown once',
      description: `${shownOnce} The token before is void at once; with \`keepFormer\` it counts too until it is ended (\`DELETE ${app}/former-token\`), and where one before counts still, that one is kept.`,
      service,
      permission: { needs: 'app:manage', on: 'record', gives: true },
      params,
      query: z.strictObject({ keepFormer: fields.flag(false) }),
      ...issued(issuedAppToken),
      problems: [...problems, 'already-exists'],
      async handle({ principal, params: { appId }, query: { keepFormer: keepsFormer }, claim }) {
        const token = await apps.issueToken(principal, appId, { keepsFormer, claim });
        return created(token, at('/v1/admin/apps', appId));
      },
    }),
    defineRoute({
      method: 'delete',
      path: `${app}/former-token`,
      operationId: 'adminEndFormerAppToken',
      summary: 'End the token of an application before the last one',
      description: 'Nothing changes where it counts no more.',
      service,
      permission: { needs: 'app:manage', on: 'record' },
      params,
      answers: { 204: { description: 'The last token alone counts.' } },
      problems,
      async handle({ principal, params: { appId } }) {
        await apps.endFormerToken(principal, appId);
        return noContent;
      },
    }),
  ];
}

function tokenRoutes({ serviceAccounts }: Admin): Route[] {
  const all = async (principal: Principal, accountId: string) => {
    const { listApiTokens: list } = serviceAccounts;
    const [enabled, disabled] = [
      await list(principal, accountId, 'ENABLED'),
      await list(principal, accountId, 'DISABLED'),
    ];
    // None is ever removed, so that each keeps its place.
    return [...enabled, ...disabled]
      .toSorted((a, b) => (a.apiToken < b.apiToken ? -1 : 1))
      .map((token, id) => ({ ...token, id }));
  };
  return [
    defineRoute({
      method: 'get',
      path: `${path}/tokens`,
      operationId: 'adminListTokens',
      summary: 'List the API tokens of a service account, oldest first',
      service,
      permission: read,
      params,
      query: z.strictObject(pageQuery),
      answers: answered(pageOfSchema('AdminTokenPage', tokenSchema)),
      problems,
      async handle({ principal, params: { accountId }, query }) {
        const paging = pagingOf(query);
        return ok(pageOf(pageOfAll(paging, await all(principal, accountId)), tokenBody));
      },
    }),
    defineRoute({
      method: 'post',
      path: `${path}/tokens`,
      operationId: 'adminCreateToken',
      summary: 'Create an API token; it is shown once',
      description: shownOnce,
      service,
      permission: manage,
      params,
      ...issued(z.object({ tokenId: z.string(), apiToken: z.string(), status }).openapi('AdminNewToken')),
      problems: [...problems, 'already-exists'],
      async handle({ principal, params: { accountId }, claim }) {
        const token = await serviceAccounts.createApiToken(principal, accountId, claim);
        const { handle: tokenId, apiToken, status } = token;
        return created({ tokenId, apiToken, status }, locationOf(accountId, 'tokens'));
      },
    }),
    defineRoute({
      method: 'put',
      path: `${path}/tokens/{tokenId}`,
      operationId: 'adminSetTokenStatus',
      summary: 'Enable or disable an API token',
      service,
      permission: manage,
      params: params.extend({ tokenId: fields.id }),
      body: statusBody,
      answers: answered(tokenSchema),
      problems,
      async handle({ principal, params: { accountId, tokenId }, body }) {
        const its = await all(principal, accountId);
        if (!its.some(({ apiToken }) => apiToken === tokenId)) {
          throw new Problem('not-found', `The service account has no API token ${tokenId}.`);
        }
        return ok(tokenBody(await serviceAccounts.setApiTokenStatus(principal, tokenId, body.status)));
      },
    }),
  ];
}

function keyRoutes({ serviceAccounts }: Admin): Route[] {
  return [
    defineRoute({
      method: 'get',
      path: `${path}/keys`,
      operationId: 'adminListKeys',
      summary: 'List the public keys of a service account, oldest first',
      service,
      permission: read,
      params,
      query: z.strictObject(pageQuery),
      answers: answered(pageOfSchema('AdminKeyPage', keySchema)),
      problems,
      async handle({ principal, params: { accountId }, query }) {
        const paging = pagingOf(query);
        const [enabled, disabled] = [
          await serviceAccounts.listKeys(principal, accountId, 'ENABLED'),
          await serviceAccounts.listKeys(principal, accountId, 'DISABLED'),
        ];
        const all = [...enabled, ...disabled].toSorted((a, b) => a.keyID - b.keyID);
        return ok(pageOf(pageOfAll(paging, all), keyBody));
      },
    }),
    defineRoute({
      method: 'post',
      path: `${path}/keys`,
      operationId: 'adminCreateKey',
      summary: 'Create a key; its private part is shown once',
      description: `${shownOnce} The answer is a key file.`,
      service,
      permission: manage,
      params,
      ...issued(
        z
          .object({
            ...{ accountId: z.string(), keyId: z.int() },
            privateKey: z.string().openapi({ description: 'PKCS #8, PEM.' }),
            tokenUri: z.string(),
          })
          .openapi('AdminNewKey'),
      ),
      problems: [...problems, 'already-exists', 'too-many-requests'],
      async handle({ principal, params, claim }) {
        const key = await serviceAccounts.generateKey(principal, params.accountId, claim);
        const { accountId, keyId, privateKey, tokenUri } = key;
        return created({ accountId, keyId, privateKey, tokenUri }, locationOf(params.accountId, 'keys'));
      },
    }),
    defineRoute({
      method: 'put',
      path: `${path}/keys/{keyId}`,
      operationId: 'adminSetKeyStatus',
      summary: 'Enable or disable a key',
      service,
      permission: manage,
      params: params.extend({ keyId: fields.int64 }),
      body: statusBody,
      answers: answered(keySchema),
      problems,
      handle: async ({ principal, params: { accountId, keyId }, body }) =>
        ok(keyBody(await serviceAccounts.setKeyStatus(principal, accountId, keyId, body.status))),
    }),
  ];
}

const locationOf = (accountId: string, list: string) =>
  `/v1/admin/accounts/${encodeURIComponent(accountId)}/${list}`;
