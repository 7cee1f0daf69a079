import type { Json } from './portable.ts';

/** Headers of answers that more than one operation has. */
const shared = {
  'X-Request-Id': 'Finds the request in the service’s log; taken over from the request when it is sane.',
  Deprecation: 'Since when the operation is deprecated (RFC 9745).',
  Link: 'Where the deprecation is described, and what stands in the place of the operation.',
  'Retry-After': 'Seconds after which to try again.',
  'WWW-Authenticate': 'What authenticates here (RFC 9110, section 11.6.1), where a scheme of HTTP does.',
  'Idempotency-Replayed': '`true`: the answer that the same key had first.',
  ETag: 'Of these bytes; send it back as If-None-Match.',
  Vary: 'What of the request the answer depends on.',
  'Set-Cookie': 'The session SERVICESESSIONID, or its end.',
  Location: 'Where what was created is, or where the browser goes next.',
  'Content-Disposition': 'Under which name to keep it.',
} as const;

/** Name of a header that answers have. */
export type AnswerHeader = keyof typeof shared;

/** The headers as components of the document. */
export function headerComponents(): Json {
  return Object.fromEntries(
    Object.entries(shared).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  );
}

/** A route, as far as its headers follow from it. */
interface DescribedRoute {
  readonly deprecated?: boolean;
  readonly creates?: object;
  readonly answers: Readonly<Record<number, { readonly headers?: readonly AnswerHeader[] }>>;
}

/** References to the headers that an operation's answer with this status can have. */
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
