import { Problem } from '@ledger-ops/base';
import type { Hono } from 'hono';
import type { Answer } from './answer.ts';
import type { Pipeline } from './pipeline.ts';
import { type AppContext, type AppEnv, headerOf } from './request/request-head.ts';
import { corsHeaders, preflightHeaders } from './response-headers.ts';
import type { Route } from './route.ts';

const methods = ['GET', 'POST', 'PUT', 'DELETE'] as const;

/**
 * Registers the routes. In paths, static segments take precedence over parameters. OPTIONS and CORS preflights are
 * answered, HEAD is handled like GET, and other methods of a path get 405 with `Allow`.
 *
 * @throws TypeError if two routes have the same method and path
 */
export function mountRoutes(
  app: Hono<AppEnv>,
  routes: readonly Route[],
  pipeline: Pipeline,
  corsOrigins: ReadonlySet<string>,
): void {
  for (const [path, group] of groupByPath(routes)) {
    const pattern = honoPath(path);
    const taken = new Set(group.map(({ method }) => method.toUpperCase()));
    const allow = [
      ...(taken.has('GET') ? ['GET', 'HEAD'] : []),
      ...methods.slice(1).filter((m) => taken.has(m)),
    ]
      .concat('OPTIONS')
      .join(', ');
    for (const route of group) {
      app.on(route.method.toUpperCase(), pattern, (context) => pipeline.handle(route, context));
    }
    const refuse = (context: AppContext) => pipeline.answer(context, () => methodNotAllowed(allow));
    app.on('OPTIONS', pattern, (context) =>
      pipeline.answer(context, () => preflight(context, allow, corsOrigins)),
    );
    // Responds to all other methods, such as PATCH and TRACE.
    app.all(pattern, refuse);
  }
  // Load balancers check a server by `OPTIONS /` or `OPTIONS *`, unless a path is configured.
  if (!routes.some(({ path }) => path === '/')) {
    const all = ['GET', 'HEAD', ...methods.slice(1), 'OPTIONS'].join(', ');
    app.on('OPTIONS', '/', (context) => pipeline.answer(context, () => preflight(context, all, corsOrigins)));
  }
  app.notFound((context) =>
    pipeline.answer(context, () => {
      throw new Problem('not-found', 'This path does not exist. See /docs for the operations.');
    }),
  );
}

/** Groups routes by path, more specific paths first: per segment, static before parameter. */
export function groupByPath(routes: readonly Route[]): [string, Route[]][] {
  const groups = new Map<string, Route[]>();
  for (const route of routes) {
    const group = groups.get(route.path) ?? [];
    if (group.some(({ method }) => method === route.method)) {
      throw new TypeError(
        `Two operations have the method and path ${route.method.toUpperCase()} ${route.path}.`,
      );
    }
    groups.set(route.path, [...group, route]);
  }
  return [...groups].sort(([a], [b]) => compareSpecificity(a, b));
}

function compareSpecificity(a: string, b: string): number {
  const [left, right] = [a.split('/'), b.split('/')];
  for (let at = 0; at < Math.min(left.length, right.length); at += 1) {
    const difference = Number(isParameter(left[at])) - Number(isParameter(right[at]));
    if (difference !== 0) return difference;
  }
  return 0;
}

function isParameter(segment: string | undefined): boolean {
  return segment?.startsWith('{') === true;
}

function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

/** Returns a 405 response that lists the methods of the path. */
export function methodNotAllowed(allow: string): Answer {
  const problem = new Problem('method-not-allowed', `This path only supports ${allow}.`);
  return {
    status: problem.status,
    body: problem.toDocument(),
    headers: { 'Content-Type': 'application/problem+json', Allow: allow },
  };
}

function preflight(context: AppContext, allow: string, origins: ReadonlySet<string>): Answer {
  const isAllowed = corsHeaders(headerOf(context, 'origin'), origins) !== undefined;
  const headers = isAllowed ? preflightHeaders(allow) : {};
  return { status: 204, headers: { ...headers, Allow: allow } };
}
