import { filled } from '../lib/filled.ts';
import { chosenProject, enteredProject } from '../session/project.ts';
import { credentials, renew, SignInError, signIn } from '../session/session.ts';
import type { Schemas } from './types.ts';

type Problem = Schemas['Problem'];

/** A problem response (RFC 9457) from the service. */
export class ApiProblem extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }

  /** The last part of `urn:ledger-ops:problem:<name>`. */
  override get name(): string {
    return this.problem.type.split(':').at(-1) ?? '';
  }
}

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

interface Options {
  readonly query?: Query;
  readonly body?: unknown;
  /** For requests that create a record. Requests with the same key create the record only once. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
  /** Whether to send no project id, because the user may no longer be allowed to see the chosen project. */
  readonly isGlobal?: boolean;
  /** Whether to send the request without waiting until the project is confirmed. */
  readonly isAhead?: boolean;
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * Calls an operation. `Answer` is the type in the OpenAPI document; the server's tests check every response against it.
 * @throws ApiProblem
 */
export async function call<Answer>(method: Method, path: string, options: Options = {}): Promise<Answer> {
  const response = await send(method, path, options);
  const text = await response.text();
  // A response may have no body. Callers that expect none ignore the result.
  return (text === '' ? undefined : JSON.parse(text)) as Answer;
}

export async function get<Answer>(path: string, query: Query = {}, signal?: AbortSignal): Promise<Answer> {
  return await call('GET', path, { query, ...filled({ signal }) });
}

/** The service's maximum page size. */
const mostOfPage = 100;

/** Returns all pages of a cursor-based list. */
export async function all<Item>(
  listing: string,
  query: Record<string, string>,
  options: { signal?: AbortSignal; isGlobal?: boolean },
): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | undefined; ; ) {
    const page: { items: Item[]; next: string | null } = await call('GET', listing, {
      ...options,
      query: { ...query, size: mostOfPage, cursor },
    });
    items.push(...page.items);
    if (page.next === null) return items;
    cursor = page.next;
  }
}

/** Returns all pages of a numbered list. The last page is the first one that is not full. */
export async function allPages<Item>(
  listing: string,
  query: Record<string, string>,
  signal: AbortSignal,
): Promise<Item[]> {
  const items: Item[] = [];
  for (let page = 0; ; page += 1) {
    const { pageContent } = await get<{ pageContent: Item[] }>(
      listing,
      { ...query, size: mostOfPage, page },
      signal,
    );
    items.push(...pageContent);
    if (pageContent.length < mostOfPage) return items;
  }
}

/**
 * Sends a request with the user's access token. If the token has expired, retries once with a new one.
 * @throws ApiProblem
 */
export async function send(
  method: Method,
  path: string,
  { query = {}, body, idempotencyKey, signal, isGlobal = false, isAhead = false }: Options,
  more: Record<string, string> = {},
): Promise<Response> {
  const project = isGlobal ? undefined : isAhead ? chosenProject() : await enteredProject();
  const request = async () =>
    await fetch(urlOf(path, query), {
      method,
      headers: {
        ...(await authorization()),
        ...filled({
          'Ledger-Ops-Project': project,
          'Content-Type': body === undefined ? undefined : 'application/json',
          'Idempotency-Key': idempotencyKey,
        }),
        ...more,
      },
      ...filled({ body: body === undefined ? undefined : JSON.stringify(body), signal }),
      // API requests use the access token; the session cookie is only for the sign-in.
      credentials: 'omit',
    });
  let response = await request();
  if (response.status === 401) {
    await renew().catch(signInAgain);
    response = await request();
  }
  if (!response.ok) throw new ApiProblem(await problemOf(response));
  return response;
}

async function authorization(): Promise<Record<string, string>> {
  return await credentials().catch(signInAgain);
}

/** Leaves the page only if the session has ended, because navigation discards the user's input. */
async function signInAgain(error: unknown): Promise<never> {
  if (!(error instanceof SignInError)) throw error;
  return await signIn(location.pathname + location.search);
}

function urlOf(path: string, query: Query): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(filled(query))) given.set(name, String(value));
  return given.size === 0 ? path : `${path}?${given}`;
}

/** A proxy between the browser and the service may send a response that is not problem JSON. */
async function problemOf(response: Response): Promise<Problem> {
  const bare = {
    type: 'about:blank',
    title: 'Unexpected response from the service',
    status: response.status,
    detail: `The response has status ${response.status}.`,
  };
  return await response.json().then(
    (read: Partial<Problem>) => ({ ...bare, ...read }),
    () => bare,
  );
}

/** Builds a path and URL-encodes its parameters. */
export function path(parts: TemplateStringsArray, ...values: (string | number)[]): string {
  return String.raw({ raw: parts }, ...values.map((value) => encodeURIComponent(value)));
}
