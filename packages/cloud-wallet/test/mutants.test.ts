import { randomUUID } from 'node:crypto';
import type { ContractEvents } from '@ledger-ops/adapter';
import { cloudWalletChecks, runCloudWalletCheck } from '@ledger-ops/adapter-kit/cloud-wallet';
import { memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import { harnessLedger, openMemoryHarness } from '@ledger-ops/adapter-kit/memory-harness';
import { describe, expect, test } from 'vitest';
import {
  config,
  coSignedGlo,
  deployment,
  emittingSample,
  storeCall,
  transferGlo,
  transferRecipient,
} from './memory-plugin.ts';
import { type Handle, TestPlugin } from './test-plugin.ts';

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

type Change = (
  handle: Handle,
  onCrash: (forget: () => void) => void,
  ledger: ReturnType<typeof harnessLedger>,
) => Handle;

interface Sent {
  actionId: string;
  wallets?: { wallet: string; pluginParams: { walletPassword: string } }[];
}

/** Replaces the list of other wallets in a sent action. `change` also gets the secrets of all created wallets. */
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

/** Changes the pages of events that the plugin returns. */
const withPages =
  (change: (page: ContractEvents) => unknown): Change =>
  (handle) =>
  async (request) => {
    const response = await handle(request);
    return isPost(request, '/events') && response.ok ? replaced(response, change) : response;
  };
const eachOnce =
  'each event of a contract is returned once, in the order of the ledger, whatever the page size';

/** Answers 422 to every operation of this type. */
const refusing =
  (type: string): Change =>
  (handle) =>
  async (request) => {
    if (!isPost(request, '/transactions')) return handle(request);
    const text = await request.clone().text();
    if (!text.includes(`"type":"${type}"`)) return handle(request);
    const problem = { type: 'about:blank', title: 'refused', status: 422, detail: 'Not today.' };
    const headers = { 'content-type': 'application/problem+json' };
    return Response.json(problem, { status: 422, headers });
  };

/** Accepts operations, executes nothing, and reports a status for them. @param type of the operations; all if undefined */
const reporting =
  (status: object, type?: string): Change =>
  (handle) => {
    const sent = new Set<string>();
    return async (request) => {
      if (isPost(request, '/transactions')) {
        const body: Sent & { glo: { type: string } } = JSON.parse(await request.text());
        if (type !== undefined && body.glo.type !== type) return handle(withBody(request, body));
        sent.add(body.actionId);
        return Response.json({ txId: body.actionId, status: 'PROCESSING' });
      }
      const ids = new URL(request.url).searchParams.getAll('txId');
      if (ids.length === 0 || !ids.every((id) => sent.has(id))) return handle(request);
      return Response.json(ids.map((id) => ({ ...status, details: { locator: id, contractAddress: 'c1' } })));
    };
  };
const pretending = reporting({ status: 'SUCCEEDED' });
const failing = (type: string) => {
  const problem = { type: 'about:blank', title: 'failed', status: 422, detail: 'Not today.' };
  return reporting({ status: 'FAILED', problem }, type);
};

/** Executes a sent action once more under another id, if `when` returns true. */
const alongWith =
  (when: (isRepeated: boolean) => boolean): Change =>
  (handle) => {
    const sent = new Set<string>();
    return async (request) => {
      if (!isPost(request, '/transactions')) return handle(request);
      const body: Sent = JSON.parse(await request.clone().text());
      const isRepeated = sent.has(body.actionId);
      sent.add(body.actionId);
      const answer = await handle(request);
      if (when(isRepeated)) await handle(withBody(request, { ...body, actionId: randomUUID() }));
      return answer;
    };
  };

/** For each fault of a plugin, the check that must detect it. */
const mutants: readonly [fault: string, check: string, change: Change][] = [
  [
    'the plugin implements another interface version',
    'the plugin returns a description, with an interface version that the conformance kit supports',
    (handle) => async (request) => {
      const response = await handle(request);
      if (request.method !== 'GET' || request.url.includes('txId')) return response;
      return replaced(response, (body: object) => ({ ...body, interfaceVersion: '0.9.0' }));
    },
  ],
  [
    'the plugin implements a newer patch of the interface than the host',
    'the plugin returns a description, with an interface version that the conformance kit supports',
    (handle) => async (request) => {
      const response = await handle(request);
      if (request.method !== 'GET' || request.url.includes('txId')) return response;
      return replaced(response, (body: object) => ({ ...body, interfaceVersion: '0.1.7' }));
    },
  ],
  [
    'the description has a member that the host refuses',
    'the plugin returns a description, with an interface version that the conformance kit supports',
    (handle) => async (request) => {
      const response = await handle(request);
      if (request.method !== 'GET' || request.url.includes('txId')) return response;
      return replaced(response, (body: { description: object }) => ({
        ...body,
        description: { ...body.description, currency: 'GLD' },
      }));
    },
  ],
  [
    'each wallet has the same address',
    'each wallet has its own address',
    (handle) => async (request) =>
      isPost(request, '/wallets')
        ? replaced(await handle(request), () => ({ walletAddress: 'same' }))
        : handle(request),
  ],
  [
    'a repeated createWallet creates another wallet',
    'createWallet with the same secret returns the same address, even for concurrent requests',
    (handle) => async (request) =>
      isPost(request, '/wallets')
        ? replaced(await handle(request), () => ({ walletAddress: randomUUID() }))
        : handle(request),
  ],
  [
    'an action is executed each time it is sent',
    'an action that is sent many times',
    (handle) => async (request) => {
      if (!isPost(request, '/transactions')) return handle(request);
      const body: object = JSON.parse(await request.text());
      return handle(withBody(request, { ...body, actionId: randomUUID() }));
    },
  ],
  [
    'the content of a repeated action is not compared',
    'a request that repeats an action id with different content is rejected and not executed',
    (handle) => async (request) => {
      const response = await handle(request);
      if (response.status !== 409) return response;
      return new Response(JSON.stringify({ txId: 't', status: 'PROCESSING' }), {
        headers: { 'content-type': 'application/json' },
      });
    },
  ],
  [
    'statuses are in another order',
    'statuses are returned in the order',
    (handle) => async (request) =>
      request.url.includes('txId')
        ? replaced(await handle(request), (items: unknown[]) => items.toReversed())
        : handle(request),
  ],
  [
    'a rejection is not a problem document',
    'a transaction of an unknown wallet',
    (handle) => async (request) => {
      const response = await handle(request);
      return response.ok ? response : replaced(response, () => ({ error: 'no' }));
    },
  ],
  [
    'a rejection contains the secret',
    'an invalid operation is rejected',
    (handle) => async (request) => {
      const text = await request.clone().text();
      const response = await handle(request);
      return response.ok ? response : replaced(response, (body: object) => ({ ...body, detail: text }));
    },
  ],
  [
    'a transaction stays PROCESSING',
    'a valid transaction is accepted and becomes SUCCEEDED',
    (handle) => async (request) =>
      request.url.includes('txId')
        ? replaced(await handle(request), (items: object[]) =>
            items.map((item) => ({ ...item, status: 'PROCESSING' })),
          )
        : handle(request),
  ],
  [
    'a body of more than 10 MB is refused',
    'accepts a request body of 16 MiB, and rejects a body that is one byte longer with 413',
    (handle) => async (request) => {
      if (Number(request.headers.get('content-length') ?? 0) <= 10_000_000) return handle(request);
      const problem = { type: 'about:blank', title: 'too large', status: 413, detail: 'More than 10 MB.' };
      const headers = { 'content-type': 'application/problem+json' };
      return Response.json(problem, { status: 413, headers });
    },
  ],
  [
    'a body of any length is read',
    'accepts a request body of 16 MiB, and rejects a body that is one byte longer with 413',
    (handle) => async (request) => {
      if (Number(request.headers.get('content-length') ?? 0) <= 2 ** 24) return handle(request);
      await request.text();
      return handle(withBody(request, {}));
    },
  ],
  [
    'a declared transfer is refused',
    'executes a transfer, if the plugin declares this type',
    refusing('transfer'),
  ],
  [
    'a declared call is refused',
    'executes a contract call, if the plugin declares this type',
    refusing('contract_call'),
  ],
  [
    'a declared deployment is refused',
    'executes a deployment and returns the contract address, if the plugin declares this type',
    refusing('contract_deploy'),
  ],
  [
    'a declared transfer is accepted and fails',
    'executes a transfer, if the plugin declares this type',
    failing('transfer'),
  ],
  [
    'a declared call is accepted and fails',
    'executes a contract call, if the plugin declares this type',
    failing('contract_call'),
  ],
  [
    'a declared deployment is accepted and fails',
    'executes a deployment and returns the contract address, if the plugin declares this type',
    failing('contract_deploy'),
  ],
  [
    'the amount of a transfer is paid by another account',
    'as soon as the status of an operation is SUCCEEDED, the ledger contains its effects exactly once',
    (handle, onCrash, ledger) => {
      const pretend = pretending(handle, onCrash, ledger);
      return async (request) => {
        if (isPost(request, '/transactions')) ledger.fund(transferRecipient, 3n);
        return pretend(request);
      };
    },
  ],
  [
    'nothing is sent, but every operation is reported as SUCCEEDED',
    'as soon as the status of an operation is SUCCEEDED, the ledger contains its effects exactly once',
    pretending,
  ],
  [
    'a second transfer is sent with each transfer',
    'as soon as the status of an operation is SUCCEEDED, the ledger contains its effects exactly once',
    alongWith((isRepeated) => !isRepeated),
  ],
  [
    'a repeated action is executed again, under another id',
    'the ledger executes an action once, even if it is sent many times and again after completion',
    alongWith((isRepeated) => isRepeated),
  ],
  [
    'the transferred amount is one unit too high',
    'as soon as the status of an operation is SUCCEEDED, the ledger contains its effects exactly once',
    (handle) => async (request) =>
      isPost(request, '/transactions')
        ? handle(
            withBody(request, JSON.parse((await request.text()).replace('"amount":"3"', '"amount":"4"'))),
          )
        : handle(request),
  ],
  [
    'amounts are shortened to 64 bits',
    'an amount of more than 32 or 64 bits is never shortened',
    (handle) => async (request) => {
      if (!isPost(request, '/transactions')) return handle(request);
      const body = JSON.parse(await request.text());
      const { options } = body.glo;
      const amount = BigInt.asUintN(64, BigInt(options.amount)).toString();
      return handle(withBody(request, { ...body, glo: { ...body.glo, options: { ...options, amount } } }));
    },
  ],
  [
    'the described form of addresses is not that of the wallets',
    "a wallet's address matches the pattern of the description",
    (handle) => async (request) => {
      const response = await handle(request);
      if (request.method !== 'GET' || request.url.includes('txId')) return response;
      const account = { pattern: '^x[0-9]$', example: 'x1' };
      return replaced(response, (body: { description: object }) => ({
        ...body,
        description: { ...body.description, addresses: { account } },
      }));
    },
  ],
  [
    'unknown native content is dropped',
    'unknown native content is rejected, not ignored',
    (handle) => async (request) => {
      if (!isPost(request, '/transactions')) return handle(request);
      const { glo, ...body } = JSON.parse(await request.text());
      const { meta: _, ...rest } = glo;
      return handle(withBody(request, { ...body, glo: rest }));
    },
  ],
  [
    'a refused operation with a wrong secret is executed with the correct secret',
    'rejected and FAILED operations have no effect on the ledger',
    (handle) => {
      const secrets = new Map<string, string>();
      return async (request) => {
        const text = await request.clone().text();
        if (isPost(request, '/wallets')) {
          const { walletId, pluginParameters } = JSON.parse(text);
          secrets.set(walletId, pluginParameters.walletPassword);
        }
        const answer = await handle(request);
        if (!isPost(request, '/transactions') || answer.status !== 403) return answer;
        const body = JSON.parse(text);
        const pluginParams = { walletPassword: secrets.get(body.wallet) };
        await handle(withBody(request, { ...body, pluginParams }));
        return answer;
      };
    },
  ],
  [
    'after a crash, actions are executed again',
    'the ledger executes an action once if the plugin crashes while processing the action',
    (handle, onCrash) => {
      let last: { request: Request; body: Sent } | undefined;
      let isCrashed = false;
      onCrash(() => {
        isCrashed = true;
      });
      return async (request) => {
        if (isCrashed && last !== undefined) {
          const { request: sent, body } = last;
          last = undefined;
          await handle(withBody(sent, { ...body, actionId: randomUUID() }));
        }
        if (isPost(request, '/transactions')) {
          last ??= { request, body: JSON.parse(await request.clone().text()) };
          if (isCrashed) last = undefined;
        }
        return handle(request);
      };
    },
  ],
  [
    'the block of a final transaction changes with each request',
    'statuses are returned in the order',
    (handle) => {
      let block = 0;
      return async (request) => {
        const response = await handle(request);
        if (!request.url.includes('txId')) return response;
        block += 1;
        return replaced(response, (items: { details: object }[]) =>
          items.map((item) => ({ ...item, details: { ...item.details, blockHeight: block } })),
        );
      };
    },
  ],
  [
    'the other wallets that an action names are ignored',
    'an operation that names other wallets is executed once if the request contains the secrets of these wallets',
    withWallets(() => []),
  ],
  [
    'the secret of another wallet is not checked',
    'an operation that names another wallet is rejected',
    withWallets((wallets, secrets) =>
      wallets.map(({ wallet, pluginParams }) => ({
        wallet,
        pluginParams: { walletPassword: secrets.get(wallet) ?? pluginParams.walletPassword },
      })),
    ),
  ],
  [
    'a named wallet that the request does not contain signs',
    'an operation that names another wallet is rejected',
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
    'an action of several wallets is signed only when its status is requested, with secrets in memory',
    'after a crash, an action that several wallets sign',
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
    'an event is missing',
    eachOnce,
    withPages((page) => (page.events.length > 1 ? { ...page, events: page.events.slice(1) } : page)),
  ],
  [
    'an event is returned twice',
    eachOnce,
    withPages((page) => ({ ...page, events: page.events.flatMap((one) => [one, one]) })),
  ],
  [
    'events are returned from newest to oldest',
    eachOnce,
    withPages((page) => ({ ...page, events: page.events.toReversed() })),
  ],
  [
    'the position goes back',
    eachOnce,
    withPages((page) => ({ ...page, after: { height: Math.max(0, page.after.height - 2) } })),
  ],
  [
    'the position is beyond the newest block',
    eachOnce,
    withPages((page) => ({ ...page, after: { height: page.newest + 1_000 } })),
  ],
  [
    'event ids differ with each request',
    eachOnce,
    withPages((page) => ({ ...page, events: page.events.map((one) => ({ ...one, id: randomUUID() })) })),
  ],
  [
    'events have the wrong transaction id',
    eachOnce,
    withPages((page) => ({ ...page, events: page.events.map((one) => ({ ...one, txId: one.id })) })),
  ],
  [
    'no events are returned after a crash',
    'after a crash, reading from the same position returns the same events with the same ids',
    (handle, onCrash, ledger) => {
      let crashed = false;
      onCrash(() => {
        crashed = true;
      });
      return withPages((page) => (crashed ? { ...page, events: [] } : page))(handle, onCrash, ledger);
    },
  ],
  [
    'the contract address is ignored',
    'reading the events of a contract returns no events of other contracts',
    (handle) => {
      let firstRequest: { contractAddress: string } | undefined;
      return async (request) => {
        if (!isPost(request, '/events')) return handle(request);
        const body: { contractAddress: string } = JSON.parse(await request.text());
        firstRequest ??= body;
        return handle(withBody(request, { ...body, contractAddress: firstRequest.contractAddress }));
      };
    },
  ],
  [
    "an unknown ledger is treated as the plugin's only ledger",
    'reading events of an unknown ledger',
    (handle) => async (request) => {
      if (!isPost(request, '/events')) return handle(request);
      const body: object = JSON.parse(await request.text());
      return handle(withBody(request, { ...body, ledgerId: 'memory' }));
    },
  ],
  [
    'the plugin returns events without declaring the capability',
    "a plugin without the capability 'contractEvents' rejects readEvents",
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
    'a check does not report the costs of another wallet',
    'checking an operation that names other wallets',
    (handle) => async (request) => {
      const response = await handle(request);
      if (!isPost(request, '/checks') || !response.ok) return response;
      return replaced(response, ({ costs: _, ...body }: { costs?: unknown }) => body);
    },
  ],
];

describe('the conformance kit finds each fault of a remote plugin', () => {
  test.each(mutants)('the kit finds the fault "%s" with the check "%s"', async (_, name, change) => {
    const check = cloudWalletChecks.find((one) => one.name.startsWith(name));
    if (check === undefined) throw new Error(`there is no check named ${name}`);
    const ledger = harnessLedger({ sequence: 'none', autoMine: true });
    const plugin = new TestPlugin(memoryAdapter(ledger), config);
    const { samples } = await openMemoryHarness(ledger);
    let forget: () => void = () => {};
    await plugin.start(
      change(
        (request) => plugin.handle(request),
        (callback) => {
          forget = callback;
        },
        ledger,
      ),
    );
    const run = runCloudWalletCheck(check, async () => ({
      url: plugin.url,
      ledgerId: 'memory',
      funded: 'by-hook',
      samples: {
        operation: { glo: transferGlo('3') },
        other: { glo: transferGlo('4') },
        coSigned: { operation: { glo: coSignedGlo }, others: 2, payer: 1 },
        emitting: emittingSample(samples.call?.contract.address ?? ''),
        effects: [{ account: transferRecipient, adds: '3' }],
        deploy: deployment,
        refused: storeCall(samples.call?.contract.address ?? '', 'fail', ['out of stock']),
        call: storeCall(samples.call?.contract.address ?? '', 'set', ['key', 'value']),
      },
      hooks: {
        fund: async (address) => ledger.fund(address, 10n ** 9n),
        state: async (account) => ledger.balanceOf(account).toString(),
        async crash() {
          forget();
          return await plugin.restart();
        },
      },
      patience: 1_000,
      close: () => plugin.close(),
    }));
    await expect(run).rejects.toThrow(expect.objectContaining({ name: 'AssertionError' }));
  });
});
