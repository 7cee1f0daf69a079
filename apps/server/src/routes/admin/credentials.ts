import { z } from '@hono/zod-openapi';
import type { Admin, ApiTokenView, Principal, ServiceAccountKeyView } from '@ledger-ops/auth';
import { Problem } from '@ledger-ops/base';
import { created, noContent, ok } from '../../http/answer.ts';
import { defineRoute, jsonBody, type Route } from '../../http/route.ts';
import { rfc3339 } from '../../present/dates.ts';
import { issuedAppToken } from '../legacy/apps.ts';
import { answered, shownOnce } from './answers.ts';
import { at } from './creation.ts';
import { pageOf, pageOfAll, pageOfSchema, pageQuery, pagingOf } from './cursor.ts';
import { fields } from './fields.ts';

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
function tokenBody({ tokenId, status, createdAt }: ApiTokenView) {
  return { tokenId, status, createdAt: rfc3339(createdAt) };
}

const keySchema = z
  .object({
    keyId: z.int(),
    status,
    publicKey: z.string(),
    createdBy: z.string().openapi({ description: 'serviceId.' }),
    createdAt: time,
    updatedAt: time,
  })
  .openapi('AdminKey');
function keyBody({ keyId, status, publicKey, createdBy, createdAt, updatedAt }: ServiceAccountKeyView) {
  return {
    keyId,
    status,
    publicKey,
    createdBy,
    createdAt: rfc3339(createdAt),
    updatedAt: rfc3339(updatedAt),
  };
}

/**
 * Returns a response that contains a secret. Its Location is the record's entry in a list, which omits the
 * secret.
 */
const issued = (schema: z.ZodType) => ({
  answers: { 201: { description: 'Created.', schema, headers: ['Location' as const] } },
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
      summary: 'Issue or replace the token of an application; it is shown once',
      description: `${shownOnce} The former token becomes invalid immediately; with \`keepFormer\` it stays valid until it is revoked (\`DELETE ${app}/former-token\`). Only one former token is kept: if one from an earlier replacement is still valid, it stays valid, and the token that is replaced now becomes invalid.`,
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
      summary: 'Revoke the former token of an application',
      description: 'Has no effect if the token is no longer valid.',
      service,
      permission: { needs: 'app:manage', on: 'record' },
      params,
      answers: { 204: { description: 'Only the newest token is valid.' } },
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
    // Entries are never removed, so positions are stable.
    return [...enabled, ...disabled]
      .toSorted((a, b) => (a.tokenId < b.tokenId ? -1 : 1))
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
      summary: 'Create an API token; it is shown only once',
      description: shownOnce,
      service,
      permission: manage,
      params,
      ...issued(z.object({ tokenId: z.string(), apiToken: z.string(), status }).openapi('AdminNewToken')),
      problems: [...problems, 'already-exists'],
      async handle({ principal, params: { accountId }, claim }) {
        const token = await serviceAccounts.createApiToken(principal, accountId, claim);
        return created(token, locationOf(accountId, 'tokens'));
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
        if (!its.some((token) => token.tokenId === tokenId)) {
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
        const all = [...enabled, ...disabled]
          .toSorted((a, b) => a.keyId - b.keyId)
          .map((key) => ({ ...key, id: key.keyId }));
        return ok(pageOf(pageOfAll(paging, all), keyBody));
      },
    }),
    defineRoute({
      method: 'post',
      path: `${path}/keys`,
      operationId: 'adminCreateKey',
      summary: 'Create a key; its private part is shown once',
      description: `${shownOnce} The response is a key file.`,
      service,
      permission: manage,
      params,
      ...issued(
        z
          .object({
            accountId: z.string(),
            keyId: z.int(),
            privateKey: z.string().openapi({ description: 'PKCS #8, PEM.' }),
            tokenUri: z.string(),
          })
          .openapi('AdminNewKey'),
      ),
      problems: [...problems, 'already-exists', 'too-many-requests'],
      async handle({ principal, params, claim }) {
        const key = await serviceAccounts.generateKey(principal, params.accountId, claim);
        return created(key, locationOf(params.accountId, 'keys'));
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
