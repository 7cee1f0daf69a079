import type { Json } from './portable.ts';

/** Response headers that several operations have. */
const shared = {
  'X-Request-Id': 'Identifies the request in the service’s log; copied from the request if it is valid.',
  Deprecation: 'When the operation was deprecated (RFC 9745).',
  Link: 'Describes the deprecation and the replacement of the operation.',
  'Retry-After': 'Seconds after which to try again.',
  'WWW-Authenticate': 'The authentication scheme to use (RFC 9110, section 11.6.1), if it is an HTTP scheme.',
  'Idempotency-Replayed': '`true` if this repeats the response to the first request with the same key.',
  ETag: 'ETag of the content; send it back as If-None-Match.',
  Vary: 'Request headers that the response depends on.',
  'Set-Cookie': 'Sets or deletes the session cookie SERVICESESSIONID.',
  Location: 'URL of the created record, or of the page that the browser opens next.',
  'Content-Disposition': 'The suggested file name.',
} as const;

/** Name of a response header. */
export type AnswerHeader = keyof typeof shared;

/** Returns the headers as components of the document. */
export function headerComponents(): Json {
  return Object.fromEntries(
    Object.entries(shared).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  );
}

/** The parts of a route that determine its headers. */
interface DescribedRoute {
  readonly deprecated?: boolean;
  readonly creates?: object;
  readonly answers: Readonly<Record<number, { readonly headers?: readonly AnswerHeader[] }>>;
}

/** Returns references to the headers of an operation's response with this status. */
export function headersOf(route: DescribedRoute, status: number): Json {
  const names: AnswerHeader[] = [
    'X-Request-Id',
    ...(route.deprecated === true ? (['Deprecation', 'Link'] as const) : []),
    ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
    ...(status === 429 || status === 503 ? (['Retry-After'] as const) : []),
    ...(status < 300 && route.creates !== undefined ? (['Idempotency-Replayed'] as const) : []),
    ...(route.answers[status]?.headers ?? []),
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
