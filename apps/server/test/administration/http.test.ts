import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { addUser } from '../access/users.ts';
import {
  addCaller,
  type Ground,
  makeServer,
  openGround,
  problemOf,
  type TestServer,
} from '../stage/harness.ts';

let ground: Ground;
let server: TestServer;
beforeAll(async () => {
  ground = await openGround();
  server = makeServer(ground);
});
afterAll(() => ground.close());

/** A request by the installation's administrator. */
const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  await server.call(method, path, body, { ...ground.superuser.headers, ...headers });
const json = async (status: number, method: string, path: string, body?: unknown) => {
  const response = await call(method, path, body);
  expect([
    method,
    path,
    response.status,
    response.status === status ? '' : await response.clone().text(),
  ]).toEqual([method, path, status, '']);
  return (await response.json()) as Record<string, string>;
};
const project = () => ground.caller.principal.projectUid;

describe('administrative operations', () => {
  test('only the administrative operations of the specification are marked as deprecated', async () => {
    const routes = server.routes.filter(({ service }) =>
      [
        'resource-manager',
        'identities',
        'service-accounts',
        'organization-projects',
        'apps',
        'invitations',
      ].includes(service),
    );
    expect(routes.length).toBeGreaterThan(60);
    const ours = routes.filter(({ deprecated }) => deprecated !== true).map(({ operationId }) => operationId);
    expect(ours.toSorted()).toEqual(['createServiceAccountApiToken']);
    const response = await call('GET', '/v1/identities/me');
    expect(response.headers.get('deprecation')).toMatch(/^@\d+$/);
    expect(response.headers.get('link')).toMatch(
      /^<http:\/\/ledger\.test\/docs#deprecated>; rel="deprecation"/,
    );
    const issued = await call('POST', `/v1/service-accounts/${ground.caller.accountId}/api-tokens`);
    expect([issued.status, issued.headers.get('deprecation')]).toEqual([201, null]);
  });

  test('an operation outside the specification that resembles a deprecated one names its current equivalent', () => {
    const ours = server.routes.filter(
      ({ service, deprecated }) =>
        ['ledger-nodes', 'service-accounts'].includes(service) && deprecated !== true,
    );
    expect(ours).toHaveLength(8);
    for (const { operationId, method, description = '' } of ours) {
      const [, path] = /Call `[A-Z]+ ([^`]+)`/.exec(description) ?? [];
      const like = server.routes.filter((one) => one.method === method && one.path === path);
      expect([operationId, like.map(({ service }) => service)]).toEqual([operationId, ['administration']]);
    }
  });

  test('administrative operations report each invalid value with its pointer and rule', async () => {
    for (const [method, path, body, errors] of [
      ['POST', '/v1/apps', {}, [{ pointer: '/name', detail: 'is required' }]],
      ['POST', '/v1/apps', { name: 7 }, [{ pointer: '/name', detail: 'must be text' }]],
      ['GET', '/v1/projects', undefined, [{ pointer: 'organization', detail: 'is required' }]],
      [
        'GET',
        '/v1/organizations?size=4',
        undefined,
        [{ pointer: 'size', detail: 'must be a whole number from 5 to 100' }],
      ],
      [
        'GET',
        '/v1/organizations?sort=color',
        undefined,
        [{ pointer: 'sort', detail: expect.stringContaining('allows only the keys') }],
      ],
      [
        'GET',
        '/v1/organizations?page=1&page=2',
        undefined,
        [{ pointer: 'page', detail: 'is given more than once' }],
      ],
    ] as const) {
      const problem = await problemOf(await call(method, path, body));
      expect([path, problem.status, problem.errors]).toEqual([path, 400, errors]);
    }
  });

  test('administrative operations ignore unknown members and parameters', async () => {
    const body = { name: 'known', unknown: { a: 1 }, dateCreated: 7 };
    const made = await json(201, 'POST', '/v1/apps?whatever=1', body);
    expect(made).not.toHaveProperty('unknown');
  });
});

describe('listings', () => {
  test('every listing returns a page object of its own page type, with page numbers that start at 0', async () => {
    const query = 'page=0&size=5&sort=id,desc';
    for (const [path, contentType] of [
      [`/v1/organizations?all=true&${query}`, 'OrganizationPage'],
      [`/v1/projects?organization=org-one&${query}`, 'ProjectPage'],
      [`/v1/apps/projects/project-one?${query}`, 'AppPage'],
      [`/v1/service-accounts/projects/project-one?${query}`, 'ServiceAccountPage'],
      [`/v1/resource-manager/types/project/resources?page=0&size=5`, 'ResourcePage'],
      [`/v1/resource-manager/types/project/resources/mine`, 'ResourcePage'],
      [`/v1/resource-manager/types/project/resources/containing/one`, 'ResourcePage'],
      [
        `/v1/resource-manager/types/project/identities/${ground.caller.principal.serviceId}/resources`,
        'ResourcePage',
      ],
      [
        `/v1/resource-manager/resource-identity-roles?resource=${project()}&identity=${ground.caller.principal.serviceId}`,
        'ResourceIdentityRolePage',
      ],
      [`/v1/resource-manager/resource-identities?resource=${project()}`, 'IdentityPage'],
      ['/v1/invitations/organizations', 'OrganizationPage'],
      [`/v1/invitations/identities?resources=${project()}`, 'IdentityPage'],
      [`/v1/invitations/resource-identity-roles?resource=${project()}`, 'ResourceIdentityRolePage'],
      ['/v1/invitations/resources?resourceType=project', 'ResourcePage'],
      [
        `/v1/invitations/identities/${ground.caller.principal.serviceId}/resource-identity-roles`,
        'ResourceIdentityRolePage',
      ],
    ] as const) {
      const page = await json(200, 'GET', path);
      expect([path, page]).toEqual([
        path,
        {
          contentType,
          pageElements: expect.any(Number),
          pageNumber: 0,
          totalElements: expect.any(Number),
          totalPages: expect.any(Number),
          pageContent: expect.any(Array),
        },
      ]);
    }
  });

  test('listings page through every record once, in the requested order', async () => {
    for (let nth = 0; nth < 7; nth += 1) {
      await json(201, 'POST', '/v1/organizations', {
        name: `paged ${nth % 2}`,
        organizationID: `paged-${nth}`,
      });
    }
    const seen: string[] = [];
    for (let page = 0; ; page += 1) {
      const body = await json(200, 'GET', `/v1/organizations?all=true&size=5&page=${page}&sort=name,desc`);
      const content = z.array(z.looseObject({ organizationID: z.string() })).parse(body.pageContent);
      if (content.length === 0) break;
      seen.push(...content.map(({ organizationID }) => organizationID));
    }
    expect(new Set(seen).size).toBe(seen.length);
    const paged = seen.filter((id) => id.startsWith('paged-'));
    expect(paged.map((id) => Number(id.at(-1)) % 2)).toEqual([1, 1, 1, 0, 0, 0, 0]);
  });

  test('listings accept several values of a query parameter, repeated or separated by commas', async () => {
    const path = '/v1/resource-manager/permission-evaluations';
    const ids = `${project()},system`;
    const repeated = `resource=${project()}&resource=system&permission=project:read&permission=app:read`;
    const expected = await json(200, 'GET', `${path}?resource=${ids}&permission=project:read,app:read`);
    expect(expected).toHaveLength(2);
    expect(await json(200, 'GET', `${path}?${repeated}`)).toEqual(expected);
  });
});

describe('Idempotency-Key', () => {
  test('a retry with the same Idempotency-Key returns the created record, unless its body differs', async () => {
    const headers = { 'Idempotency-Key': 'app-1' };
    const first = await call('POST', '/v1/apps', { name: 'once' }, headers);
    const again = await call('POST', '/v1/apps', { name: 'once' }, headers);
    expect([first.status, again.status, again.headers.get('idempotency-replayed')]).toEqual([
      201,
      201,
      'true',
    ]);
    expect(await again.json()).toEqual(await first.json());
    expect((await call('POST', '/v1/apps', { name: 'twice' }, headers)).status).toBe(422);
  });

  test.each([
    ['an application token', () => `/v1/apps/${ground.caller.appId}-2/token`],
    ['an API token', () => `/v1/service-accounts/${ground.caller.accountId}/api-tokens`],
    ['a key', () => `/v1/service-accounts/${ground.caller.accountId}/keys`],
  ])('the response to a retry does not contain %s', async (name, path) => {
    if (name === 'an application token') {
      await json(201, 'POST', '/v1/apps', { name, appId: `${ground.caller.appId}-2`, projectId: project() });
    }
    const headers = { 'Idempotency-Key': `secret of ${name}`.replaceAll(' ', '-') };
    const first = await call('POST', path(), undefined, headers);
    expect([first.status, first.headers.get('cache-control')]).toEqual([201, 'no-store']);
    const again = await call('POST', path(), undefined, headers);
    expect((await problemOf(again)).type).toBe('urn:ledger-ops:problem:answer-not-replayable');
    const kept = await ground.store.read.all<{ body: string | null }>(
      'SELECT body FROM idempotency WHERE key = $1',
      [headers['Idempotency-Key']],
    );
    expect(kept).toEqual([{ body: null }]);
  });
});

describe('roles', () => {
  test('roles take effect immediately and end as scheduled', async () => {
    const user = await addUser(ground);
    const identity = { serviceId: user.serviceId };
    const resource = { resourceUUID: project() };
    const given = await json(201, 'POST', '/v1/resource-manager/resource-identity-roles', {
      identity,
      resource,
      role: { name: 'viewer' },
    });
    expect(given).toMatchObject({ identity, role: { name: 'viewer', roleType: 'IDENTITY' } });
    const path = `/v1/resource-manager/resources/${project()}/identities/${user.serviceId}/roles/viewer`;
    const removed = await call('DELETE', path);
    expect([removed.status, await removed.text()]).toEqual([202, '']);
    await ground.admin.sweep();
    const left = `/v1/resource-manager/resource-identity-roles?resource=${project()}&identity=${user.serviceId}`;
    expect(await json(200, 'GET', left)).toMatchObject({ totalElements: 0 });
  });

  test('the evaluator reports the caller’s roles', async () => {
    const path = `/v1/resource-manager/resources/${project()}`;
    const { headers, principal } = ground.caller;
    const ask = async (query: string) =>
      await (await server.call('GET', `${path}/${query}`, undefined, headers)).json();
    expect(await ask('has-permission?permission=wallet:transact')).toBe(true);
    expect(await ask('has-permission?permission=wallet:transact,system:manage')).toBe(false);
    expect(await ask('permission-evaluation?permissions=system:manage,app:read')).toEqual({
      identity: { serviceId: principal.serviceId },
      appId: principal.appId,
      missingAppPermissions: ['system:manage'],
      missingResourcePermissions: ['system:manage'],
      resourceId: project(),
      result: false,
    });
  });
});

describe('images', () => {
  const png =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>').toString(
    'base64',
  );
  const imageOf = async (data: string, format: string) => {
    const app = await json(200, 'PUT', `/v1/apps/${ground.caller.appId}/image`, { data, format });
    return (app.imageURL ?? '').replace('http://ledger.test', '');
  };

  test('images are served with their real type and without sniffing', async () => {
    const response = await call('GET', await imageOf(png, 'png'));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('image/png');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('content-disposition')).toMatch(/^inline/);
    expect(Buffer.from(await response.arrayBuffer()).toString('base64')).toBe(png);
  });

  test('SVG images are attachments, so their scripts never run on our origin', async () => {
    const { headers, status } = await call('GET', await imageOf(svg, 'svg'));
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('image/svg+xml');
    expect(headers.get('content-disposition')).toMatch(/^attachment/);
    expect(headers.get('content-security-policy')).toContain('sandbox');
  });

  test('an image is visible only to callers that can see its owner', async () => {
    const path = await imageOf(png, 'png');
    expect((await server.app.request(path)).status).toBe(401);
    const other = await addCaller(ground.store, ground.auth, ground.administrator, 'image-stranger');
    expect((await server.call('GET', path, undefined, { ...other.headers })).status).toBe(404);
  });

  test.each([
    ['in another format than declared', png, 'jpeg'],
    ['not an image', Buffer.from('hello').toString('base64'), 'png'],
    ['not base64', '***', 'png'],
  ])('image data that is %s is refused', async (_what, data, format) => {
    const response = await call('PUT', `/v1/apps/${ground.caller.appId}/image`, { data, format });
    expect(await problemOf(response)).toMatchObject({ status: 400, errors: [{ pointer: '/data' }] });
  });
});

describe('an invitation', () => {
  test('canceling an invitation accepts an optional JSON body', async () => {
    const made = await json(201, 'POST', '/v1/invitations', {
      userEmail: 'other@example.com',
      organizationId: 'org-one',
    });
    const response = await server.call('PUT', '/v1/invitations', 'x', {
      ...ground.superuser.headers,
      'Content-Type': 'text/plain',
    });
    expect(response.status).toBe(415);
    expect(
      await json(200, 'PUT', '/v1/invitations', { id: made.id, invitationState: 'CANCELED' }),
    ).toMatchObject({
      invitationState: 'CANCELED',
    });
  });
});

test('operations accept their example bodies', async () => {
  await json(201, 'POST', '/v1/organizations', { name: 'Example', organizationID: 'example' });
  await json(201, 'POST', '/v1/projects', {
    name: 'p',
    projectID: 'example-project',
    organization: 'example',
  });
  await json(201, 'POST', '/v1/apps', { name: 'Shop', appId: 'shop', projectId: 'example-project' });
  const user = await addUser(ground);
  const uuid = '019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c20';
  const wrong: string[] = [];
  const tried = server.routes.filter(({ path, body }) => {
    const isOurs =
      /^\/v1\/(resource-manager|identities|service-accounts|organizations|projects|apps|invitations)/.test(
        path,
      );
    return isOurs && body !== undefined;
  });
  for (const route of tried) {
    if (
      ['authenticateUser', 'validateServiceAccountCredentials', 'respondToInvitation'].includes(
        route.operationId,
      )
    ) {
      continue;
    }
    const path = route.path
      .replace('{serviceId}', user.serviceId)
      .replace('{organizationId}', 'example')
      .replace('{appId}', 'shop')
      .replace('{resourceId}', project());
    // Placeholder ids in the example are replaced by existing records.
    const text = JSON.stringify(route.body?.example)
      .replaceAll(uuid, project())
      .replaceAll('019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c21', user.serviceId);
    const body = JSON.parse(text) as Record<string, unknown>;
    if (route.operationId === 'createOrganization') body.organizationID = 'example-2';
    if (route.operationId === 'createApp') body.appId = 'shop-2';
    if (route.operationId === 'inviteUser') body.organizationId = 'org-one';
    const response = await call(route.method.toUpperCase(), path, body);
    if (!response.ok) wrong.push(`${route.operationId}: ${response.status} ${await response.text()}`);
  }
  expect(wrong).toEqual([]);
});
