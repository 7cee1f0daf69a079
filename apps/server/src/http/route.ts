import { z } from '@hono/zod-openapi';
import type { AppPrincipal, OperationPermission, Permission, Principal } from '@ledger-ops/auth';
import { invalidRequest, type ProblemName } from '@ledger-ops/base';
import type { IdempotencyClaim } from '@ledger-ops/runtime';
import type { AnswerHeader } from '../openapi/headers.ts';
import type { Answer } from './answer.ts';
import type { StoredAnswer } from './idempotency.ts';
import { parseWith } from './problems/issues.ts';
import { type PointerMap, withPointers } from './problems/pointers.ts';
import { type BodyLimit, type BodySize, bodyLimitOf } from './request/body-limits.ts';
import { listParameters, readQuery } from './request/query.ts';
import { type AppContext, headerOf } from './request/request-head.ts';
import type { RequestSources } from './request/source.ts';
import type { ServiceName } from './services.ts';

export type Method = 'get' | 'post' | 'put' | 'delete';

/**
 * Who may call an operation.
 * - `public`: anyone, without credentials.
 * - `application-token`: an application without a logged-in caller.
 * - a permission: the request needs both tokens, and the caller needs the permission.
 */
export type RoutePermission = 'public' | 'application-token' | OperationPermission;

/** Returns the permissions of an operation; a caller needs one of them. */
export function neededOf({ needs }: OperationPermission): readonly Permission[] {
  return typeof needs === 'string' ? [needs] : needs;
}

/**
 * A system that an operation may send requests to while it runs, in addition to the database.
 * - `ledger`: the nodes of a ledger, or the remote plugin that serves it.
 * - `plugin`: a remote plugin, to read its description.
 * - `receiver`: the receiver of a webhook.
 */
export type Contact = 'ledger' | 'plugin' | 'receiver';

/** How a body is parsed and documented. */
export interface BodySpec<Body> {
  readonly type: 'application/json' | 'application/x-www-form-urlencoded';
  /** Schema for the API reference. */
  readonly schema: z.ZodType;
  readonly example?: unknown;
  /** Size limit; default: `record`, or `public` without authentication. */
  readonly size?: BodySize;
  /** The body may be absent; then it is undefined. */
  readonly optional?: boolean;
  /** Parses the decoded JSON value, or the form as a string. @throws Problem with pointers */
  readonly read: (input: unknown) => Body;
}

/** One response of an operation, for the API reference. */
export interface AnswerSpec {
  readonly description: string;
  readonly schema?: z.ZodType;
  readonly example?: unknown;
  /** Default `application/json`. */
  readonly contentType?: string | readonly string[];
  /** Headers of this response. */
  readonly headers?: readonly AnswerHeader[];
}

/** A parsed request, as passed to a handler. */
export interface RouteRequest<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The authenticated caller. @throws TypeError on a route that does not authenticate one. */
  readonly principal: Principal;
  /** Passed to the function that creates the record; undefined without an Idempotency-Key. */
  readonly claim: IdempotencyClaim | undefined;
  /** Creates a claim from an id that the client chose, instead of an Idempotency-Key. */
  claimFor(key: string): Promise<IdempotencyClaim>;
  /**
   * Returns the response that was stored with a claim. @throws Problem `idempotency-key-reused`, `answer-not-replayable`
   */
  replay(claim: IdempotencyClaim): Promise<StoredAnswer | null>;
  /**
   * Like `replay`, but after a refusal. Also finds the actions of a claim whose stored response was deleted.
   */
  replayRefused(claim: IdempotencyClaim): Promise<StoredAnswer | null>;
  /** Returns a request header; `name` in lower case. */
  header(name: string): string | undefined;
  /** Source of the request, for counting failed logins: the client's IPv4 address or first 64 bits of IPv6. */
  readonly source: string;
  /** The unparsed query, for operations with `readsQuery`. */
  readonly search: URLSearchParams;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  readonly isHead: boolean;
  /** Checks the caller's tokens again, for long-lived responses. @throws Problem */
  reauthenticate(): Promise<void>;
}

/** The complete declaration of an operation. */
export interface RouteSpec<Params, Query, Body> {
  readonly method: Method;
  /** OpenAPI path: `/v1/things/{thingId}`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly service: ServiceName;
  readonly permission: RoutePermission;
  /**
   * Systems that the operation may send requests to. Users choose their addresses, so any of them may send an
   * arbitrary response, or none. Default: none.
   */
  readonly contacts?: readonly Contact[];
  /** OpenAPI path of the operation that replaces a deprecated one; shared parameters are filled in. */
  readonly successor?: string;
  /** Responses have the headers Deprecation and Link; unknown members and parameters are ignored. */
  readonly deprecated?: boolean;
  readonly params?: z.ZodType<Params> & z.ZodObject;
  readonly query?: z.ZodType<Query> & z.ZodObject;
  /** The handler parses the query itself, by rules of another standard; `query` is only for the API reference. */
  readonly readsQuery?: boolean;
  readonly body?: BodySpec<Body>;
  /** Accepts an Idempotency-Key; `present` builds the response from the stored value and the repeated body. */
  readonly creates?: {
    readonly present: (stored: unknown, body: unknown) => unknown;
    /** Returns the path of the created record, for the header Location of a repeated response. */
    readonly location?: (stored: unknown) => string;
  };
  readonly answers: Readonly<Record<number, AnswerSpec>>;
  /** Problems in addition to those of every operation. */
  readonly problems?: readonly ProblemName[];
  /** Maps pointers of the handler's problems to the request, if the handler passes a converted body to a service. */
  readonly pointers?: PointerMap | ((request: { readonly body: Body }) => PointerMap);
  /** A custom error response. If undefined, the response is a problem document. */
  readonly failure?: (error: unknown) => Answer | undefined;
  handle(request: RouteRequest<Params, Query, Body>): Promise<Answer>;
}

/** An unparsed request, as passed to a route. */
export interface RawRequest
  extends Pick<
    RouteRequest<Record<string, string>, URLSearchParams, unknown>,
    'params' | 'query' | 'body' | 'claim' | 'claimFor' | 'replay' | 'replayRefused' | 'reauthenticate'
  > {
  readonly context: AppContext;
  readonly sources: Pick<RequestSources, 'of'>;
  readonly caller: Principal | AppPrincipal | undefined;
}

/** A route in the route table: its declaration without types, and `run`. */
export interface Route
  extends Omit<RouteSpec<never, never, never>, 'params' | 'query' | 'body' | 'pointers' | 'handle'> {
  readonly params: z.ZodObject | undefined;
  readonly query: z.ZodObject | undefined;
  readonly body: (Omit<BodySpec<unknown>, 'read' | 'size'> & { readonly limit: BodyLimit }) | undefined;
  run(raw: RawRequest): Promise<Answer>;
}

const never = new AbortController().signal;
const noParameters = z.strictObject({});

/** Declares an operation. `run` parses all parts of a request. */
export function defineRoute<Params = Record<never, never>, Query = Record<never, never>, Body = undefined>(
  spec: RouteSpec<Params, Query, Body>,
): Route {
  const { params, query, body, pointers = [], handle, ...description } = spec;
  // Deprecated operations ignore unknown parameters, so those without parameters parse none.
  const querySchema = query ?? (spec.deprecated === true ? undefined : noParameters);
  const lists = querySchema === undefined ? new Set<string>() : listParameters(querySchema);
  const readParams = partReader<Params>(params, (schema, raw) => parseWith(schema, raw.params, 'parameter'));
  const parsedQuery = spec.readsQuery === true ? undefined : querySchema;
  const readQueryPart = partReader<Query>(parsedQuery, (schema, raw) => readQuery(schema, lists, raw.query));
  return {
    ...description,
    params,
    query,
    body:
      body === undefined
        ? undefined
        : { ...body, limit: bodyLimitOf(typeof spec.permission === 'object', body.size) },
    async run(raw) {
      const request = new ParsedRequest<Params, Query, Body>(
        raw,
        readParams(raw),
        readQueryPart(raw),
        // Without a body specification, Body is undefined.
        body === undefined ? (undefined as Body) : body.read(raw.body),
      );
      const map = typeof pointers === 'function' ? pointers(request) : pointers;
      return await withPointers(map, () => handle(request));
    },
  };
}

/** A request with its parsed parts. It is a class, because defining getters in each object would take long. */
class ParsedRequest<Params, Query, Body> implements RouteRequest<Params, Query, Body> {
  readonly #raw: RawRequest;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;

  constructor(raw: RawRequest, params: Params, query: Query, body: Body) {
    this.#raw = raw;
    this.params = params;
    this.query = query;
    this.body = body;
  }

  get principal() {
    return demandPrincipal(this.#raw.caller);
  }

  get claim() {
    return this.#raw.claim;
  }

  get claimFor() {
    return this.#raw.claimFor;
  }

  get replay() {
    return this.#raw.replay;
  }

  get replayRefused() {
    return this.#raw.replayRefused;
  }

  get header() {
    const { context } = this.#raw;
    return (name: string) => headerOf(context, name);
  }

  get source() {
    return this.#raw.sources.of(this.#raw.context);
  }

  get search() {
    return this.#raw.query;
  }

  // Only streams use the signal, and creating it costs more than the rest of a request.
  get signal() {
    return this.#raw.context.req.raw.signal ?? never;
  }

  get isHead() {
    return this.#raw.context.req.method === 'HEAD';
  }

  get reauthenticate() {
    return this.#raw.reauthenticate;
  }
}

/** A JSON body that is parsed by one schema. */
export function jsonBody<Body>(schema: z.ZodType<Body>, example?: unknown, size?: BodySize): BodySpec<Body> {
  return {
    type: 'application/json',
    schema,
    example,
    ...(size === undefined ? {} : { size }),
    read(input) {
      if (typeof input !== 'object' || input === null || Array.isArray(input)) {
        throw invalidRequest([{ pointer: '', detail: 'must be an object' }]);
      }
      return parseWith(schema, input, 'body');
    },
  };
}

/** A body that may be absent; then it is undefined. */
export function optionalBody<Body>(spec: BodySpec<Body>): BodySpec<Body | undefined> {
  return {
    ...spec,
    schema: spec.schema.optional(),
    optional: true,
    read: (input) => (input === undefined ? undefined : spec.read(input)),
  };
}

function partReader<Part>(
  schema: z.ZodType | undefined,
  read: (schema: z.ZodType<Part>, raw: RawRequest) => Part,
): (raw: RawRequest) => Part {
  // Without a schema, the part has its default type, an empty object.
  if (schema === undefined) return () => ({}) as Part;
  return (raw) => read(schema as z.ZodType<Part>, raw);
}

function demandPrincipal(caller: Principal | AppPrincipal | undefined): Principal {
  if (caller !== undefined && 'serviceId' in caller) return caller;
  throw new TypeError('This route does not authenticate callers, so it has no principal.');
}
