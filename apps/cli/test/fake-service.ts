import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { asyncListener } from '../../../testing/async-listener.ts';

/** A fake service whose responses are set by the test. */
export interface FakeService {
  /** Environment variables that sign the command line in to the fake service. */
  readonly environment: Record<string, string>;
  /** All requests except token requests: `POST /v1/ledger-ops/send`, with body and idempotency key. */
  readonly asked: { readonly what: string; readonly body: unknown; readonly key: string | undefined }[];
  /** Responses by method and path. A request without an entry gets no response. */
  answers: Record<string, (response: ServerResponse, request: IncomingMessage) => void>;
  close(): Promise<void>;
}

export function json(body: unknown, status = 200) {
  return (response: ServerResponse) => {
    response.writeHead(status, { 'Content-Type': 'application/json', 'X-Request-Id': 'r1' });
    response.end(JSON.stringify(body));
  };
}

/** Returns the handler of a request that fails with a problem document. */
export const problem = (status: number, name: string, errors: readonly object[] = []) =>
  json(
    { type: `urn:ledger-ops:problem:${name}`, title: name, status, detail: `It is ${name}.`, errors },
    status,
  );

export async function openFake(): Promise<FakeService> {
  const asked: FakeService['asked'] = [];
  const server = createServer(
    asyncListener(async (request, response) => {
      const body = await text(request);
      const [path = ''] = (request.url ?? '').split('?');
      if (path === '/v1/auth/token')
        return json({ access_token: 't', expires_in: 300, token_type: 'Bearer' })(response);
      const what = `${request.method} ${path}`;
      const key = request.headers['idempotency-key'];
      asked.push({ what, body: body === '' ? undefined : JSON.parse(body), key: key?.toString() });
      fake.answers[what]?.(response, request);
    }),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const fake: FakeService = {
    environment: {
      LEDGER_OPS_URL: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
      ...{ LEDGER_OPS_APPLICATION_TOKEN: 'app_secret', LEDGER_OPS_CLIENT_ID: 'app' },
      ...{ LEDGER_OPS_SERVICE_ACCOUNT: 'account', LEDGER_OPS_API_TOKEN: 'sak_secret' },
      LEDGER_OPS_WALLET_PASSWORD: 'correct horse battery staple',
    },
    asked,
    answers: {},
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fake;
}
