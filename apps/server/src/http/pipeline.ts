import { type AppPrincipal, type Auth, type Principal, projectHeader, systemUid } from '@ledger-ops/auth';
import { Problem, Secret } from '@ledger-ops/base';
import type { IdempotencyClaim, Tracer } from '@ledger-ops/runtime';
import { StoreError } from '@ledger-ops/store';
import type { AccessLog } from './access-log.ts';
import type { Answer } from './answer.ts';
import type { Idempotency, StoredAnswer } from './idempotency.ts';
import { problemHeaders, toProblem } from './problems/problem-answer.ts';
import { refuseChanges } from './read-only.ts';
import { hasNoBody, readJson, readText } from './request/body.ts';
import { refuseNul, refuseSecrets } from './request/query.ts';
import { type AppContext, headerOf, incomingOf, refuseDoubles } from './request/request-head.ts';
import { requestIdFrom } from './request/request-id.ts';
import { traceRequest } from './request/request-trace.ts';
import type { RequestSources } from './request/source.ts';
import { baseHeaders, corsHeaders, deprecationHeaders } from './response-headers.ts';
import type { Route } from './route.ts';
import { WriteRate } from './write-rate.ts';

export interface PipelineOptions {
  readonly auth: Auth;
  readonly idempotency: Idempotency;
  readonly baseUrl: string;
  readonly corsOrigins: ReadonlySet<string>;
  readonly accessLog: AccessLog;
  /** If absent, traces are not recorded. */
  readonly tracer?: Tracer | undefined;
  readonly sources: RequestSources;
  /** True if requests that change or send something are refused, because no administrator has run `adopt` yet. */
  readonly isReadOnly?: boolean | undefined;
}

/** The authenticated caller; undefined on public routes, and if authentication failed. */
type Caller = Principal | AppPrincipal | undefined;

interface Outcome {
  readonly answer: Answer;
  readonly problem?: Problem;
  readonly caller?: Caller;
}

const refusals: ReadonlySet<string> = new Set(['not-found', 'not-permitted']);
const noRoles =
  'Your identity has no role yet. Ask an administrator of the project for one (POST /v1/admin/role-grants).';

/**
 * Handles every request in this order: request id, authentication, body, permission, idempotency, response,
 * log. Its only state is the write rate of each organization.
 */
export class Pipeline {
  readonly #options: PipelineOptions;
  readonly #commonHeaders: Readonly<Record<string, string>>;
  readonly #writeRate = new WriteRate(Date.now);

  constructor(options: PipelineOptions) {
    this.#options = options;
    this.#commonHeaders = baseHeaders(options.baseUrl);
  }

  async handle(route: Route, context: AppContext): Promise<Response> {
    const trace = traceRequest(this.#options.tracer, route, context);
    return await this.#respond(context, route, async () => {
      let caller: Caller;
      let outcome: Outcome;
      try {
        refuseDoubles(context);
        if (this.#options.isReadOnly === true) refuseChanges(route);
        caller = await this.#authenticate(route, context);
        const from = caller;
        outcome = { answer: await trace.run(() => this.#run(route, context, from)), caller };
      } catch (error) {
        const answer = route.failure?.(error);
        outcome =
          answer === undefined
            ? { ...failure(await this.#explain(error, caller), context), caller }
            : { answer, caller };
      }
      trace.end(outcome.answer.status);
      return outcome;
    });
  }

  /** Responds to a request that matches no operation. */
  async answer(context: AppContext, make: () => Answer | Promise<Answer>): Promise<Response> {
    return await this.#respond(context, undefined, async () => {
      try {
        refuseDoubles(context);
        return { answer: await make() };
      } catch (error) {
        return failure(error, context);
      }
    });
  }

  async #respond(
    context: AppContext,
    route: Route | undefined,
    work: () => Promise<Outcome>,
  ): Promise<Response> {
    const started = performance.now();
    const requestId = requestIdFrom(headerOf(context, 'x-request-id'));
    const { answer, problem, caller } = await work();
    this.#options.accessLog({
      requestId,
      method: context.req.method,
      route: route?.path ?? null,
      status: answer.status,
      ms: performance.now() - started,
      appId: caller?.appId,
      problem: problem?.problem,
      error:
        problem?.problem === 'internal' || problem?.cause instanceof StoreError ? problem.cause : undefined,
    });
    return this.#response(context, requestId, answer, route);
  }

  async #authenticate(route: Route, context: AppContext): Promise<Caller> {
    const { auth } = this.#options;
    if (route.permission === 'public') return undefined;
    const token = headerOf(context, 'applicationtoken');
    const applicationToken = token === undefined || token === '' ? undefined : new Secret(token);
    if (route.permission === 'application-token') return await auth.authenticateApp(applicationToken);
    const bearer = bearerOf(headerOf(context, 'authorization'));
    return await auth.authenticate(applicationToken, bearer, projectIn(context));
  }

  async #run(route: Route, context: AppContext, caller: Caller): Promise<Answer> {
    const { auth, idempotency, sources } = this.#options;
    const principal = caller !== undefined && 'serviceId' in caller ? caller : undefined;
    const search = context.req.url.indexOf('?');
    const query = new URLSearchParams(search === -1 ? '' : context.req.url.slice(search));
    if (search !== -1) refuseNul(context.req.url);
    if (search !== -1 && route.readsQuery !== true) refuseSecrets(query);
    if (principal !== undefined) this.#writeRate.admit(principal.organizationUid, route);
    const body = await readBody(route, context, (length) => {
      if (principal !== undefined) this.#writeRate.addBody(principal.organizationUid, length);
    });
    const { permission } = route;
    if (typeof permission === 'object' && permission.on === 'project' && principal !== undefined) {
      await auth.demand(principal, permission.needs, principal.projectUid);
    }
    const claimFor = (key: string) =>
      idempotency.claim(principal === undefined ? '' : holderOf(principal, context), key, {
        method: route.method,
        path: context.req.path,
        body,
        organizationUid: organizationOf(principal),
      });
    const key = route.creates === undefined ? undefined : headerOf(context, 'idempotency-key');
    const claim = key === undefined ? undefined : await claimFor(key);
    return await this.#once(route, claim, body, () =>
      route.run({
        context,
        sources,
        params: route.params === undefined ? {} : context.req.param(),
        query,
        body,
        caller,
        claim,
        claimFor,
        replay: idempotency.replay,
        replayRefused: idempotency.replayRefused,
        reauthenticate: async () => {
          await this.#authenticate(route, context);
        },
      }),
    );
  }

  /** Runs a request, unless a response to the same request is stored: then returns that response. */
  async #once(
    { creates }: Route,
    claim: IdempotencyClaim | undefined,
    body: unknown,
    run: () => Promise<Answer>,
  ): Promise<Answer> {
    if (claim === undefined || creates === undefined) return await run();
    const { idempotency } = this.#options;
    const present = (answer: StoredAnswer | null) =>
      answer === null
        ? undefined
        : replayed(answer.status, creates.present(answer.body, body), creates.location?.(answer.body));
    const before = present(await idempotency.replay(claim));
    if (before !== undefined) return before;
    try {
      return await run();
    } catch (error) {
      // This or another server may have executed the same request in the meantime, or it was executed long
      // ago and only its actions are still stored.
      const meanwhile = present(await idempotency.replayRefused(claim));
      if (meanwhile !== undefined) return meanwhile;
      throw error;
    }
  }

  /** Adds a hint for callers without any role: granting one fixes the error, changing the request does not. */
  async #explain(error: unknown, caller: Caller): Promise<unknown> {
    if (!(error instanceof Problem) || !refusals.has(error.problem)) return error;
    if (caller === undefined || !('serviceId' in caller)) return error;
    // If the database fails here, the original rejection is returned.
    if (await this.#options.auth.holdsRoles(caller.serviceId).catch(() => true)) return error;
    const { problem, message, errors, extensions } = error;
    return new Problem(problem, `${message} ${noRoles}`, { errors: [...errors], extensions, cause: error });
  }

  #response(context: AppContext, requestId: string, answer: Answer, route: Route | undefined): Response {
    const { baseUrl, corsOrigins } = this.#options;
    const headers: Record<string, string> = {
      ...this.#commonHeaders,
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
    if (answer.status === 408 || leavesMuch(context)) headers.Connection = 'close';
    return new Response(body, { status: answer.status, headers });
  }
}

async function readBody(route: Route, context: AppContext, read: (length: number) => void): Promise<unknown> {
  if (route.body === undefined) return undefined;
  if (route.body.optional === true && hasNoBody(context)) return undefined;
  const { type, limit } = route.body;
  if (type === 'application/json') return await readJson(context, limit, read);
  const form = await readText(context, type, limit);
  refuseNul(form);
  return form;
}

function failure(error: unknown, context: AppContext): Outcome {
  const problem = toProblem(error);
  const hasCredentials = (headerOf(context, 'authorization') ?? '') !== '';
  const headers = {
    'Content-Type': 'application/problem+json',
    ...problemHeaders(problem, hasCredentials),
  };
  return { answer: { status: problem.status, body: problem.toDocument(), headers }, problem };
}

/** Maximum number of unread body bytes that are read and discarded, so that the client keeps its connection. */
const little = 65_536;

/** Whether the unread rest of the body is too large to wait for, or its length is unknown. */
function leavesMuch(context: AppContext): boolean {
  const incoming = incomingOf(context);
  if (incoming === undefined || incoming.complete) return false;
  const { 'content-length': length, 'transfer-encoding': coding } = incoming.headers;
  return coding !== undefined || Number(length) > little;
}

function projectIn(context: AppContext): string | undefined {
  return headerOf(context, projectHeader.toLowerCase());
}

/**
 * Returns the organization whose storage limits apply to a caller; undefined for the installation's
 * administration.
 */
function organizationOf(principal: Principal | undefined): string | undefined {
  return principal?.organizationUid === systemUid ? undefined : principal?.organizationUid;
}

/**
 * Returns the namespace of idempotency keys. An application has one project; console users may act in any
 * project.
 */
function holderOf({ appUid, serviceId, projectUid }: Principal, context: AppContext): string {
  const holder = `${appUid}:${serviceId}`;
  return projectIn(context) === undefined ? holder : `${holder}:${projectUid}`;
}

/** Returns the path of the successor operation, with the parameters that both paths share. */
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
