// Generated from the route table: bodies with forbidden members, and strings that are far too long.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Route } from '../../src/http/route.ts';
import { headLimits } from '../../src/http/sockets/bare-problem.ts';
import { type Ground, makeServer, openGround, type TestServer } from '../stage/harness.ts';

let ground: Ground;
let server: TestServer;
let routes: readonly Route[];
beforeAll(async () => {
  ground = await openGround();
  server = makeServer(ground);
  routes = server.routes.filter(({ body }) => body?.type === 'application/json');
});
afterAll(() => ground.close());

const nameOf = ({ method, path }: Route) => `${method.toUpperCase()} ${path}`;
const pathOf = ({ path }: Route) => path.replaceAll(/\{(\w+)\}/g, 'x1');
/** Required parameters of operations with a body. */
const queryOf: Record<string, string> = { validateServiceAccountCredentials: '?authType=apiToken' };
const send = (route: Route, body: unknown) =>
  server.call(route.method.toUpperCase(), `${pathOf(route)}${queryOf[route.operationId] ?? ''}`, body);

/** Returns the pointers to the texts of a body. */
function textsIn(value: unknown, pointer = ''): string[] {
  if (typeof value === 'string') return [pointer];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => textsIn(member, `${pointer}/${name}`));
}

/** Returns the same body with another value at a pointer. */
function withValue(body: unknown, pointer: string, value: unknown): unknown {
  const copy: unknown = structuredClone(body);
  const names = pointer.split('/').slice(1);
  const last = names.pop() ?? '';
  let at = copy;
  for (const name of names) at = Reflect.get(at as object, name);
  Reflect.set(at as object, last, value);
  return copy;
}

describe('a string of one megabyte', () => {
  const long = 'a'.repeat(1_048_576);
  /** As long as the body's limit allows, so it reaches the schema. */
  const longIn = ({ body }: Route) => long.slice(0, (body?.limit.bytes ?? 0) - 8_192);
  /** Strings that may be this long: interfaces, compiled code, and arguments, which the contract validates. */
  const roomy =
    /^\/(?:interface|(?:preC|c)ompilationSpecification|data|(?:glo\/(?:options|params)\/)?args\/\d+|params\/\d+\/value.*)$/;

  test('every operation refuses a string of one megabyte in a body, and does not repeat it in the response', async () => {
    let asked = 0;
    const wrong: string[] = [];
    for (const route of routes) {
      for (const pointer of textsIn(route.body?.example)) {
        if (roomy.test(pointer)) continue;
        asked += 1;
        const response = await send(route, withValue(route.body?.example, pointer, longIn(route)));
        const text = await response.text();
        const where = `${nameOf(route)} ${pointer}: ${response.status}`;
        if (response.status < 400 || response.status >= 500) wrong.push(`${where} ${text.slice(0, 200)}`);
        if (text.length > 5_000) wrong.push(`${where} repeats it`);
      }
    }
    expect(wrong).toEqual([]);
    expect(asked).toBeGreaterThan(100);
  }, 180_000);

  test('every query parameter and path refuses a string longer than the limit of request heads', async () => {
    const inHead = long.slice(0, 2 * headLimits.bytes);
    const wrong: string[] = [];
    for (const route of server.routes) {
      if (typeof route.permission !== 'object') continue;
      const requests = [
        ...Object.keys(route.query?.shape ?? {}).map((name) => `${pathOf(route)}?${name}=${inHead}`),
        ...(route.path.includes('{') ? [route.path.replaceAll(/\{(\w+)\}/g, inHead)] : []),
      ];
      for (const target of requests) {
        const response = await server.call(
          route.method.toUpperCase(),
          target,
          route.body === undefined ? undefined : route.body.example,
        );
        await response.body?.cancel();
        if (response.status < 400 || response.status >= 500) {
          wrong.push(`${nameOf(route)} ${target.slice(0, 80)}…: ${response.status}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  }, 60_000);
});

describe('values of the wrong type', () => {
  test('values of the wrong type never cause an internal error', async () => {
    const wrong: string[] = [];
    for (const route of routes) {
      for (const pointer of textsIn(route.body?.example)) {
        for (const value of [null, 7, true, [], {}, ['x'], { x: {} }, '', '\0', '\ud800', '__proto__']) {
          const response = await send(route, withValue(route.body?.example, pointer, value));
          await response.body?.cancel();
          if (response.status >= 500) {
            wrong.push(`${nameOf(route)} ${pointer} ${JSON.stringify(value)}: ${response.status}`);
          }
        }
      }
    }
    expect(wrong).toEqual([]);
  }, 300_000);
});

describe('mass assignment', () => {
  const planted = {
    id: 7,
    uid: 'planted',
    serviceId: 'planted',
    status: 'DISABLED',
    role: 'administrator',
    roles: ['administrator'],
    type: undefined as unknown,
    createdBy: 'planted',
    updatedBy: 'planted',
    dateCreated: 1,
    dateUpdated: 1,
    resourceUUID: 'planted',
    identityType: 'SERVICE',
    tokenHash: 'planted',
    token_hash: 'planted',
    createdAt: 1,
    invitationState: 'ACCEPTED',
    projectUid: 'planted',
    organizationUid: 'planted',
  };

  test('members that cannot be set are refused in new operations and ignored in deprecated ones', async () => {
    const call = async (method: string, path: string, body?: unknown) => {
      const { superuser } = ground;
      const response = await server.call(method, path, body, { ...superuser.headers });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    const creations: [string, Record<string, unknown>][] = [
      ['/v1/organizations', { name: 'planting', organizationID: 'planting' }],
      ['/v1/projects', { name: 'planting', projectID: 'planting', organization: 'planting' }],
      ['/v1/apps', { name: 'planting', appId: 'planting', projectId: 'planting' }],
      ['/v1/service-accounts', { name: 'planting', accountId: 'planting', project: 'planting' }],
      ['/v1/identities', { identifier: 'planting@example.com' }],
      ['/v1/invitations', { userEmail: 'planted@example.com', organizationId: 'planting' }],
      ['/v1/resource-manager/resources', { type: 'billing-account' }],
    ];
    for (const [path, body] of creations) {
      const { id, ...rest } = planted;
      // The creator chooses a resource's id.
      const more = path.endsWith('/resources') ? rest : { id, ...rest };
      const { type: _, ...others } = more;
      const made = await call('POST', path, { ...others, ...body });
      expect([path, made.status, made.body]).toEqual([path, 201, expect.anything()]);
      expect(JSON.stringify(made.body)).not.toContain('planted"');
      expect(made.body).not.toMatchObject({ id: 7 });
      expect(made.body.dateCreated).not.toBe(1);
      expect(made.body.status ?? 'ENABLED').not.toBe('DISABLED');
      expect(made.body.invitationState ?? 'PENDING').toBe('PENDING');
    }
    // The created identity holds none of the named roles.
    const listed = await call('GET', '/v1/identities/planting@example.com');
    const serviceId = String(listed.body.serviceId);
    const roles = await call(
      'GET',
      `/v1/resource-manager/resource-identity-roles?resource=system&identity=${serviceId}`,
    );
    expect(roles.body).toMatchObject({ totalElements: 0 });
  });

  test('an update changes only the members that its body contains', async () => {
    const { caller } = ground;
    const before = (await (await server.call('GET', `/v1/apps/${caller.appId}`)).json()) as object;
    const { type: _, ...others } = planted;
    const response = await server.call('PUT', `/v1/apps/${caller.appId}`, {
      ...others,
      appId: 'planted',
      resourceId: 'planted',
      projectId: 'planted',
      imageURL: 'https://evil.example/x.png',
      name: 'renamed',
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ ...before, name: 'renamed' });
    expect((await server.call('GET', '/v1/identities/me')).status).toBe(200);
  });

  test('nobody can grant themselves a role that they do not hold', async () => {
    const { caller } = ground;
    const body = { identity: { serviceId: caller.principal.serviceId }, role: { name: 'administrator' } };
    for (const resource of ['system', caller.principal.projectUid]) {
      const response = await server.call('POST', '/v1/resource-manager/resource-identity-roles', {
        ...body,
        resource,
      });
      expect([resource, [403, 404].includes(response.status)]).toEqual([resource, true]);
    }
  });
});
