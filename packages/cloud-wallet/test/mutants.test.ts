import { randomUUID } from 'node:crypto';
import { cloudWalletChecks, runCloudWalletCheck } from '@ledger-ops/adapter-kit/cloud-wallet';
import { listen } from '@ledger-ops/cloud-wallet';
import { describe, expect, test } from 'vitest';
import { serveMemory, transferGlo } from './served-memory.ts';

type Handle = (request: Request) => Promise<Response>;

const replaced = async (response: Response, change: (body: never) => unknown, status = response.status) =>
  new Response(JSON.stringify(change((await response.json()) as never)), {
    status,
    headers: response.headers,
  });
const isPost = (request: Request, path: string) =>
  request.method === 'POST' && new URL(request.url).pathname.endsWith(path);
const withBody = (request: Request, body: unknown) =>
  new Request(request.url, { method: 'POST', headers: request.headers, body: JSON.stringify(body) });

/** For each fault of a plugin, a check that must find it. */
const mutants: readonly [fault: string, check: string, change: (handle: Handle) => Handle][] = [
  [
    'it speaks another version',
    'the plugin says what it is',
    (handle) => async (request) => {
      const response = await handle(request);
      if (request.method !== 'GET' || request.url.includes('txId')) return response;
      return replaced(response, (body: object) => ({ ...body, interfaceVersion: '0.9.0' }));
    },
  ],
  [
    'each wallet has the same address',
    'wallets have addresses of their own',
    (handle) => async (request) =>
      isPost(request, '/wallets')
        ? replaced(await handle(request), () => ({ walletAddress: 'same' }))
        : handle(request),
  ],
  [
    'createWallet again makes another wallet',
    'createWallet with the same secret gives the same address again',
    (handle) => async (request) =>
      isPost(request, '/wallets')
        ? replaced(await handle(request), () => ({ walletAddress: randomUUID() }))
        : handle(request),
  ],
  [
    'an action is executed each time that it is sent',
    'an action that is sent many times',
    (handle) => async (request) => {
      if (!isPost(request, '/transactions')) return handle(request);
      const body: object = JSON.parse(await request.text());
      return handle(withBody(request, { ...body, actionId: randomUUID() }));
    },
  ],
  [
    'the content of an action that exists is not compared',
    'an action id with another content is refused',
    (handle) => async (request) => {
      const response = await handle(request);
      if (response.status !== 409) return response;
      return new Response(JSON.stringify({ txId: 't', status: 'PROCESSING' }), {
        headers: { 'content-type': 'application/json' },
      });
    },
  ],
  [
    'statuses stand in another order',
    'statuses stand in the order of the ids',
    (handle) => async (request) =>
      request.url.includes('txId')
        ? replaced(await handle(request), (items: unknown[]) => items.toReversed())
        : handle(request),
  ],
  [
    'a refusal is no problem',
    'a transaction of a wallet that the plugin does not have',
    (handle) => async (request) => {
      const response = await handle(request);
      return response.ok ? response : replaced(response, () => ({ error: 'no' }));
    },
  ],
  [
    'a refusal shows the secret',
    'an operation that is none is refused',
    (handle) => async (request) => {
      const text = await request.clone().text();
      const response = await handle(request);
      return response.ok ? response : replaced(response, (body: object) => ({ ...body, detail: text }));
    },
  ],
  [
    'a transaction stays PROCESSING',
    'a transaction is taken, and SUCCEEDED',
    (handle) => async (request) =>
      request.url.includes('txId')
        ? replaced(await handle(request), (items: object[]) =>
            items.map((item) => ({ ...item, status: 'PROCESSING' })),
          )
        : handle(request),
  ],
];

describe('the kit of the protocol finds a fault that was put into a served adapter', () => {
  test.each(mutants)('%s → %s', async (_, name, change) => {
    const check = cloudWalletChecks.find((one) => one.name.startsWith(name));
    if (check === undefined) throw new Error(`there is no check: ${name}`);
    const served = await serveMemory();
    const port = await listen(
      change((request) => {
        const { pathname, search } = new URL(request.url);
        const forwarded = new Request(`${served.url}${pathname}${search}`, request);
        // Bodies that are changed on their way must not be compressed.
        forwarded.headers.set('accept-encoding', 'identity');
        return fetch(forwarded);
      }),
      { port: 0 },
    );
    const run = runCloudWalletCheck(check, async () => ({
      url: port.url,
      ledgerId: 'memory',
      funded: 'by-hook',
      samples: { operation: { glo: transferGlo('3') }, other: { glo: transferGlo('4') } },
      hooks: { fund: async (address) => served.ledger.fund(address, 10n ** 9n) },
      patience: 500,
      close: async () => {
        await port.close();
        await served.close();
      },
    }));
    await expect(run).rejects.toThrow(expect.objectContaining({ name: 'AssertionError' }));
  });
});
