import { createHash, timingSafeEqual } from 'node:crypto';
import type {
  AdapterDefinition,
  AdapterHost,
  LedgerConfig,
  Round,
  WalletIdentity,
} from '@ledger-ops/adapter';
import {
  checkMessage,
  createWalletMessage,
  emulateMessage,
  paths,
  protocolLimits,
  readEventsMessage,
  secretParameter,
  sendMessage,
} from '@ledger-ops/adapter/cloud-wallet';
import { publicKeyOf, randomKey, sign } from '@ledger-ops/adapter/signing';
import { readTechnology } from '@ledger-ops/glo-core';
import { messageOfError, problemMessageOf, refusal } from '../problem.ts';
import { defaultTiming, type Timing } from '../timing.ts';
import { compressed } from './compress.ts';
import { readServedEvents } from './contract-events.ts';
import { createCustody } from './custody.ts';
import { createMutexes } from './mutex.ts';
import { readBody } from './read-body.ts';
import { readOperation } from './resolve.ts';
import { sendOnce } from './sender.ts';
import { openServedLedger, type ServedLedger } from './served-ledger.ts';
import { type ActionRow, openServedStore, type WalletRow } from './store.ts';

/** The adapter that is served, and where it keeps its keys. */
export interface ServeAdapterOptions {
  definition: AdapterDefinition;
  ledgers: readonly LedgerConfig[];
  /** File of the database (SQLite), made when there is none. One process at a time. */
  database: string;
  /** 32 bytes, kept apart from the database: together with a wallet's secret they open its key. */
  masterKey: Uint8Array;
  /** Bearer token that the host must send; absent = whoever reaches the port is the host. */
  bearer?: string;
  log?: AdapterHost['log'];
  /** Milliseconds since the epoch. Default: this machine's clock. */
  now?: () => number;
  /** Times other than the usual ones. */
  timing?: Partial<Timing>;
}

/** A module adapter behind the cloud wallet protocol. */
export interface ServedAdapter {
  /** Answers a request of the protocol; never rejects. */
  handle(request: Request): Promise<Response>;
  /** Stops following, and closes sessions and database. What was accepted goes on at the next start. */
  close(): Promise<void>;
}

const maximumRounds = 16;

/**
 * Serves a module adapter over the cloud wallet protocol, with custody of its own: keys are made here and sealed
 * under the wallet's secret, sequences are allotted here, and signed bytes are durable before they are sent, so
 * that a crash at any point never sends two transactions for one action.
 */
export async function serveAdapter(options: ServeAdapterOptions): Promise<ServedAdapter> {
  const { definition } = options;
  const technology = readTechnology(definition.technology, definition.description.content);
  const log = options.log ?? (() => undefined);
  const now = options.now ?? Date.now;
  const timing = { ...defaultTiming, ...options.timing };
  const custody = createCustody(options.masterKey);
  // Closed in the opposite order, each although one before it could not be.
  const parts = new AsyncDisposableStack();
  const store = openServedStore(options.database);
  parts.defer(() => store.close());
  const exclusively = createMutexes();
  const ledgers = new Map<string, ServedLedger>();
  try {
    for (const config of options.ledgers) {
      const ledger = await openServedLedger({ definition, config, store, custody, now, log, timing });
      ledgers.set(config.ledgerId, ledger);
      parts.defer(() => ledger.close());
    }
  } catch (error) {
    // Why it was not opened says more than why another one could not be closed.
    await parts.disposeAsync().catch(() => {});
    throw error;
  }

  const ledgerOf = (ledgerId: string): ServedLedger => {
    const found = ledgers.get(ledgerId);
    if (found !== undefined) return found;
    const detail = `This plugin has no ledger ${ledgerId}.`;
    throw refusal('not-found', 404, detail, [{ pointer: '/ledgerId', detail: 'is unknown' }]);
  };
  const walletOf = (walletId: string, pointer = '/wallet'): WalletRow => {
    const found = store.wallet(walletId);
    if (found !== undefined) return found;
    const detail = `This plugin has no wallet ${walletId}.`;
    throw refusal('not-found', 404, detail, [{ pointer, detail: 'is unknown' }]);
  };
  /** Wallets of one ledger beside the sender's, each once. */
  const othersOf = (sender: WalletRow, walletIds: readonly string[]): WalletRow[] =>
    walletIds.map((walletId, index) => {
      const pointer = `/wallets/${index}`;
      const found = walletOf(walletId, pointer);
      const isOther = walletId !== sender.walletId && walletIds.indexOf(walletId) === index;
      if (isOther && found.ledgerId === sender.ledgerId) return found;
      const detail = isOther ? 'is on another ledger' : 'is named already';
      throw refusal('invalid-request', 400, `${pointer} ${detail}.`, [{ pointer, detail }]);
    });
  const keyOf = ({ sealed, walletId }: WalletRow, secret: string): Uint8Array => {
    const key = custody.open(sealed, secret, walletId);
    if (key !== undefined) return key;
    throw refusal('wrong-wallet-password', 403, 'The secret is not the one of the wallet.');
  };
  const secretOf = (parameters: Readonly<Record<string, string>>, member: string): string => {
    const secret = parameters[secretParameter] ?? '';
    if (secret.length >= protocolLimits.secretLength) return secret;
    const detail = `is required, with at least ${protocolLimits.secretLength} characters`;
    const pointer = `/${member}/${secretParameter}`;
    throw refusal('invalid-request', 400, `${pointer} ${detail}.`, [{ pointer, detail }]);
  };

  async function finishWallet(
    first: Round<WalletIdentity>,
    key: Uint8Array,
    { session }: ServedLedger,
  ): Promise<WalletIdentity> {
    let round = first;
    for (let rounds = 0; rounds < maximumRounds; rounds += 1) {
      if (round.done) return round.result;
      const { requests, state } = round;
      const signatures = requests.map((one) => sign(definition.keyType, key, one));
      round = await session.advanceWallet({ state, signatures });
    }
    throw new TypeError(`No wallet after ${maximumRounds} rounds of signing.`);
  }

  async function createWallet(request: Request): Promise<Response> {
    const { ledgerId, walletId, pluginParameters } = await readBody(request, createWalletMessage);
    const secret = secretOf(pluginParameters, 'pluginParameters');
    const ledger = ledgerOf(ledgerId);
    return exclusively(`wallet ${walletId}`, async () => {
      const existing = store.wallet(walletId);
      if (existing !== undefined) {
        const opens = custody.open(existing.sealed, secret, walletId) !== undefined;
        if (existing.ledgerId === ledgerId && opens) {
          return answer({ walletAddress: existing.identity.address }, 201);
        }
        const detail = `The wallet ${walletId} exists, on another ledger or with another secret.`;
        throw refusal('already-exists', 409, detail);
      }
      const key = randomKey(definition.keyType);
      const publicKey = publicKeyOf(definition.keyType, key);
      const { [secretParameter]: _, ...parameters } = pluginParameters;
      const first = await ledger.session.createWallet({ walletId, publicKey, parameters });
      const identity = await finishWallet(first, key, ledger);
      store.addWallet({ walletId, ledgerId, identity, sealed: custody.seal(key, secret, walletId) });
      return answer({ walletAddress: identity.address }, 201);
    });
  }

  async function send(request: Request): Promise<Response> {
    const body = await readBody(request, sendMessage);
    const secret = secretOf(body.pluginParams ?? {}, 'pluginParams');
    const wallet = walletOf(body.wallet);
    const ledger = ledgerOf(wallet.ledgerId);
    const { actionId, glo, contractInterface, contractSource, wallets = [] } = body;
    const rows = othersOf(
      wallet,
      wallets.map((one) => one.wallet),
    );
    const secrets = wallets.map((one, index) => secretOf(one.pluginParams, `wallets/${index}/pluginParams`));
    const opened: Uint8Array[] = [];
    try {
      const key = keyOf(wallet, secret);
      opened.push(key);
      const others = rows.map((row, index) => {
        const other = { ...row, key: keyOf(row, secrets[index] ?? '') };
        opened.push(other.key);
        return other;
      });
      const sent = { actionId, wallet, key, others, glo, contractInterface, contractSource };
      const action = await sendOnce(
        { definition, technology, store, ledger, custody, now, exclusively },
        sent,
      );
      const { txId, status, problem, locator } = action;
      return answer({ txId: locator ?? txId, status, problem }, 200);
    } finally {
      for (const key of opened) key.fill(0);
    }
  }

  function statuses(url: URL): Response {
    const txIds = url.searchParams.getAll('txId').flatMap((value) => value.split(','));
    if (txIds.length === 0 || txIds.length > protocolLimits.txIds || txIds.includes('')) {
      const detail = `must be there, 1 to ${protocolLimits.txIds} times`;
      throw refusal('invalid-request', 400, `txId ${detail}.`, [{ pointer: 'txId', detail }]);
    }
    const told = new Set<string>();
    const items = txIds.map((txId) => {
      const action = store.action(txId) ?? store.actionOfAttempt(txId);
      const status = statusOf(txId, action);
      if (action === undefined || told.has(action.ledgerId)) return status;
      told.add(action.ledgerId);
      const requests = ledgers.get(action.ledgerId)?.takeRequests() ?? [];
      return requests.length === 0 ? status : { ...status, requests };
    });
    return answer(items, 200);
  }

  async function check(request: Request): Promise<Response> {
    const body = await readBody(request, checkMessage);
    const ledger = ledgerOf(body.ledgerId);
    const wallet = walletOf(body.wallet);
    const others = othersOf(wallet, body.wallets ?? []).map(({ identity }) => identity);
    const { operation } = readOperation(body, technology);
    const { cost, costs, recipients } = await ledger.session.check({
      wallet: wallet.identity,
      ...(others.length === 0 ? {} : { others }),
      operation,
    });
    const told = costs?.map(({ address, amount }) => ({ address, amount: amount.toString() }));
    return answer({ cost: cost.toString(), costs: told, recipients }, 200);
  }

  async function emulate(request: Request): Promise<Response> {
    const body = await readBody(request, emulateMessage);
    const ledger = ledgerOf(body.ledgerId);
    const { operation } = readOperation(body, technology);
    const { result, fee, figures } = await ledger.session.emulate({
      ...(body.wallet === undefined ? {} : { wallet: walletOf(body.wallet).identity }),
      ...(body.systemContracts === undefined ? {} : { systemContracts: body.systemContracts }),
      operation,
    });
    return answer({ result, fee: fee?.toString() ?? null, figures: figures ?? null }, 200);
  }

  async function readEvents(request: Request): Promise<Response> {
    const { ledgerId, ...body } = await readBody(request, readEventsMessage);
    const ledger = ledgerOf(ledgerId);
    const page = await readServedEvents(ledger, body);
    const requests = ledger.takeRequests();
    return answer(requests.length === 0 ? page : { ...page, requests }, 200);
  }

  function describe(): Response {
    const { name, technology, version, interfaceVersion, capabilities, description } = definition;
    const { operations, emulation, coSigners, contractEvents } = capabilities;
    const powers = { operations, checks: true, emulations: emulation, coSigners, contractEvents };
    const served = [...ledgers.keys()];
    return answer(
      { name, technology, version, interfaceVersion, capabilities: powers, ledgers: served, description },
      200,
    );
  }

  const routes: Record<string, Partial<Record<string, (request: Request, url: URL) => unknown>>> = {
    [paths.plugin]: { GET: describe },
    [paths.wallets]: { POST: createWallet },
    [paths.transactions]: { POST: send, GET: (_, url) => statuses(url) },
    [paths.checks]: { POST: check },
    ...(definition.capabilities.emulation ? { [paths.emulations]: { POST: emulate } } : {}),
    ...(definition.capabilities.contractEvents === true ? { [paths.events]: { POST: readEvents } } : {}),
  };

  async function route(request: Request): Promise<Response> {
    if (options.bearer !== undefined && !isBearer(request, options.bearer)) {
      throw refusal('access-token-invalid', 401, 'The Authorization header is missing or wrong.');
    }
    const url = new URL(request.url);
    const methods = Object.entries(routes).find(([path]) => url.pathname.endsWith(path))?.[1];
    if (methods === undefined) throw refusal('not-found', 404, 'There is nothing at this path.');
    const run = methods[request.method];
    if (run === undefined) throw refusal('method-not-allowed', 405, 'This path does not take this method.');
    const response = await run(request, url);
    if (response instanceof Response) return response;
    throw new TypeError('A route gave no response.');
  }

  return {
    async handle(request) {
      try {
        return await compressed(request, await route(request));
      } catch (error) {
        const problem = messageOfError(error);
        if (problem.status >= 500) {
          const what = error instanceof Error ? `${error.name}: ${error.message}` : 'unknown';
          log('error', 'request.failed', { error: what });
        }
        return new Response(JSON.stringify(problem), {
          status: problem.status,
          headers: {
            'content-type': 'application/problem+json',
            ...(problem.status === 503 ? { 'retry-after': '1' } : {}),
          },
        });
      }
    },
    close: () => parts.disposeAsync(),
  };
}

function statusOf(txId: string, action: ActionRow | undefined): object {
  if (action === undefined) {
    const problem = problemMessageOf('not-found', 404, `This plugin has no transaction ${txId}.`);
    return { details: { contractAddress: null, locator: null }, problem, status: 'FAILED' };
  }
  const { contractAddress, locator, problem, status } = action;
  return { details: { contractAddress, locator }, problem, status };
}

function answer(body: unknown, status: number): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
}

function isBearer(request: Request, bearer: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(request.headers.get('authorization') ?? ''), hash(`Bearer ${bearer}`));
}
