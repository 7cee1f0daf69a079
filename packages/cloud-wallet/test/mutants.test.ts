import { randomUUID } from 'node:crypto';
import type { ContractEvents } from '@ledger-ops/adapter';
import { cloudWalletChecks, runCloudWalletCheck } from '@ledger-ops/adapter-kit/cloud-wallet';
import { harnessLedger, openMemoryHarness } from '@ledger-ops/adapter-kit/memory-harness';
import { listen } from '@ledger-ops/cloud-wallet';
import { describe, expect, test } from 'vitest';
import { coSignedGlo, serveMemory, tellingSample, transferGlo } from './served-memory.ts';

type Handle = (request: Request) => Promise<Response>;

const replaced = async (response: Response, change: (body: never) => unknown, status = response.status) =>
  new Response(JSON.stringify(change((await response.json()) as never)), {
    status,
    headers: response.headers,
  });
const isPost = (request: Request, path: string) =>
  request.method === 'POST' && new URL(request.url).pathname.endsWith(path);
const withBody = (request: Request, body: unknown) => {
  const headers = new Headers(request.headers);
  headers.delete('content-length');
  return new Request(request.url, { method: 'POST', headers, body: JSON.stringify(body) });
};

type Change = (handle: Handle, onCrash: (forget: () => void) => void) => Handle;

interface Sent {
  actionId: string;
  wallets?: { wallet: string; pluginParams: { walletPassword: string } }[];
}

/** Knows the secret of every wallet that it made, and changes the wallets that go along with an operation. */
const withWallets =
  (
    change: (wallets: NonNullable<Sent['wallets']>, secrets: ReadonlyMap<string, string>) => Sent['wallets'],
  ): Change =>
  (handle) => {
    const secrets = new Map<string, string>();
    return async (request) => {
      if (isPost(request, '/wallets')) {
        const { walletId, pluginParameters } = JSON.parse(await request.clone().text());
        secrets.set(walletId, pluginParameters.walletPassword);
      }
      if (!isPost(request, '/transactions')) return handle(request);
      const body: Sent = JSON.parse(await request.text());
      return handle(withBody(request, { ...body, wallets: change(body.wallets ?? [], secrets) }));
    };
  };

/** Changes pages of events on their way. */
const withPages =
  (change: (page: ContractEvents) => unknown): Change =>
  (handle) =>
  async (request) => {
    const response = await handle(request);
    return isPost(request, '/events') && response.ok ? replaced(response, change) : response;
  };
const eachOnce = 'events of a contract come once each';

/** For each fault of a plugin, a check that must find it. */
const mutants: readonly [fault: string, check: string, change: Change][] = [
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
  [
    'wallets that go along are not read',
    'an operation that names other wallets SUCCEEDED',
    withWallets(() => []),
  ],
  [
    'the secret of another wallet is not looked at',
    'an operation that names another wallet is refused',
    withWallets((wallets, secrets) =>
      wallets.map(({ wallet, pluginParams }) => ({
        wallet,
        pluginParams: { walletPassword: secrets.get(wallet) ?? pluginParams.walletPassword },
      })),
    ),
  ],
  [
    'a wallet that is named and not given signs all the same',
    'an operation that names another wallet is refused',
    withWallets((wallets, secrets) =>
      [...secrets]
        .slice(1)
        .map(
          ([wallet, walletPassword]) =>
            wallets.find((one) => one.wallet === wallet) ?? { wallet, pluginParams: { walletPassword } },
        ),
    ),
  ],
  [
    'what several wallets sign is signed when its status is asked, by secrets in memory',
    'after a crash an action that several wallets sign',
    (handle, onCrash) => {
      const held = new Map<string, Request>();
      onCrash(() => held.clear());
      return async (request) => {
        if (isPost(request, '/transactions')) {
          const { actionId }: Sent = JSON.parse(await request.clone().text());
          held.set(actionId, request);
          return Response.json({ txId: actionId, status: 'PROCESSING' });
        }
        for (const [actionId, sent] of request.url.includes('txId') ? held : []) {
          held.delete(actionId);
          await handle(sent);
        }
        return handle(request);
      };
    },
  ],
  [
    'an event is left out',
    eachOnce,
    withPages((page) => (page.events.length > 1 ? { ...page, events: page.events.slice(1) } : page)),
  ],
  [
    'an event is told twice',
    eachOnce,
    withPages((page) => ({ ...page, events: page.events.flatMap((one) => [one, one]) })),
  ],
  [
    'the newest event comes first',
    eachOnce,
    withPages((page) => ({ ...page, events: page.events.toReversed() })),
  ],
  [
    'the position goes back',
    eachOnce,
    withPages((page) => ({ ...page, after: { height: Math.max(0, page.after.height - 2) } })),
  ],
  [
    'the position is beyond what is there',
    eachOnce,
    withPages((page) => ({ ...page, after: { height: page.newest + 1_000 } })),
  ],
  [
    'ids are of the reading, and not of the event',
    eachOnce,
    withPages((page) => ({ ...page, events: page.events.map((one) => ({ ...one, id: randomUUID() })) })),
  ],
  [
    'events name another transaction',
    eachOnce,
    withPages((page) => ({ ...page, events: page.events.map((one) => ({ ...one, txId: one.id })) })),
  ],
  [
    'after a crash what was told before is forgotten',
    'after a crash events are read on',
    (handle, onCrash) => {
      let crashed = false;
      onCrash(() => {
        crashed = true;
      });
      return withPages((page) => (crashed ? { ...page, events: [] } : page))(handle, onCrash);
    },
  ],
  [
    'the contract is not looked at',
    'what a contract tells is not told of another one',
    (handle) => {
      let asked: { contractAddress: string } | undefined;
      return async (request) => {
        if (!isPost(request, '/events')) return handle(request);
        const body: { contractAddress: string } = JSON.parse(await request.text());
        asked ??= body;
        return handle(withBody(request, { ...body, contractAddress: asked.contractAddress }));
      };
    },
  ],
  [
    'an unknown ledger is taken for the one that is there',
    'reading events of an unknown ledger',
    (handle) => async (request) => {
      if (!isPost(request, '/events')) return handle(request);
      const body: object = JSON.parse(await request.text());
      return handle(withBody(request, { ...body, ledgerId: 'memory' }));
    },
  ],
  [
    'it reads events, and does not say so',
    'a plugin without contractEvents has no such path',
    (handle) => async (request) => {
      const response = await handle(request);
      if (isPost(request, '/events')) return Response.json({});
      if (request.method !== 'GET' || request.url.includes('txId')) return response;
      return replaced(response, (body: { capabilities: object }) => ({
        ...body,
        capabilities: { ...body.capabilities, contractEvents: false },
      }));
    },
  ],
  [
    'a check does not say what another wallet pays',
    'a check of an operation that names other wallets',
    (handle) => async (request) => {
      const response = await handle(request);
      if (!isPost(request, '/checks') || !response.ok) return response;
      return replaced(response, ({ costs: _, ...body }: { costs?: unknown }) => body);
    },
  ],
];

describe('the kit of the protocol finds a fault that was put into a served adapter', () => {
  test.each(mutants)('%s → %s', async (_, name, change) => {
    const check = cloudWalletChecks.find((one) => one.name.startsWith(name));
    if (check === undefined) throw new Error(`there is no check: ${name}`);
    const ledger = harnessLedger({ sequence: 'none', autoMine: true });
    const served = await serveMemory({}, ledger);
    const { samples } = await openMemoryHarness(ledger);
    let forget: () => void = () => {};
    const port = await listen(
      change(
        (request) => {
          const { pathname, search } = new URL(request.url);
          const forwarded = new Request(`${served.url}${pathname}${search}`, request);
          // Bodies that are changed on their way must not be compressed.
          forwarded.headers.set('accept-encoding', 'identity');
          return fetch(forwarded);
        },
        (callback) => {
          forget = callback;
        },
      ),
      { port: 0 },
    );
    const run = runCloudWalletCheck(check, async () => ({
      url: port.url,
      ledgerId: 'memory',
      funded: 'by-hook',
      samples: {
        operation: { glo: transferGlo('3') },
        other: { glo: transferGlo('4') },
        coSigned: { operation: { glo: coSignedGlo }, others: 2, payer: 1 },
        telling: tellingSample(samples.call?.contract.address ?? ''),
      },
      hooks: {
        fund: async (address) => ledger.fund(address, 10n ** 9n),
        async crash() {
          forget();
          await served.restart();
          return { url: port.url };
        },
      },
      patience: 1_000,
      close: async () => {
        await port.close();
        await served.close();
      },
    }));
    await expect(run).rejects.toThrow(expect.objectContaining({ name: 'AssertionError' }));
  });
});
