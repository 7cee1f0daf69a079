import { type ClientOptions, createClient, type Timing } from '../src/index.ts';

/** A fake service: the requests that it received, and its responses. */
export interface FakeService {
  readonly requests: { method: string; path: string; headers: Headers; text: string }[];
  /** Responses to all requests except those for tokens. The last response is repeated. */
  answers: (() => Response | Promise<Response>)[];
  /** Lifetime of tokens in seconds. */
  life: number;
  tokens: number;
}

/** Creates a client without a network, whose requests are answered by one function. */
export function openFake(credentials?: ClientOptions['credentials'], timing: Partial<Timing> = {}) {
  const service: FakeService = { requests: [], answers: [], life: 300, tokens: 0 };
  const ledger = createClient({
    baseUrl: 'https://ledger.test',
    applicationToken: 'app-token',
    credentials: credentials ?? { clientId: 'app', serviceAccount: 'account', apiToken: 'sak_secret' },
    timing: { again: 2, look: [5, 20], ...timing },
    async fetch(request, { signal }) {
      signal.throwIfAborted();
      const { pathname, search } = new URL(request.url);
      const text = await request.text();
      service.requests.push({
        method: request.method,
        path: pathname + search,
        headers: request.headers,
        text,
      });
      if (pathname === '/v1/auth/token') {
        service.tokens += 1;
        return json({
          access_token: `token-${service.tokens}`,
          ...{ expires_in: service.life, token_type: 'Bearer' },
          ...(text.includes('client_credentials') ? {} : { refresh_token: `refresh-${service.tokens}` }),
        });
      }
      const next = service.answers.length > 1 ? service.answers.shift() : service.answers[0];
      if (next === undefined) throw new TypeError('fetch failed');
      return await next();
    },
  });
  /** All requests except those for tokens. */
  const asked = () => service.requests.filter(({ path }) => path !== '/v1/auth/token');
  return { service, ledger, asked };
}

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'Content-Type': 'application/json', ...headers },
  });
}

/** Returns a problem response of the service. */
export function problem(status: number, name: string, headers: Record<string, string> = {}): Response {
  const body = { type: `urn:ledger-ops:problem:${name}`, title: name, status, detail: `It is ${name}.` };
  return json({ ...body, errors: [{ pointer: '/glo', detail: 'is wrong' }] }, status, {
    'Content-Type': 'application/problem+json',
    ...headers,
  });
}
