// Cases of the client that run on every platform, against a real service.
import {
  ActionFailedError,
  answer,
  type ClientOptions,
  createClient,
  type LedgerClient,
  type PlacedEvent,
  ProblemError,
  verifyWebhook,
} from '@ledger-ops/client';

/** The service and its records; plain data, so that it can be passed to a browser. */
export interface Ground {
  /** Name of the platform, which distinguishes its records from those of others. */
  readonly name: string;
  readonly baseUrl: string;
  readonly applicationToken: string;
  readonly clientId: string;
  readonly serviceAccount: string;
  readonly apiToken: string;
  readonly key: { readonly keyId: string; readonly privateKey: string };
  /** Authorization code. Only one case gets it, because a code can be used once. */
  readonly user?: { readonly code: string; readonly codeVerifier: string; readonly redirectUri: string };
  /** Wallet with funds. */
  readonly sender: { readonly walletId: string; readonly walletPassword: string };
  /** Wallet without funds. */
  readonly poor: { readonly walletId: string; readonly walletPassword: string };
  readonly webhook: {
    readonly secret: string;
    readonly body: string;
    readonly headers: Record<string, string>;
  };
}

const nobody = { ledger: 'ethereum', address: '0x00000000000000000000000000000000000000aa' };
const uint = { name: '', type: 'uint256' } as const;
const account = { name: '', type: 'address' } as const;
const abi = [
  { type: 'function', name: 'transfer', inputs: [account, uint], outputs: [], stateMutability: 'nonpayable' },
  { type: 'function', name: 'balanceOf', inputs: [account], outputs: [uint], stateMutability: 'view' },
] as const;

/** @throws Error if they differ */
function expectEqual(found: unknown, wanted: unknown): void {
  const [left, right] = [found, wanted].map((value) =>
    JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? `${one}n` : one)),
  );
  if (left !== right) throw new Error(`Found ${left} instead of ${right}.`);
}

async function thrown(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    () => Promise.reject(new Error('The call did not throw.')),
    (error: unknown) => error,
  );
}

/** Called for each request. Returns the service's response, which `ask` requests, or a replacement. */
type Between = (path: string, ask: () => Promise<Response>, request: Request) => Promise<Response>;

function open(ground: Ground, options: Partial<ClientOptions> = {}, between?: Between) {
  const { baseUrl, applicationToken, clientId, serviceAccount, apiToken } = ground;
  const paths: string[] = [];
  const ledger = createClient({
    ...{ baseUrl, applicationToken, credentials: { clientId, serviceAccount, apiToken } },
    async fetch(request, options) {
      const { pathname } = new URL(request.url);
      paths.push(pathname);
      const ask = () => fetch(request, options);
      return between === undefined ? await ask() : await between(pathname, ask, request);
    },
    ...options,
  });
  const count = (path: string) => paths.filter((one) => one === path).length;
  return { ledger, count };
}

async function pay(ledger: LedgerClient, { sender }: Ground, tag: string): Promise<string> {
  return (await ledger.transfer({ ...sender, to: nobody, amount: 1, tag })).actionId;
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

export const cases: Readonly<Record<string, (ground: Ground) => Promise<void>>> = {
  async 'with an API token, it sends a transfer and waits until the transfer completes'(ground) {
    const { ledger, count } = open(ground);
    const action = await ledger.waitFor(await pay(ledger, ground, `${ground.name}-first`));
    expectEqual([action.status, /^0x[0-9a-f]{64}$/.test(action.locator ?? '')], ['SUCCEEDED', true]);
    expectEqual(count('/v1/auth/token'), 1);
  },

  async 'with a key, it signs the token request'(ground) {
    const { clientId, serviceAccount, key } = ground;
    const { ledger } = open(ground, { credentials: { clientId, serviceAccount, ...key } });
    const wallets = await all(ledger.each('/v1/cloud-wallet/wallets'));
    expectEqual(
      wallets.some(({ walletId }) => walletId === ground.sender.walletId),
      true,
    );
  },

  async 'a person signs in with an authorization code, and the refresh token replaces a refused access token'(
    ground,
  ) {
    if (ground.user === undefined) throw new Error('The test did not pass an authorization code.');
    const tokens: string[] = [];
    let refusals = 0;
    const { ledger } = open(
      ground,
      {
        credentials: {
          clientId: ground.clientId,
          ...ground.user,
          onRefreshToken: (token) => void tokens.push(token),
        },
      },
      async (path, ask) => {
        if (path !== '/v1/cloud-wallet/wallets' || refusals > 0) return await ask();
        refusals += 1;
        return new Response(null, { status: 401 });
      },
    );
    expectEqual((await all(ledger.each('/v1/cloud-wallet/wallets'))).length > 0, true);
    expectEqual([tokens.length, new Set(tokens).size], [2, 2]);
  },

  async 'it throws problems with their pointers'(ground) {
    const { ledger } = open(ground);
    const refused = await thrown(ledger.transfer({ ...ground.sender, to: nobody, amount: '-1' }));
    if (!(refused instanceof ProblemError)) throw refused;
    expectEqual(
      [
        refused.is('invalid-request'),
        refused.status,
        refused.issues[0]?.pointer,
        refused.requestId !== undefined,
      ],
      [true, 400, '/glo/options/amount', true],
    );
    const wrong = { ...ground.sender, walletPassword: 'wrong wrong wrong' };
    const denied = await thrown(ledger.transfer({ ...wrong, to: nobody, amount: 1 }));
    expectEqual(denied instanceof ProblemError && denied.is('wrong-wallet-password'), true);
    const unknown = await thrown(ledger.waitFor('00000000-0000-7000-8000-000000000000'));
    expectEqual(unknown instanceof ProblemError && unknown.is('not-found'), true);
  },

  async 'an operation whose response is lost is executed once'(ground) {
    const tag = `${ground.name}-lost`;
    const lost: string[] = [];
    const { ledger, count } = open(ground, { timing: { again: 1 } }, async (path, ask) => {
      const response = await ask();
      if (path !== '/v1/ledger-ops/send' || lost.length > 0) return response;
      // The OpenAPI document declares this type.
      const body = (await response.json()) as { actionId: string };
      lost.push(body.actionId);
      throw new TypeError('The connection was closed.');
    });
    const actionId = await pay(ledger, ground, tag);
    expectEqual([actionId, count('/v1/ledger-ops/send')], [lost[0], 2]);
    await ledger.waitFor(actionId);
    const tagged = await all(ledger.each('/v1/ledger-ops/actions', { query: { tag } }));
    expectEqual(
      tagged.map((action) => action.actionId),
      [actionId],
    );
  },

  async 'one stream waits for many actions'(ground) {
    const { ledger, count } = open(ground, { timing: { look: [60_000, 60_000], lookBesideStream: 60_000 } });
    const sent = await Promise.all(
      Array.from({ length: 8 }, (_, n) => pay(ledger, ground, `${ground.name}-${n}`)),
    );
    const ended = await Promise.all(sent.map((actionId) => ledger.waitFor(actionId)));
    expectEqual(
      ended.map(({ status }) => status),
      sent.map(() => 'SUCCEEDED'),
    );
    expectEqual(count('/v1/events'), 1);
  },

  async 'it polls for final states if the stream is refused or stalls'(ground) {
    const refused: Between = async (path, ask) =>
      path === '/v1/events' ? new Response(null, { status: 403 }) : await ask();
    const held: Between = async (path, ask, { signal }) => {
      if (path !== '/v1/events') return await ask();
      return await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    for (const between of [refused, held]) {
      const { ledger, count } = open(ground, { timing: { look: [20, 100] } }, between);
      const { status } = await ledger.waitFor(await pay(ledger, ground, `${ground.name}-looked`));
      expectEqual([status, count('/v1/events')], ['SUCCEEDED', 1]);
    }
  },

  async 'waiting for a failed action throws the reason, and an abort signal ends the wait'(ground) {
    const { ledger } = open(ground);
    const first = await ledger.deploy({ ...ground.sender, template: 'coin:1', args: ['Fail', 'FAIL', 1n] });
    const blocked = await ledger.transfer({
      ...{ ...ground.poor, to: nobody, amount: 10n ** 18n, dependencies: [first.actionId] },
    });
    const over = new AbortController();
    const given = thrown(ledger.waitFor(blocked, { signal: over.signal }));
    over.abort(new Error('No more.'));
    expectEqual(String(await given), 'Error: No more.');
    const failed = thrown(ledger.waitFor(blocked));
    const params = { path: { actionId: blocked.actionId } };
    await answer(ledger.http.POST('/v1/ledger-ops/actions/{actionId}/cancel', { params, body: {} }));
    const error = await failed;
    if (!(error instanceof ActionFailedError)) throw error;
    expectEqual([error.action.status, error.problem?.is('cancelled')], ['FAILED', true]);
  },

  async 'it reads events as they happen, and can resume after the last one'(ground) {
    const { ledger } = open(ground);
    const filter = {
      wallets: [ground.sender.walletId],
      types: ['action.accepted', 'action.succeeded'],
    } as const;
    const received: { place: string; type: string; actionId: string }[] = [];
    const stop = new AbortController();
    const listening = Promise.withResolvers<void>();
    const opened = () => listening.resolve();
    const events = ledger.events(filter, { signal: stop.signal, opened });
    // The stream opens with the first read, so the first read must precede the events.
    const first = events.next();
    await Promise.race([listening.promise, first]);
    const actionId = await pay(ledger, ground, `${ground.name}-streamed`);
    const { value: seen } = await first;
    if (seen) received.push(summaryOf(seen));
    while (!received.some((one) => one.actionId === actionId && one.type === 'action.succeeded')) {
      const { value } = await events.next();
      if (value) received.push(summaryOf(value));
    }
    await events.return();
    const again: string[] = [];
    for await (const one of ledger.events(filter, { after: received[0]?.place ?? '' })) {
      again.push(one.place);
      if (again.length === received.length - 1) break;
    }
    expectEqual(
      again,
      received.slice(1).map(({ place }) => place),
    );
  },

  async 'it reads every kind of listing to its last page'(ground) {
    const { ledger, count } = open(ground);
    const wallets = await all(ledger.each('/v1/cloud-wallet/wallets', { query: { size: 5 } }));
    expectEqual(
      [wallets.length > 5, new Set(wallets.map(({ walletId }) => walletId)).size],
      [true, wallets.length],
    );
    expectEqual(count('/v1/cloud-wallet/wallets'), Math.ceil(wallets.length / 5));
    const query = { wallet: ground.sender.walletId, size: 5 };
    const actions = await all(ledger.each('/v1/ledger-ops/actions', { query }));
    expectEqual(
      [actions.length > 5, new Set(actions.map(({ actionId }) => actionId)).size],
      [true, actions.length],
    );
  },

  async 'it deploys, calls and reads a contract by its ABI'(ground) {
    const { ledger } = open(ground);
    const { sender } = ground;
    const deployed = await ledger.deploy({ ...sender, template: 'coin:1', args: ['Coin', 'COIN', 1_000n] });
    const { contractAddress } = await ledger.waitFor(deployed);
    const coin = ledger.contract({ contract: deployed.actionId, interface: abi, sender });
    await ledger.waitFor(await coin.transfer(nobody.address, 5n));
    expectEqual(await coin.balanceOf(nobody.address), 5n);
    const reference = { ledger: 'ethereum', address: contractAddress ?? '' };
    const unregistered = ledger.contract({ contract: reference, interface: abi, sender });
    expectEqual(await unregistered.balanceOf(nobody.address), 5n);
    const tooMuch = await thrown(coin.transfer(nobody.address, 10_000n).then((one) => ledger.waitFor(one)));
    expectEqual(tooMuch instanceof ProblemError || tooMuch instanceof ActionFailedError, true);
  },

  async 'it verifies a webhook delivery, and rejects a forged one'({ webhook: { secret, body, headers } }) {
    expectEqual((await verifyWebhook(secret, body, headers)).type, 'action.succeeded');
    const forged = await thrown(verifyWebhook(secret, `${body} `, headers));
    expectEqual(forged instanceof Error && forged.name, 'WebhookError');
  },
};

function summaryOf({ place, event: { type, data } }: PlacedEvent) {
  return { place, type, actionId: 'actionId' in data ? data.actionId : '' };
}
