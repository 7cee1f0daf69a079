import { type OperationPermission, type Permission, permissions, systemUid } from '@ledger-ops/auth';
import { isFaultsRun } from '../../../../testing/faults.ts';
import { neededOf, type Route } from '../../src/http/route.ts';
import { type Api, type Installation, logIn, type Tenant } from '../stage/api.ts';
import { findRoute } from '../stage/find-route.ts';
import { type Told, tellsNothing, withoutFigures } from './nothing-told.ts';

const every = permissions.map(({ permission }) => permission);

/** Findings about the operations called through a probe. */
export interface ProbeReport {
  /** Differences between declared and needed permissions. */
  readonly differences: string[];
  /** Declared permissions that were proven necessary, by operation that succeeded. */
  readonly shown: Map<string, Set<string>>;
}

/**
 * Creates a caller in a tenant's project whose identity and application hold exactly the permissions that the
 * probe grants on the system. Each call to `expect` sends the request several times. Without the declared
 * permissions, the request must have no effect and return no data. With growing subsets of the declared
 * permissions, it must succeed at some point. With other permissions, it must never succeed.
 */
export async function addProbe(
  here: Installation,
  tenant: Tenant,
  admin: Api,
  routes: readonly Route[],
  report: ProbeReport,
): Promise<Api> {
  const { store } = here.server;
  const name = `${tenant.projectId}-probe`;
  const account = await admin.expect(201, 'POST', '/v1/service-accounts', {
    ...{ name, accountId: name, project: { projectID: tenant.projectId } },
  });
  const { apiToken = '' } = await admin.expect(201, 'POST', `/v1/service-accounts/${name}/api-tokens`);
  const app = await admin.expect(201, 'POST', '/v1/apps', { name, appId: name, projectId: tenant.projectId });
  const { appToken = '' } = await admin.expect(201, 'POST', `/v1/apps/${name}/token`);
  const holders = { identity: `identity:${account.serviceId}`, app: `app:${app.resourceUUID}` };
  const roles = { identity: `${name}-identity`, app: `${name}-app` };

  await store.transaction(async (tx) => {
    const { role, roleAssignment } = tx.t;
    for (const [index, holder] of (['identity', 'app'] as const).entries()) {
      const id = 1_000_000 + report.shown.size * 10 + Math.floor(Math.random() * 1e6) * 2 + index;
      const uid = roles[holder];
      const roleType = holder === 'identity' ? 'IDENTITY' : 'APP';
      await tx.db.insert(role).values({
        uid,
        id,
        name: uid,
        description: 'Permissions of the probe.',
        roleType,
        permissions: '[]',
      });
      await tx.db
        .insert(roleAssignment)
        .values({ id, holder: holders[holder], resourceUid: systemUid, roleUid: uid, createdAt: 0 });
    }
  });

  /** Removes all other roles, including those on records that the caller created. */
  async function hold(identity: readonly string[], application: readonly string[]): Promise<void> {
    await store.transaction(async (tx) => {
      await tx.run("update counter set value = value + 1 where name = 'access'");
      for (const [holder, held] of [
        ['identity', identity],
        ['app', application],
      ] as const) {
        await tx.run('update role set permissions = $1 where uid = $2', [
          JSON.stringify(held),
          roles[holder],
        ]);
        await tx.run('delete from role_assignment where holder = $1 and role_uid <> $2', [
          holders[holder],
          roles[holder],
        ]);
      }
    });
  }

  /** The last successful read. Repeating it, with no other request in between, shows nothing new. */
  let lastRead = '';

  await hold(every, every);
  const api = await logIn(here.url, {
    ...{ applicationToken: appToken, appId: app.appId ?? '', accountId: name, apiToken },
  });

  async function expectProbed<Body>(
    { operationId }: Route,
    permission: OperationPermission,
    [status, method, path, body]: [number, string, string, unknown],
  ): Promise<Body> {
    if (lastRead === `${method} ${path}`) {
      await hold(every, every);
      return await api.expect<Body>(status, method, path, body);
    }
    lastRead = '';
    const needed = neededOf(permission);
    const isShown = [...needed, ...(permission.also ?? []), ...(permission.gives ? ['gives'] : [])].every(
      (one) => report.shown.get(operationId)?.has(one),
    );
    // `npm run test:faults` probes each call to an operation. `npm test` probes calls until the operation's
    // permissions were shown.
    if (!isFaultsRun && isShown) {
      await hold(every, every);
      return await api.expect<Body>(status, method, path, body);
    }
    const ask = async (identity: readonly string[], application = identity) => {
      await hold(identity, application);
      return await api.call<Body>(method, path, body);
    };
    // A caller without permissions also sees this.
    const open = method === 'GET' ? withoutFigures((await ask([])).text) : undefined;
    const isNothing = (answer: Told) =>
      tellsNothing(answer, operationId) || withoutFigures(answer.text) === open;
    const isDone = (answer: Told) => answer.status === status && !isNothing(answer);
    const show = (names: readonly string[]) => {
      const shown = report.shown.get(operationId) ?? new Set();
      report.shown.set(operationId, new Set([...shown, ...names]));
    };

    const without = every.filter((one) => !needed.some((pattern) => covers(pattern, one)));
    for (const [who, identity, application] of [
      ['identity', without, every],
      ['application', every, without],
    ] as const) {
      const answer = await ask(identity, application);
      if (isNothing(answer)) continue;
      // Everyone may do this with their own records.
      if (permission.on === 'self' && answer.status === status) return answer.body;
      const words = `${needed.join(' or ')}, which the ${who} lacked`;
      report.differences.push(
        `${operationId} declares ${words}, but ${method} ${path} answered ${answer.status} ${answer.text.slice(0, 200)}`,
      );
      if (answer.status < 300) return answer.body;
    }
    let done: Body | undefined;
    const all = attempts(permission);
    // If each permission is proven necessary, smaller subsets show nothing new.
    for (const held of isShown ? all.slice(-needed.length) : all) {
      const answer = await ask(expanded(held));
      if (!isDone(answer)) continue;
      show(held);
      if (method === 'GET') lastRead = `${method} ${path}`;
      done = answer.body;
      // Reads are repeated with each permission that suffices individually.
      const repeats = (method === 'GET' || method === 'HEAD') && needed.length > 1 && held.length === 1;
      if (!repeats) return done;
    }
    if (done !== undefined) return done;
    if (repeatable.has(method) && permission.gives !== true) {
      const answer = await ask(every);
      // If the response is empty even with all permissions, trying other permissions proves nothing.
      if (answer.status === status && isNothing(answer)) return answer.body;
    }
    for (const more of permission.gives === true ? [] : guesses) {
      const answer = await ask(expanded([...needed, ...(permission.also ?? []), ...more]));
      if (!isDone(answer)) continue;
      report.differences.push(`${operationId} also requires ${more.join(' and ')} at ${method} ${path}`);
      return answer.body;
    }
    const answer = await ask(every);
    if (answer.status !== status) {
      throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
    }
    if (permission.gives === true) show([...needed, 'gives']);
    // An empty result is not a difference, because it does not show which permissions the operation needs.
    else if (isDone(answer))
      report.differences.push(`${operationId} demands more than it declares: ${method} ${path}`);
    return answer.body;
  }

  return {
    async call(...request) {
      await hold(every, every);
      return await api.call(...request);
    },
    async expect<Body>(status: number, method: string, path: string, body?: unknown) {
      const route = findRoute(routes, method, path);
      if (route === undefined) throw new Error(`No route matches ${method} ${path}.`);
      if (typeof route.permission === 'object')
        return await expectProbed<Body>(route, route.permission, [status, method, path, body]);
      await hold(every, every);
      return await api.expect<Body>(status, method, path, body);
    },
  };
}

/**
 * Returns the subsets of permissions to try: each necessary one individually, then together with growing
 * subsets of the other declared ones. Operations that change a record need the permission to see the record,
 * without declaring it.
 */
function attempts(permission: OperationPermission): string[][] {
  const needed = neededOf(permission);
  const also = new Set([
    ...needed.filter((one) => !one.endsWith(':create')).map((one) => one.replace(/:\w+$/, ':read')),
    ...(permission.also ?? []),
  ]);
  const subsets: string[][] = [[]];
  for (const one of also) subsets.push(...subsets.map((some) => [...some, one]));
  subsets.sort((a, b) => a.length - b.length);
  return subsets.flatMap((some) => needed.map((one) => [one, ...some]));
}

/** Methods that are safe to repeat. */
const repeatable = new Set(['GET', 'HEAD', 'PUT']);

/** The subsets tried for an operation that fails with its declared permissions, for the report. */
const readable = every.filter((one) => one.endsWith(':read'));
const guesses: string[][] = [
  ...every.map((one) => [one]),
  ...readable.flatMap((one) => readable.filter((other) => other > one).map((other) => [one, other])),
];

/** `<type>:read` covers `wallet:read`. */
function covers(pattern: string, permission: Permission): boolean {
  const verb = /^<type>(:\w+)$/.exec(pattern)?.[1];
  return verb === undefined ? pattern === permission : permission.endsWith(verb);
}

function expanded(patterns: readonly string[]): Permission[] {
  return every.filter((permission) => patterns.some((pattern) => covers(pattern, permission)));
}
