/** Returns the headers of every response: they forbid framing, content sniffing, caching and referrers. */
export function baseHeaders(baseUrl: string): Readonly<Record<string, string>> {
  return {
    'Cache-Control': 'no-store',
    'Content-Security-Policy':
      "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    ...(baseUrl.startsWith('https:') ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
  };
}

/** When the deprecated operations were deprecated: 20 November 2026 (RFC 9745). */
const deprecatedSince = Date.UTC(2026, 10, 20) / 1000;

/** Returns the headers of a deprecated operation's responses. `successor`: path of its replacement. */
export function deprecationHeaders(
  baseUrl: string,
  successor: string | undefined,
): Readonly<Record<string, string>> {
  const next = successor === undefined ? '' : `, <${baseUrl}${successor}>; rel="successor-version"`;
  return {
    Deprecation: `@${deprecatedSince}`,
    Link: `<${baseUrl}/docs#deprecated>; rel="deprecation"; type="text/html"${next}`,
  };
}

/** CORS headers for a configured origin; empty for any other. */
export function corsHeaders(
  origin: string | undefined,
  origins: ReadonlySet<string>,
): Readonly<Record<string, string>> | undefined {
  if (origin === undefined || !origins.has(origin)) return undefined;
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers':
      'X-Request-Id, Retry-After, Deprecation, ETag, Link, Idempotency-Replayed',
    'Cross-Origin-Resource-Policy': 'cross-origin',
    Vary: 'Origin',
  };
}

/** Additional headers of preflight responses. */
export function preflightHeaders(methods: string): Readonly<Record<string, string>> {
  return {
    'Access-Control-Allow-Methods': methods,
    'Access-Control-Allow-Headers':
      'ApplicationToken, Authorization, Content-Type, Accept, Idempotency-Key, X-Request-Id, Last-Event-ID',
    'Access-Control-Max-Age': '600',
  };
}
