import { type AppPrincipal, type Auth, type Principal, projectHeader } from '@ledger-ops/auth';
import { Problem, Secret } from '@ledger-ops/base';
import type { Tracer } from '@ledger-ops/runtime';
import type { AccessLog } from './access-log.ts';
import type { Answer } from './answer.ts';
import type { Idempotency, StoredAnswer } from './idempotency.ts';
import { problemHeaders, toProblem } from './problems/problem-answer.ts';
import { hasNoBody, readJson, readText } from './request/body.ts';
import { refuseSecrets } from './request/query.ts';
import { type AppContext, headerOf, incomingOf, refuseDoubles } from './request/request-head.ts';
import { requestIdFrom } from './request/request-id.ts';
import { traceRequest } from './request/request-trace.ts';
import { sourceOf } from './request/source.ts';
import { baseHeaders, corsHeaders, deprecationHeaders } from './response-headers.ts';
import type { Route } from './route.ts';

/** Dependencies of the pipeline. */
export interface PipelineOptions {
  readonly auth: Auth;
  readonly idempotency: Idempotency;
  readonly baseUrl: string;
  readonly corsOrigins: ReadonlySet<string>;
  readonly accessLog: AccessLog;
  /** Absent: nobody records traces. */
  readonly tracer?: Tracer | undefined;
  /** How many proxies in front add to X-Forwarded-For; default 0. */
  readonly trustedProxies?: number;
}

/** The steps that every request passes, whatever its route. */
export interface Pipeline {
  /** Handles a request on a route. */
  handle(route: Route, context: AppContext): Promise<Response>;
  /** Answers where there is no operation. */
  answer(context: AppContext, make: () => Answer | Promise<Answer>): Promise<Response>;
}

const refusals: ReadonlySet<string> = new Set(['not-found', 'not-permitted']);
const noRoles =
  'The calling identity has no role yet, on anything: who administers the project gives it one (POST /v1/admin/role-grants).';

const never = new AbortController().signal;

/** Builds the pipeline: request id, authentication, body, permission, idempotency, answer, log; in this order. */
export function createPipeline(options: PipelineOptions): Pipeline {
  const { auth, idempotency, baseUrl, corsOrigins, accessLog, tracer, trustedProxies = 0 } = options;
  const common = baseHeaders(baseUrl);

  async function authenticate(
    route: Route,
    context: AppContext,
  ): Promise<Principal | AppPrincipal | undefined> {
    if (route.permission === 'public') return undefined;
    const token = headerOf(context, 'applicationtoken');
    const applicationToken = token === undefined || token === '' ? undefined : new Secret(token);
    if (route.permission === 'application-token') return await auth.authenticateApp(applicationToken);
    const bearer = bearerOf(headerOf(context, 'authorization'));
    return await auth.authenticate(applicationToken, bearer, projectIn(context));
  }

  async function readBody(route: Route, context: AppContext): Promise<unknown> {
    if (route.body === undefined) return undefined;
    if (route.body.optional === true && hasNoBody(context)) return undefined;
    const { type, limit } = route.body;
    return type === 'application/json'
      ? await readJson(context, limit)
      : await readText(context, type, limit);
  }

  async function run(route: Route, context: AppContext, caller: Principal | AppPrincipal | undefined) {
    const principal = caller !== undefined && 'serviceId' in caller ? caller : undefined;
    const search = context.req.url.indexOf('?');
    const query = new URLSearchParams(search === -1 ? '' : context.req.url.slice(search));
    if (search !== -1 && route.readsQuery !== true) refuseSecrets(query);
    const body = await readBody(route, context);
    const { permission } = route;
    if (typeof permission === 'object' && permission.on === 'project' && principal !== undefined) {
      await auth.demand(principal, permission.needs, principal.projectUid);
    }
    const claimFor = (key: string) =>
      idempotency.claim(principal === undefined ? '' : holderOf(principal, context), key, {
        method: route.method,
        path: context.req.path,
        body,
      });
    const key = route.creates === undefined ? undefined : headerOf(context, 'idempotency-key');
    const claim = key === undefined ? undefined : await claimFor(key);
    const raw = {
      params: route.params === undefined ? {} : context.req.param(),
      query,
      body,
      caller,
      claim,
      claimFor,
      replay: idempotency.replay,
      header: (name: string) => headerOf(context, name),
      get source() {
        return sourceOf(context, trustedProxies);
      },
      // Only streams watch it, and to make it costs more than the rest of a request.
      get signal() {
        return context.req.raw.signal ?? never;
      },
      isHead: context.req.method === 'HEAD',
      reauthenticate: async () => {
        await authenticate(route, context);
      },
    };
    if (claim === undefined || route.creates === undefined) return await route.run(raw);
    const { present, location } = route.creates;
    const again = ({ status, body: stored }: StoredAnswer) =>
      replayed(status, present(stored), location?.(stored));
    const before = await idempotency.replay(claim);
    if (before !== null) return again(before);
    try {
      return await route.run(raw);
    } catch (error) {
      // The same request may have been carried out meanwhile, by this server or another one.
      const meanwhile = await idempotency.replay(claim);
      if (meanwhile !== null) return again(meanwhile);
      throw error;
    }
  }

  /** Who holds no role at all would look for the fault in what it asked for. */
  async function explained(error: unknown, caller: Principal | AppPrincipal | undefined): Promise<unknown> {
    if (!(error instanceof Problem) || !refusals.has(error.problem)) return error;
    if (caller === undefined || !('serviceId' in caller)) return error;
    // That the database fails now is no reason to hide the refusal.
    if (await auth.holdsRoles(caller.serviceId).catch(() => true)) return error;
    const { problem, message, errors, extensions } = error;
    return new Problem(problem, `${message} ${noRoles}`, { errors: [...errors], extensions, cause: error });
  }

  function respond(
    context: AppContext,
    requestId: string,
    answer: Answer,
    route: Route | undefined,
  ): Response {
    const headers: Record<string, string> = {
      ...common,
      ...(route?.deprecated === true ? deprecationHeaders(baseUrl, successorOf(route, context)) : {}),
      'X-Request-Id': requestId,
    };
    if (corsOrigins.size > 0) {
      headers.Vary = 'Origin';
      Object.assign(headers, corsHeaders(headerOf(context, 'origin'), corsOrigins));
    }
    let body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null = null;
    if (answer.raw !== undefined) body = answer.raw;
    else if (answer.body !== undefined) {
      headers['Content-Type'] = 'application/json';
      body = JSON.stringify(answer.body);
    }
    Object.assign(headers, answer.headers);
    if (leavesMuch(context)) headers.Connection = 'close';
    return new Response(body, { status: answer.status, headers });
  }

  function failure(error: unknown, context: AppContext): { answer: Answer; problem: Problem } {
    const problem = toProblem(error);
    const hasCredentials = (headerOf(context, 'authorization') ?? '') !== '';
    const headers = {
      'Content-Type': 'application/problem+json',
      ...problemHeaders(problem, hasCredentials),
    };
    return { answer: { status: problem.status, body: problem.toDocument(), headers }, problem };
  }

  return {
    async handle(route, context) {
      const started = performance.now();
      const requestId = requestIdFrom(headerOf(context, 'x-request-id'));
      const trace = traceRequest(tracer, route, context);
      let caller: Principal | AppPrincipal | undefined;
      let answer: Answer;
      let problem: Problem | undefined;
      try {
        refuseDoubles(context);
        caller = await authenticate(route, context);
        const from = caller;
        answer = await trace.run(() => run(route, context, from));
      } catch (error) {
        const own = route.failure?.(error);
        if (own === undefined) ({ answer, problem } = failure(await explained(error, caller), context));
        else answer = own;
      }
      trace.end(answer.status);
      accessLog({
        requestId,
        method: context.req.method,
        route: route.path,
        status: answer.status,
        ms: performance.now() - started,
        appId: caller?.appId,
        problem: problem?.problem,
        error: problem?.problem === 'internal' ? problem.cause : undefined,
      });
      return respond(context, requestId, answer, route);
    },

    async answer(context, make) {
      const started = performance.now();
      const requestId = requestIdFrom(headerOf(context, 'x-request-id'));
      let answer: Answer;
      let problem: Problem | undefined;
      try {
        refuseDoubles(context);
        answer = await make();
      } catch (error) {
        ({ answer, problem } = failure(error, context));
      }
      accessLog({
        requestId,
        method: context.req.method,
        route: null,
        status: answer.status,
        ms: performance.now() - started,
        appId: undefined,
        problem: problem?.problem,
        error: problem?.problem === 'internal' ? problem.cause : undefined,
      });
      return respond(context, requestId, answer, undefined);
    },
  };
}

/** Bytes of a body that are rather read to the end than cost the client its connection. */
const little = 65_536;

/** Whether the rest of the body, which nobody read, is too much to wait for, or of unknown length. */
function leavesMuch(context: AppContext): boolean {
  const incoming = incomingOf(context);
  if (incoming === undefined || incoming.complete) return false;
  const { 'content-length': length, 'transfer-encoding': coding } = incoming.headers;
  return coding !== undefined || Number(length) > little;
}

function projectIn(context: AppContext): string | undefined {
  return headerOf(context, projectHeader.toLowerCase());
}

/** Whose keys of idempotency are apart: an application has one project, the console has any. */
function holderOf({ appUid, serviceId, projectUid }: Principal, context: AppContext): string {
  const holder = `${appUid}:${serviceId}`;
  return projectIn(context) === undefined ? holder : `${holder}:${projectUid}`;
}

/**
 * The path that stands in the operation's place, with the request's parameters; as far as they go, where it has another
 * one.
 */
function successorOf({ successor }: Route, context: AppContext): string | undefined {
  const filled = successor?.replaceAll(/\{(\w+)\}/g, (parameter, name: string) => {
    const value = context.req.param(name);
    return value === undefined ? parameter : encodeURIComponent(value);
  });
  return filled?.replace(/\/\{.*/, '');
}

function replayed(status: number, body: unknown, location: string | undefined): Answer {
  const where: Record<string, string> = location === undefined ? {} : { Location: location };
  return { status, body, headers: { ...where, 'Idempotency-Replayed': 'true' } };
}

function bearerOf(header: string | undefined): Secret | undefined {
  if (header === undefined) return undefined;
  const token = /^bearer +(\S+)$/i.exec(header)?.[1];
  return token === undefined ? undefined : new Secret(token);
}
