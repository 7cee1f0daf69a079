import { invalidRequest, type ProblemIssue, type ProblemName } from '@ledger-ops/base';
import type { IdempotencyClaim } from '@ledger-ops/store';
import type { z } from 'zod';
import type { OperationPermission, Principal } from '../types.ts';

/** The services of section 9 that the administration consists of. */
export type AdminService =
  | 'resource-manager'
  | 'identities'
  | 'service-accounts'
  | 'organization-projects'
  | 'apps'
  | 'invitations'
  | 'images';

/** What an operation is given: its parts as its schemas made them, and who calls. */
export interface AdminRequest<Params, Query, Body> {
  readonly principal: Principal;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly claim: IdempotencyClaim | undefined;
}

/** One operation of section 4.6 as data: routes, OpenAPI and generated tests are made from it. */
export interface OperationSpec<Params, Query, Body, Output> {
  readonly operationId: string;
  readonly service: AdminService;
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** OpenAPI path. */
  readonly path: string;
  readonly summary: string;
  /** What the summary leaves open. */
  readonly description?: string;
  readonly permission: OperationPermission;
  readonly params?: z.ZodType<Params> & z.ZodObject;
  readonly query?: z.ZodType<Query> & z.ZodObject;
  readonly body?: z.ZodType<Body>;
  /** How large the body can be; default: `record`. */
  readonly bodySize?: 'record' | 'image';
  readonly status: 200 | 201 | 202;
  readonly output: z.ZodType<Output>;
  /** Set for paged listings. */
  readonly pageType?: string;
  /** Takes an Idempotency-Key. */
  readonly creates?: boolean;
  /** The answer holds a secret that is shown once, and is not kept with its Idempotency-Key. */
  readonly secret?: boolean;
  /** What it refuses with, beside what operations of its kind do. */
  readonly problems?: readonly ProblemName[];
  /** Ours; the others are deprecated in the specification. */
  readonly current?: boolean;
  readonly run: (request: AdminRequest<Params, Query, Body>) => Promise<Output>;
}

/** What a request brings, unparsed: path parameters and single query parameters as text, lists as arrays. */
export interface RawAdminRequest {
  readonly principal: Principal;
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
  readonly claim?: IdempotencyClaim | undefined;
}

/** An operation whose types are closed over. */
export interface AdminOperation
  extends Omit<
    OperationSpec<unknown, unknown, unknown, unknown>,
    'params' | 'query' | 'body' | 'output' | 'run'
  > {
  readonly params: z.ZodObject | undefined;
  readonly query: z.ZodObject | undefined;
  readonly body: z.ZodType | undefined;
  readonly output: z.ZodType;
  /** Parses and runs. @throws Problem */
  readonly run: (request: RawAdminRequest) => Promise<unknown>;
  /** Runs with parts that the operation's schemas have made, for callers that parse themselves. */
  readonly handle: (request: AdminRequest<unknown, unknown, unknown>) => Promise<unknown>;
}

/** Declares an operation. The one place where its inputs are parsed. */
export function defineOperation<
  Params = Record<never, never>,
  Query = Record<never, never>,
  Body = undefined,
  Output = unknown,
>(spec: OperationSpec<Params, Query, Body, Output>): AdminOperation {
  const { params, query, body, run, ...rest } = spec;
  return {
    ...rest,
    params,
    query,
    body,
    // The caller's promise is that these parts came from the schemas above.
    handle: (request) => run(request as AdminRequest<Params, Query, Body>),
    async run(raw) {
      return await run({
        principal: raw.principal,
        params: part<Params>(params, raw.params ?? {}, 'parameter'),
        query: part<Query>(query, raw.query ?? {}, 'parameter'),
        body: part<Body>(body, raw.body, 'body'),
        claim: raw.claim,
      });
    },
  };
}

function part<Part>(schema: z.ZodType<Part> | undefined, value: unknown, place: 'body' | 'parameter'): Part {
  // Without a schema the part's type is its default: no parameters, no body.
  if (schema === undefined) return (place === 'body' ? undefined : {}) as Part;
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalidRequest(result.error.issues.slice(0, 100).map((issue) => issueOf(issue, place)));
}

/** What must hold and where; never the value. */
function issueOf({ path, message }: z.core.$ZodIssue, place: 'body' | 'parameter'): ProblemIssue {
  const pointer =
    place === 'body'
      ? path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
      : String(path[0] ?? '');
  return { pointer, detail: message.charAt(0).toLowerCase() + message.slice(1) };
}
