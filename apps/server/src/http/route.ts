import { z } from '@hono/zod-openapi';
import type { AppPrincipal, OperationPermission, Permission, Principal } from '@ledger-ops/auth';
import { invalidRequest, type ProblemName } from '@ledger-ops/base';
import type { IdempotencyClaim } from '@ledger-ops/runtime';
import type { AnswerHeader } from '../openapi/headers.ts';
import type { Answer } from './answer.ts';
import type { StoredAnswer } from './idempotency.ts';
import { parseWith } from './problems/issues.ts';
import { type BodyLimit, type BodySize, bodyLimitOf } from './request/body-limits.ts';
import { listParameters, readQuery } from './request/query.ts';
import type { ServiceName } from './services.ts';

/** HTTP methods of operations. */
export type Method = 'get' | 'post' | 'put' | 'delete';

/**
 * Who may call an operation.
 * - `public`: anybody; the few exceptions that the decisions list.
 * - `application-token`: an application without a logged-in caller.
 * - a permission: both headers, and what it says.
 */
export type RoutePermission = 'public' | 'application-token' | OperationPermission;

/** The permissions of which a caller needs one. */
export function neededOf({ needs }: OperationPermission): readonly Permission[] {
  return typeof needs === 'string' ? [needs] : needs;
}

/** How a body is taken. */
export interface BodySpec<Body> {
  readonly type: 'application/json' | 'application/x-www-form-urlencoded';
  /** For the reference. */
  readonly schema: z.ZodType;
  readonly example?: unknown;
  /** How large it can be; default: `record`, and `public` where nobody is authenticated. */
  readonly size?: BodySize;
  /** The operation can do without: then it is read as undefined. */
  readonly optional?: boolean;
  /** Parses the decoded JSON value, or the form's text. @throws Problem with pointers */
  readonly read: (input: unknown) => Body;
}

/** One answer of an operation, for the reference. */
export interface AnswerSpec {
  readonly description: string;
  readonly schema?: z.ZodType;
  readonly example?: unknown;
  /** Default `application/json`. */
  readonly contentType?: string | readonly string[];
  /** Headers that only answers of this kind have. */
  readonly headers?: readonly AnswerHeader[];
}

/** A request as a handler gets it. */
export interface RouteRequest<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The authenticated caller. @throws TypeError on a route that does not authenticate one. */
  readonly principal: Principal;
  /** To be handed to the function that creates; undefined without an Idempotency-Key. */
  readonly claim: IdempotencyClaim | undefined;
  /** Binds a claim to an id that the client chose, in place of an Idempotency-Key. */
  claimFor(key: string): Promise<IdempotencyClaim>;
  /** The answer that was stored with a claim. @throws Problem `idempotency-key-reused`, `answer-not-replayable` */
  replay(claim: IdempotencyClaim): Promise<StoredAnswer | null>;
  /** A request header; `name` in lower case. */
  header(name: string): string | undefined;
  /** Where the request came from, for counting failed logins: the client's address, of IPv6 its first 64 bits. */
  readonly source: string;
  /** The query as it was sent, where the operation reads it itself. */
  readonly search: URLSearchParams;
  /** Ends when the client goes away. */
  readonly signal: AbortSignal;
  readonly isHead: boolean;
  /** Checks the caller's tokens once more, for answers that last. @throws Problem */
  reauthenticate(): Promise<void>;
}

/** An operation with everything that is to be known of it. */
export interface RouteSpec<Params, Query, Body> {
  readonly method: Method;
  /** OpenAPI path: `/v1/things/{thingId}`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly service: ServiceName;
  readonly permission: RoutePermission;
  /** OpenAPI path that stands in its place, when it is deprecated; of its parameters those that both have. */
  readonly successor?: string;
  /** Answers carry Deprecation and Link; unknown members and parameters are ignored. */
  readonly deprecated?: boolean;
  readonly params?: z.ZodType<Params> & z.ZodObject;
  readonly query?: z.ZodType<Query> & z.ZodObject;
  /** The handler reads the query itself, by rules of another standard; `query` is for the reference only. */
  readonly readsQuery?: boolean;
  readonly body?: BodySpec<Body>;
  /** Takes an Idempotency-Key; `present` makes the answer again from what was stored with it. */
  readonly creates?: {
    readonly present: (stored: unknown) => unknown;
    /** Path of what was created, which the answer had as its Location. */
    readonly location?: (stored: unknown) => string;
  };
  readonly answers: Readonly<Record<number, AnswerSpec>>;
  /** Problems beyond those that every operation can have. */
  readonly problems?: readonly ProblemName[];
  /** An answer of the operation's own kind to a failure; undefined: problem details. */
  readonly failure?: (error: unknown) => Answer | undefined;
  handle(request: RouteRequest<Params, Query, Body>): Promise<Answer>;
}

/** A request as a route gets it: everything still unparsed. */
export interface RawRequest {
  readonly params: Record<string, string>;
  readonly query: URLSearchParams;
  /** Decoded JSON or form text; undefined when the operation takes none. */
  readonly body: unknown;
  readonly caller: Principal | AppPrincipal | undefined;
  readonly claim: IdempotencyClaim | undefined;
  claimFor(key: string): Promise<IdempotencyClaim>;
  /** The answer that was stored with a claim. @throws Problem `idempotency-key-reused`, `answer-not-replayable` */
  replay(claim: IdempotencyClaim): Promise<StoredAnswer | null>;
  header(name: string): string | undefined;
  readonly source: string;
  readonly signal: AbortSignal;
  readonly isHead: boolean;
  reauthenticate(): Promise<void>;
}

/** A route as the table holds it: its description, and one way to run it. */
export interface Route extends Omit<RouteSpec<never, never, never>, 'params' | 'query' | 'body' | 'handle'> {
  readonly params: z.ZodObject | undefined;
  readonly query: z.ZodObject | undefined;
  readonly body: (Omit<BodySpec<unknown>, 'read' | 'size'> & { readonly limit: BodyLimit }) | undefined;
  run(raw: RawRequest): Promise<Answer>;
}

const noParameters = z.strictObject({});

/** Declares an operation. The one place where a request's parts are parsed. */
export function defineRoute<Params = Record<never, never>, Query = Record<never, never>, Body = undefined>(
  spec: RouteSpec<Params, Query, Body>,
): Route {
  const { params, query, body, handle, ...description } = spec;
  // Deprecated operations ignore what they do not know: those without parameters look at none.
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
      return await handle({
        params: readParams(raw),
        query: readQueryPart(raw),
        // Without a body specification, Body is undefined.
        body: body === undefined ? (undefined as Body) : body.read(raw.body),
        get principal() {
          return demandPrincipal(raw.caller);
        },
        claim: raw.claim,
        claimFor: raw.claimFor,
        replay: raw.replay,
        header: raw.header,
        source: raw.source,
        search: raw.query,
        signal: raw.signal,
        isHead: raw.isHead,
        reauthenticate: raw.reauthenticate,
      });
    },
  };
}

/** A body read by one schema. */
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

/** A body that the operation can do without: then it is read as undefined. */
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
  // Where a route gives no schema for a part, that part's type is its default, an empty object.
  if (schema === undefined) return () => ({}) as Part;
  return (raw) => read(schema as z.ZodType<Part>, raw);
}

function demandPrincipal(caller: Principal | AppPrincipal | undefined): Principal {
  if (caller !== undefined && 'serviceId' in caller) return caller;
  throw new TypeError('This route authenticates no caller, so that it has no principal.');
}
