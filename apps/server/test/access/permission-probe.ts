import { type OperationPermission, type Permission, permissions, systemUid } from '@ledger-ops/auth';
import { neededOf, type Route } from '../../src/http/route.ts';
import { type Api, type Installation, logIn, type Tenant } from '../stage/api.ts';
import { type Told, tellsNothing } from './nothing-told.ts';

const every = permissions.map(({ permission }) => permission);

/** On the operations that were called through a probe. */
export interface ProbeReport {
  /** Between declared and needed permissions. */
  readonly differences: string[];
  /** Of each operation that did what it should: the declared permissions that were seen to count. */
  readonly shown: Map<string, Set<string>>;
}

/**
 * A caller in a tenant's project whose identity and application hold, on the system, what the probe lets them. Each
 * call of `expect` is made several times: without what the operation declares, where it may neither do nor show
 * anything; with ever more of what it declares, until it does what it should; never with anything else.
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
  const app = await admin.expect(201, 'POST', '/v1/apps', {
    ...{ name, appId: name, projectId: tenant.projectId },
  });
  const { appToken = '' } = await admin.expect(201, 'POST', `/v1/apps/${name}/token`);
  const holders = { identity: `identity:${account.serviceId}`, app: `app:${app.resourceUUID}` };
  const roles = { identity: `${name}-identity`, app: `${name}-app` };

  await store.transaction(async (tx) => {
    const { role, roleAssignment } = tx.t;
    for (const [index, holder] of (['identity', 'app'] as const).entries()) {
      const id = 1_000_000 + report.shown.size * 10 + Math.floor(Math.random() * 1e6) * 2 + index;
      const uid = roles[holder];
      const roleType = holder === 'identity' ? 'IDENTITY' : 'APP';
      await tx.db
        .insert(role)
        .values({ uid, id, name: uid, description: 'What the probe holds.', roleType, permissions: '[]' });
      await tx.db
        .insert(roleAssignment)
        .values({ id, holder: holders[holder], resourceUid: systemUid, roleUid: uid, createdAt: 0 });
    }
  });

  /** Nothing but this is held, whatever became the caller's by what it created. */
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

  /** A read that did what it should, when nothing was asked since: again, as one waits for an end, it shows no more. */
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
    const ask = async (identity: readonly string[], application = identity) => {
      await hold(identity, application);
      return await api.call<Body>(method, path, body);
    };
    const needed = neededOf(permission);
    // Whoever holds nothing sees this, too.
    const open = method === 'GET' ? (await ask([])).text : undefined;
    const isNothing = (answer: Told) => tellsNothing(answer, operationId) || answer.text === open;
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
      // With themselves everybody may.
      if (permission.on === 'self' && answer.status === status) return answer.body;
      const words = `${needed.join(' or ')}, which the ${who} lacked`;
      report.differences.push(
        `${operationId} declares ${words}, but ${method} ${path} answered ${answer.status} ${answer.text.slice(0, 200)}`,
      );
      if (answer.status < 300) return answer.body;
    }
    let done: Body | undefined;
    const all = attempts(permission);
    const isShown = [...needed, ...(permission.also ?? [])].every((one) =>
      report.shown.get(operationId)?.has(one),
    );
    // Where each was seen to count there is nothing to learn from less than all.
    for (const held of isShown ? all.slice(-needed.length) : all) {
      const answer = await ask(expanded(held));
      if (!isDone(answer)) continue;
      show(held);
      if (method === 'GET') lastRead = `${method} ${path}`;
      done = answer.body;
      // Reads are asked for again with each permission that is enough alone.
      const repeats = (method === 'GET' || method === 'HEAD') && needed.length > 1 && held.length === 1;
      if (!repeats) return done;
    }
    if (done !== undefined) return done;
    if (repeatable.has(method) && permission.gives !== true) {
      const answer = await ask(every);
      // Even who may do everything is told nothing: so would all that are guessed be.
      if (answer.status === status && isNothing(answer)) return answer.body;
    }
    for (const more of permission.gives === true ? [] : guesses) {
      const answer = await ask(expanded([...needed, ...(permission.also ?? []), ...more]));
      if (!isDone(answer)) continue;
      report.differences.push(`${operationId} demands ${more.join(' and ')}, too, at ${method} ${path}`);
      return answer.body;
    }
    const answer = await ask(every);
    if (answer.status !== status) {
      throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
    }
    if (permission.gives === true) show([...needed, 'gives']);
    // Else it found nothing, and showed nothing of what it needs.
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
      const route = routeOf(routes, method, path);
      if (typeof route.permission === 'object')
        return await expectProbed<Body>(route, route.permission, [status, method, path, body]);
      await hold(every, every);
      return await api.expect<Body>(status, method, path, body);
    },
  };
}

/**
 * One of what is needed, with nothing else, then with ever more of what else is declared. Who changes a record must see
 * it, so that no operation says so.
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

/** Methods that do nothing more when they are called again. */
const repeatable = new Set(['GET', 'HEAD', 'PUT']);

/** Tried for an operation that is not done with the permissions that it declares, for the report. */
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

function routeOf(routes: readonly Route[], method: string, path: string): Route {
  const [plain = ''] = path.split('?');
  const matching = routes
    .filter((route) => route.method === (method === 'HEAD' ? 'get' : method.toLowerCase()))
    .filter((route) =>
      new RegExp(`^${route.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(plain),
    )
    // Static segments win.
    .toSorted((a, b) => (a.path.replaceAll(/\{\w+\}/g, '~') < b.path.replaceAll(/\{\w+\}/g, '~') ? -1 : 1));
  const [first] = matching;
  if (first === undefined) throw new Error(`No route takes ${method} ${path}.`);
  return first;
}
