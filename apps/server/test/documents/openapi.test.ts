import { permissions } from '@ledger-ops/auth';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { neededOf } from '../../src/http/route.ts';
import { type Ground, makeServer, openGround } from '../stage/harness.ts';

let ground: Ground;
beforeAll(async () => {
  ground = await openGround();
});
afterAll(() => ground.close());

/** Public routes, according to the decisions. All other routes require both headers and a permission. */
const publicRoutes = [
  'POST /v1/auth/token',
  'POST /v1/auth/revoke',
  'GET /.well-known/jwks.json',
  'GET /livez',
  'GET /readyz',
  'GET /readyz/server',
  'GET /openapi.json',
  'GET /docs',
  'GET /docs/{page}',
  'GET /.well-known/oauth-authorization-server',
  'GET /v1/auth/authorize',
  'POST /v1/auth/authorize',
  'POST /v1/auth/authorize/login',
  'POST /v1/auth/authorize/logout',
  'POST /v1/auth/login',
  'POST /v1/auth/logout',
  'POST /v1/auth/init-user',
];
const applicationRoutes = [
  'GET /v1/auth/certs',
  'GET /v1/ledger-ops/certificates',
  'POST /v1/identities/authenticate',
];

const nameOf = ({ method, path }: { method: string; path: string }) => `${method.toUpperCase()} ${path}`;

test('every route states its permission, and only the listed ones are public', () => {
  const { routes } = makeServer(ground);
  const known = new Set<string>(permissions.map(({ permission }) => permission));
  for (const route of routes) {
    if (typeof route.permission === 'object') {
      const { also = [] } = route.permission;
      for (const one of [...neededOf(route.permission), ...also]) {
        const ofSome = [...known].filter((name) => one === name || one === `<type>:${name.split(':')[1]}`);
        expect(ofSome, `${nameOf(route)} needs ${one}`).not.toEqual([]);
      }
    }
  }
  const withAccess = (access: string) => routes.filter(({ permission }) => permission === access).map(nameOf);
  expect(withAccess('public').toSorted()).toEqual(publicRoutes.toSorted());
  expect(withAccess('application-token').toSorted()).toEqual(applicationRoutes.toSorted());
});

test('every protected route refuses a request without credentials', async () => {
  const { routes, app } = makeServer(ground);
  for (const route of routes) {
    if (route.permission === 'public') continue;
    const response = await app.request(route.path.replaceAll(/\{\w+\}/g, 'x'), { method: route.method });
    expect([nameOf(route), response.status]).toEqual([nameOf(route), 401]);
  }
});

test('the server has exactly the operations listed in this test', () => {
  const methods = Map.groupBy(makeServer(ground).routes, ({ path }) => path);
  const listed = [...methods].map(([path, routes]) =>
    [path, ...routes.map(({ method }) => method.toUpperCase()).toSorted()].join(' '),
  );
  expect(listed.toSorted()).toMatchInlineSnapshot(`
    [
      "/.well-known/jwks.json GET",
      "/.well-known/oauth-authorization-server GET",
      "/docs GET",
      "/docs/{page} GET",
      "/livez GET",
      "/openapi.json GET",
      "/readyz GET",
      "/readyz/server GET",
      "/v1/admin/accounts GET POST",
      "/v1/admin/accounts/{accountId} GET",
      "/v1/admin/accounts/{accountId}/archive POST",
      "/v1/admin/accounts/{accountId}/keys GET POST",
      "/v1/admin/accounts/{accountId}/keys/{keyId} PUT",
      "/v1/admin/accounts/{accountId}/restore POST",
      "/v1/admin/accounts/{accountId}/tokens GET POST",
      "/v1/admin/accounts/{accountId}/tokens/{tokenId} PUT",
      "/v1/admin/app-role-grants/{resourceId} GET",
      "/v1/admin/app-role-grants/{resourceId}/{appId} DELETE PUT",
      "/v1/admin/app-role-grants/{resourceId}/{appId}/{role} DELETE",
      "/v1/admin/apps GET POST",
      "/v1/admin/apps/{appId} GET PUT",
      "/v1/admin/apps/{appId}/archive POST",
      "/v1/admin/apps/{appId}/former-token DELETE",
      "/v1/admin/apps/{appId}/image PUT",
      "/v1/admin/apps/{appId}/restore POST",
      "/v1/admin/apps/{appId}/token POST",
      "/v1/admin/explorers GET POST",
      "/v1/admin/explorers/{explorerId} DELETE GET PUT",
      "/v1/admin/identities GET POST",
      "/v1/admin/identities/{serviceId} GET PUT",
      "/v1/admin/identities/{serviceId}/config PUT",
      "/v1/admin/identities/{serviceId}/image PUT",
      "/v1/admin/identities/{serviceId}/status PUT",
      "/v1/admin/identity-permissions GET",
      "/v1/admin/invitations GET POST",
      "/v1/admin/invitations/answer POST",
      "/v1/admin/invitations/{invitationId} DELETE GET",
      "/v1/admin/late-events GET",
      "/v1/admin/ledger-health GET",
      "/v1/admin/ledgers GET POST",
      "/v1/admin/ledgers/{ledgerId} DELETE GET PUT",
      "/v1/admin/ledgers/{ledgerId}/default-explorer GET",
      "/v1/admin/ledgers/{ledgerId}/default-node GET",
      "/v1/admin/me GET",
      "/v1/admin/nodes GET POST",
      "/v1/admin/nodes/{nodeId} DELETE GET PUT",
      "/v1/admin/organizations GET POST",
      "/v1/admin/organizations/{organizationId} GET",
      "/v1/admin/organizations/{organizationId}/archive POST",
      "/v1/admin/organizations/{organizationId}/image PUT",
      "/v1/admin/organizations/{organizationId}/restore POST",
      "/v1/admin/organizations/{organizationId}/storage-limits GET",
      "/v1/admin/organizations/{organizationId}/storage-limits/{limit} PUT",
      "/v1/admin/permission-check GET",
      "/v1/admin/projects GET POST",
      "/v1/admin/projects/{projectId} GET",
      "/v1/admin/projects/{projectId}/archive POST",
      "/v1/admin/projects/{projectId}/restore POST",
      "/v1/admin/role-grants GET POST",
      "/v1/admin/role-grants/{resourceId}/{serviceId} DELETE",
      "/v1/admin/role-grants/{resourceId}/{serviceId}/{role} DELETE",
      "/v1/admin/roles GET",
      "/v1/admin/storage-limits GET",
      "/v1/admin/storage-limits/{limit} PUT",
      "/v1/admin/timeline GET",
      "/v1/apps POST",
      "/v1/apps/by-token/{appToken} GET",
      "/v1/apps/projects/{project} GET",
      "/v1/apps/{appId} GET PUT",
      "/v1/apps/{appId}/former-token DELETE",
      "/v1/apps/{appId}/image PUT",
      "/v1/apps/{appId}/token POST",
      "/v1/auth/authorize GET POST",
      "/v1/auth/authorize/login POST",
      "/v1/auth/authorize/logout POST",
      "/v1/auth/certs GET",
      "/v1/auth/init-user POST",
      "/v1/auth/login POST",
      "/v1/auth/logout POST",
      "/v1/auth/revoke POST",
      "/v1/auth/token POST",
      "/v1/cloud-wallet/transactions GET POST",
      "/v1/cloud-wallet/wallets GET POST",
      "/v1/cloud-wallet/wallets/{walletId} GET",
      "/v1/cloud-wallet/wallets/{walletId}/exclusive PUT",
      "/v1/cloud-wallet/wallets/{walletId}/export POST",
      "/v1/cloud-wallet/wallets/{walletId}/password PUT",
      "/v1/cloud-wallet/wallets/{walletId}/unknown-transactions GET",
      "/v1/contract-groups GET POST",
      "/v1/contract-groups/{contractGroupId} DELETE GET PUT",
      "/v1/contract-groups/{contractGroupId}/instances GET POST",
      "/v1/contract-groups/{contractGroupId}/instances/{smartContractId} DELETE GET PUT",
      "/v1/contract-groups/{contractGroupId}/instances/{smartContractId}/methods GET",
      "/v1/contract-groups/{contractGroupId}/instances/{smartContractId}/methods/{method} POST",
      "/v1/contract-groups/{contractGroupId}/instances/{smartContractId}/openapi.json GET",
      "/v1/contract-subscriptions GET POST",
      "/v1/contract-subscriptions/{subscriptionId} DELETE GET PUT",
      "/v1/contract-templates GET POST",
      "/v1/contract-templates/{templateId} GET",
      "/v1/contract-templates/{templateId}/versions GET POST",
      "/v1/contract-templates/{templateId}/versions/{version} GET",
      "/v1/contract-templates/{templateId}/versions/{version}/constructor GET",
      "/v1/contracts GET",
      "/v1/contracts/{smartContractId} GET",
      "/v1/events GET",
      "/v1/explorers GET POST",
      "/v1/explorers/ledgers/{ledgerId}/default GET",
      "/v1/explorers/{explorerId} DELETE GET PUT",
      "/v1/gateway/actions POST",
      "/v1/gateway/emulations POST",
      "/v1/gateway/plugin-actions POST",
      "/v1/gateway/transactions GET",
      "/v1/identities GET POST",
      "/v1/identities/authenticate POST",
      "/v1/identities/me GET",
      "/v1/identities/resources/{resourceId} GET",
      "/v1/identities/search/{searchCriteria} GET",
      "/v1/identities/search/{searchCriteria}/in-resources GET",
      "/v1/identities/{id} GET",
      "/v1/identities/{id}/status PUT",
      "/v1/identities/{serviceId}/config PUT",
      "/v1/identities/{serviceId}/image PUT",
      "/v1/identities/{serviceId}/profile PUT",
      "/v1/images/{imageId} GET",
      "/v1/invitations GET POST PUT",
      "/v1/invitations/identities GET",
      "/v1/invitations/identities/{identityId}/resource-identity-roles GET",
      "/v1/invitations/organizations GET",
      "/v1/invitations/resource-identity-roles GET",
      "/v1/invitations/resources GET",
      "/v1/ledger-ops/actions GET",
      "/v1/ledger-ops/actions/counts GET",
      "/v1/ledger-ops/actions/summary GET",
      "/v1/ledger-ops/actions/{actionId} GET",
      "/v1/ledger-ops/actions/{actionId}/cancel POST",
      "/v1/ledger-ops/actions/{actionId}/contract-events GET",
      "/v1/ledger-ops/actions/{actionId}/events GET",
      "/v1/ledger-ops/actions/{actionId}/executed POST",
      "/v1/ledger-ops/actions/{actionId}/explain GET",
      "/v1/ledger-ops/actions/{actionId}/hurry POST",
      "/v1/ledger-ops/actions/{actionId}/release POST",
      "/v1/ledger-ops/batch POST",
      "/v1/ledger-ops/certificates GET",
      "/v1/ledger-ops/contract-call POST",
      "/v1/ledger-ops/contract/call POST",
      "/v1/ledger-ops/emulate POST",
      "/v1/ledger-ops/events GET",
      "/v1/ledger-ops/ledger-call POST",
      "/v1/ledger-ops/search/actions GET POST",
      "/v1/ledger-ops/search/actions/{actionId} GET",
      "/v1/ledger-ops/search/intents POST",
      "/v1/ledger-ops/search/intents/{intent} GET",
      "/v1/ledger-ops/search/wallets/{walletId}/actions GET",
      "/v1/ledger-ops/send POST",
      "/v1/ledger-ops/suspensions GET POST",
      "/v1/ledger-ops/suspensions/{suspensionId} DELETE GET",
      "/v1/ledger/ops/search/wallets/{walletId}/actions GET",
      "/v1/ledger/ops/search/wallets/{walletId}/actions/{actionId} GET",
      "/v1/ledgers GET POST",
      "/v1/ledgers/featured GET",
      "/v1/ledgers/{ledgerId} DELETE GET PUT",
      "/v1/legacy-plugins GET POST",
      "/v1/legacy-plugins/tags DELETE GET",
      "/v1/legacy-plugins/{pluginId} DELETE GET PUT",
      "/v1/legacy-plugins/{pluginId}/tags POST",
      "/v1/nodes GET POST",
      "/v1/nodes/ledgers/{ledgerId} GET",
      "/v1/nodes/ledgers/{ledgerId}/default GET",
      "/v1/nodes/{nodeId} DELETE GET PUT",
      "/v1/organizations GET POST",
      "/v1/organizations/{organizationId} GET",
      "/v1/organizations/{organizationId}/image PUT",
      "/v1/plugins GET POST",
      "/v1/plugins/selection GET",
      "/v1/plugins/{pluginId} DELETE GET PUT",
      "/v1/plugins/{pluginId}/tags DELETE POST",
      "/v1/projects GET POST",
      "/v1/projects/{projectId} GET",
      "/v1/resource-manager/app-identity-properties GET POST",
      "/v1/resource-manager/app-identity-roles GET POST",
      "/v1/resource-manager/permission-evaluations GET",
      "/v1/resource-manager/permissions GET",
      "/v1/resource-manager/resource-identities GET",
      "/v1/resource-manager/resource-identity-roles GET POST",
      "/v1/resource-manager/resources POST",
      "/v1/resource-manager/resources/{resourceId} GET",
      "/v1/resource-manager/resources/{resourceId}/app-roles GET PUT",
      "/v1/resource-manager/resources/{resourceId}/has-permission GET",
      "/v1/resource-manager/resources/{resourceId}/identities/{serviceId}/roles/{name} DELETE",
      "/v1/resource-manager/resources/{resourceId}/lookup-terms POST",
      "/v1/resource-manager/resources/{resourceId}/permission-evaluation GET",
      "/v1/resource-manager/roles GET",
      "/v1/resource-manager/types/{type}/identities/{serviceId}/resources GET",
      "/v1/resource-manager/types/{type}/resources GET",
      "/v1/resource-manager/types/{type}/resources/containing/{resourceId} GET",
      "/v1/resource-manager/types/{type}/resources/mine GET",
      "/v1/search GET",
      "/v1/service-accounts POST",
      "/v1/service-accounts/api-tokens/{apiToken} PUT",
      "/v1/service-accounts/projects/{projectId} GET",
      "/v1/service-accounts/validate POST",
      "/v1/service-accounts/{accountId}/api-tokens GET POST",
      "/v1/service-accounts/{accountId}/keys GET POST PUT",
      "/v1/service-accounts/{emailOrAccountId} GET",
      "/v1/smart-contracts GET POST",
      "/v1/smart-contracts/deployments POST",
      "/v1/smart-contracts/templates GET POST",
      "/v1/smart-contracts/templates/{templateId}/specifications GET POST",
      "/v1/smart-contracts/templates/{templateId}/specifications/{tag} GET",
      "/v1/smart-contracts/tokens POST",
      "/v1/smart-contracts/{smartContractId} GET",
      "/v1/smart-contracts/{smartContractId}/properties PUT",
      "/v1/technologies GET",
      "/v1/timeline/events GET",
      "/v1/timeline/resource-types/{type} GET",
      "/v1/timeline/resources/{resourceId} GET",
      "/v1/timeline/services/{service}/actions/{action} GET",
      "/v1/webhooks GET POST",
      "/v1/webhooks/{webhookId} DELETE GET PUT",
      "/v1/webhooks/{webhookId}/deliveries GET",
      "/v1/webhooks/{webhookId}/replay POST",
      "/v1/webhooks/{webhookId}/secret POST",
      "/v1/webhooks/{webhookId}/test POST",
    ]
  `);
});

type Schema = { $ref?: string; [key: string]: unknown };
interface Document {
  openapi: string;
  info: { title: string; version: string };
  tags: { name: string; 'x-component-version'?: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, unknown> };
}
interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  deprecated?: boolean;
  security: object[];
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema; example?: unknown }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: Schema }> }>;
}

let read: Promise<{ document: Document; text: string }> | undefined;

/** Returns the server's OpenAPI document, which is generated once. */
function readDocument() {
  read ??= askForDocument();
  return read;
}

async function askForDocument(): Promise<{ document: Document; text: string }> {
  const { app } = makeServer(ground);
  const response = await app.request('/openapi.json');
  expect(response.headers.get('content-type')).toBe('application/json');
  const text = await response.text();
  // The tests of this file check the document's shape.
  return { document: JSON.parse(text) as Document, text };
}

test('the OpenAPI document lists exactly the operations of the route table', async () => {
  const { routes } = makeServer(ground);
  const { document } = await readDocument();
  const listed = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => nameOf({ method, path })),
  );
  expect(listed.toSorted()).toEqual(routes.map(nameOf).toSorted());
  const ids = Object.values(document.paths).flatMap((item) =>
    Object.values(item).map((one) => one.operationId),
  );
  expect(new Set(ids).size).toBe(ids.length);
});

test('in the OpenAPI document, references resolve, path parameters are declared, and errors are problems', async () => {
  const { document, text } = await readDocument();
  expect(document.openapi).toBe('3.1.0');
  for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    expect(Object.keys(document.components.schemas)).toContain(name);
  }
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      const where = `${method} ${path}`;
      const inPath = (operation.parameters ?? []).filter((one) => one.in === 'path').map(({ name }) => name);
      expect(inPath.toSorted(), where).toEqual(
        [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).toSorted(),
      );
      expect(operation.summary, where).toBeTruthy();
      expect(operation.tags, where).toHaveLength(1);
      expect(
        document.tags.map(({ name }) => name),
        where,
      ).toContain(operation.tags[0]);
      expect(
        Object.keys(operation.responses).some((status) => status.startsWith('2')),
        where,
      ).toBe(true);
      for (const [status, response] of Object.entries(operation.responses)) {
        expect(response.description, `${where} ${status}`).toBeTruthy();
        const isOAuth = where === 'post /v1/auth/token' || where === 'post /v1/auth/revoke';
        const own = isOAuth || where.startsWith('get /readyz');
        const isPage = operation.responses['200']?.content?.['text/html'] !== undefined;
        const ownStatuses = [
          ...(own ? ['401', '503'] : []),
          ...(isOAuth ? ['400'] : []),
          ...(isPage ? ['400', '401', '403', '429'] : []),
        ];
        if (Number(status) >= 400 && !ownStatuses.includes(status)) {
          expect(Object.keys(response.content ?? {}), `${where} ${status}`).toEqual([
            'application/problem+json',
          ]);
        }
      }
      if (['post', 'put'].includes(method) && operation.requestBody !== undefined) {
        const [content] = Object.values(operation.requestBody?.content ?? {});
        expect(content?.example, `${where} has no example body`).toBeDefined();
      }
    }
  }
});

test('each service is a tag of the OpenAPI document with its component version, and older paths are deprecated', async () => {
  const { document } = await readDocument();
  expect(
    Object.fromEntries(document.tags.map((tag) => [tag.name, tag['x-component-version']])),
  ).toMatchObject({
    'ledger-operations': '0.0.59',
    'contract-registry': '0.0.42',
    'access-control': '0.0.9',
    'cloud-wallet': '0.0.13',
    'older-contract-registry': '0.0.24',
  });
  expect(document.paths['/v1/ledger/ops/search/wallets/{walletId}/actions']?.get?.deprecated).toBe(true);
  expect(document.paths['/v1/ledger-ops/send']?.post?.deprecated).toBeUndefined();
});

test('operations accept the example bodies in the OpenAPI document', async () => {
  const { document } = await readDocument();
  const { call, runtime } = makeServer(ground);
  for (const path of ['send', 'contract/call', 'contract-call', 'ledger-call', 'emulate']) {
    const post = document.paths[`/v1/ledger-ops/${path}`]?.post;
    const example = post?.requestBody?.content['application/json']?.example;
    const response = await call('POST', `/v1/ledger-ops/${path}`, example);
    expect([path, response.status]).toEqual([path, path === 'emulate' ? 200 : 201]);
  }
  expect(runtime.sent).toHaveLength(4);
});
