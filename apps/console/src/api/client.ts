import { chosenProject, enteredProject } from '../session/project.ts';
import { credentials, renew, SignInError, signIn } from '../session/session.ts';
import type { Schemas } from './types.ts';

type Problem = Schemas['Problem'];

/** A refusal, in the service's words. */
export class ApiProblem extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }

  /** `urn:ledger-ops:problem:<name>`. */
  override get name(): string {
    return this.problem.type.split(':').at(-1) ?? '';
  }
}

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

interface Options {
  readonly query?: Query;
  readonly body?: unknown;
  /** Of a creation: asked again with it, it happens once. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
  /** Of no project: whoever asks may have chosen one that they do not see any more. */
  readonly isGlobal?: boolean;
  /** Does not wait until the project is entered. */
  readonly isAhead?: boolean;
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * Calls an operation. The type of the answer is that of the document, against which the server's own tests hold every
 * answer.
 *
 * @throws ApiProblem
 */
export async function call<Answer>(method: Method, path: string, options: Options = {}): Promise<Answer> {
  const response = await send(method, path, options);
  const text = await response.text();
  // No answer has no body, which only callers who expect none ask for.
  return (text === '' ? undefined : JSON.parse(text)) as Answer;
}

export async function get<Answer>(path: string, query: Query = {}, signal?: AbortSignal): Promise<Answer> {
  return await call('GET', path, { query, ...(signal === undefined ? {} : { signal }) });
}

/** As the service has it. */
const mostOfPage = 100;

/** All pages of a listing with cursors. */
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

/** All pages of a listing whose pages are numbered; the last is not full. */
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

/** Sends a request as who is signed in; once more with a new token where the old one has ended. @throws ApiProblem */
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
        ...(await heldCredentials()),
        ...(project === undefined ? {} : { 'Ledger-Ops-Project': project }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
        ...more,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // The session's cookie is for the sign-in alone.
      credentials: 'omit',
      ...(signal === undefined ? {} : { signal }),
    });
  let response = await request();
  if (response.status === 401) {
    await renew().catch(signInAnew);
    response = await request();
  }
  if (!response.ok) throw new ApiProblem(await problemOf(response));
  return response;
}

async function heldCredentials(): Promise<Record<string, string>> {
  return await credentials().catch(signInAnew);
}

/** Leaves the page only where the session has ended: what is typed there would be lost. */
async function signInAnew(error: unknown): Promise<never> {
  if (!(error instanceof SignInError)) throw error;
  return await signIn(location.pathname + location.search);
}

function urlOf(path: string, query: Query): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') given.set(name, String(value));
  }
  return given.size === 0 ? path : `${path}?${given}`;
}

/** Something between here and the service may answer in its own words. */
async function problemOf(response: Response): Promise<Problem> {
  const bare = {
    type: 'about:blank',
    title: 'The service does not answer as it should',
    status: response.status,
    detail: `The answer has the status ${response.status}.`,
  };
  return await response.json().then(
    (read: Partial<Problem>) => ({ ...bare, ...read }),
    () => bare,
  );
}

/** A path with its parts encoded. */
export function path(parts: TemplateStringsArray, ...values: (string | number)[]): string {
  return String.raw({ raw: parts }, ...values.map((value) => encodeURIComponent(value)));
}
