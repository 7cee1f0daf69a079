import { type Contract, type ContractOptions, createContract } from './contract.ts';
import { type EventFilter, type FollowOptions, followEvents, type PlacedEvent } from './events.ts';
import type { Fetch } from './fetch.ts';
import type { Interface } from './interface.ts';
import {
  type Accepted,
  type Call,
  callGlo,
  type Deployment,
  deploymentGlo,
  type Emulated,
  type Emulation,
  type OperationOptions,
  type Reading,
  type Sender,
  sendBody,
  type Transfer,
  transferGlo,
} from './operations.ts';
import { eachItem, type Item, type ListParameters, type PagedPath } from './pages.ts';
import type { components } from './schema.generated.ts';
import { standardTiming, type Timing } from './timing.ts';
import { type Credentials, createTokens } from './tokens.ts';
import { answer, createTransport, type Transport } from './transport.ts';
import { type Action, createWaitFor } from './wait.ts';

type Schemas = components['schemas'];

/** Options of {@link createClient}. */
export interface ClientOptions {
  /** Of the service: `https://ledger.example`. */
  readonly baseUrl: string;
  readonly applicationToken: string;
  readonly credentials: Credentials;
  /** Also takes `http:` to other places than loopback, where tokens and passwords can be read on the way. */
  readonly allowUnencrypted?: boolean;
  /** In place of the platform's. Its second argument has the signal that ends the request: pass it on. */
  readonly fetch?: Fetch;
  readonly timing?: Partial<Timing>;
}

/** A client of the service. All its methods reject with {@link ProblemError} where they are refused. */
export interface LedgerClient {
  /** Every operation of the service by its path, typed; {@link answer} gives the data. */
  readonly http: Transport['http'];
  /** Sends a generic ledger operation. */
  send(operation: Sender & OperationOptions & { readonly glo: Schemas['Glo'] }): Promise<Accepted>;
  transfer(transfer: Transfer): Promise<Accepted>;
  call(call: Call): Promise<Accepted>;
  deploy(deployment: Deployment): Promise<Accepted>;
  /** Tells how an operation would end, and what it would cost; nothing is sent to the ledger. */
  emulate(emulation: Emulation): Promise<Emulated>;
  /** Asks a method what it says now; nothing is sent to the ledger. Whole numbers of Ethereum are decimal text. */
  read(reading: Reading): Promise<unknown>;
  /**
   * When the action has SUCCEEDED.
   * @throws ActionFailedError when it has FAILED
   */
  waitFor(
    action: string | Pick<Accepted, 'actionId'>,
    options?: { readonly signal?: AbortSignal },
  ): Promise<Action>;
  /** Every item of a list: `for await (const wallet of ledger.each('/v1/cloud-wallet/wallets'))`. */
  each<Path extends PagedPath>(
    path: Path,
    ...parameters: Record<string, never> extends ListParameters<Path>
      ? [(ListParameters<Path> & { readonly signal?: AbortSignal })?]
      : [ListParameters<Path> & { readonly signal?: AbortSignal }]
  ): AsyncGenerator<Item<Path>, void>;
  /** Events of actions, from now on or behind one that was seen, over every break of the connection. */
  events(filter?: EventFilter, options?: FollowOptions): AsyncGenerator<PlacedEvent, void>;
  /** A contract with a method for each of its interface's. */
  contract<const I extends Interface>(options: ContractOptions<I>): Contract<I>;
}

/** Makes a client; nothing is asked before the first call. @throws TypeError for a base URL that it may not use */
export function createClient(options: ClientOptions): LedgerClient {
  const { applicationToken, credentials } = options;
  const baseUrl = checkUrl(options);
  const timing = { ...standardTiming, ...options.timing };
  const ask: Fetch = options.fetch ?? ((request, { signal }) => fetch(request, { signal }));
  const tokens = createTokens({ baseUrl, applicationToken, credentials, fetch: ask, timing });
  const transport = createTransport({ baseUrl, applicationToken, tokens, fetch: ask, timing });
  const { http } = transport;
  const waitFor = createWaitFor(transport, timing);

  const send = async (glo: Schemas['Glo'], operation: Sender & OperationOptions): Promise<Accepted> => {
    const { idempotencyKey, signal } = operation;
    return await answer(
      http.POST('/v1/ledger-ops/send', {
        body: sendBody(glo, operation),
        ...(idempotencyKey === undefined
          ? {}
          : { params: { header: { 'Idempotency-Key': idempotencyKey } } }),
        ...(signal === undefined ? {} : { signal }),
      }),
    );
  };
  const call = async (one: Call) => await send(callGlo(one), one);
  const emulate = async (emulation: Emulation): Promise<Emulated> => {
    const { glo, walletId, walletPassword, ledgerId, signal } = emulation;
    const body = {
      glo,
      ...(walletId === undefined ? {} : { walletId }),
      ...(walletPassword === undefined ? {} : { walletPassword }),
      ...(ledgerId === undefined ? {} : { ledgerId }),
    };
    return await answer(
      http.POST('/v1/ledger-ops/emulate', { body, ...(signal === undefined ? {} : { signal }) }),
    );
  };
  const read = async (reading: Reading): Promise<unknown> => {
    const { walletId, ledgerId, signal } = reading;
    const { result } = await emulate({
      glo: callGlo(reading),
      ...(walletId === undefined ? {} : { walletId }),
      ...(ledgerId === undefined ? {} : { ledgerId }),
      ...(signal === undefined ? {} : { signal }),
    });
    return result;
  };

  return {
    ...{ http, call, emulate, read },
    send: async (operation) => await send(operation.glo, operation),
    transfer: async (transfer) => await send(transferGlo(transfer), transfer),
    deploy: async (deployment) => await send(deploymentGlo(deployment), deployment),
    waitFor: async (action, { signal } = {}) =>
      await waitFor(typeof action === 'string' ? action : action.actionId, signal),
    each(path, ...[given]) {
      const { signal, ...parameters } = given ?? {};
      // Without `signal` they are what the path takes.
      return eachItem(transport, path, parameters as ListParameters<typeof path>, signal);
    },
    events: (filter = {}, follow = {}) => followEvents(transport, timing, filter, follow),
    contract: (contract) => createContract({ call, read }, contract),
  };
}

/** Tokens and passwords go there. */
function checkUrl({ baseUrl, allowUnencrypted = false }: ClientOptions): string {
  // It may hold a secret, and is not told.
  if (!URL.canParse(baseUrl)) {
    throw new TypeError('baseUrl must be an absolute URL, such as https://ledger.example.');
  }
  const url = new URL(baseUrl);
  const isLoopback = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new TypeError('baseUrl must have neither credentials nor a query nor a fragment.');
  }
  if (url.protocol === 'https:' || (url.protocol === 'http:' && (isLoopback || allowUnencrypted))) {
    return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
  }
  throw new TypeError(
    `baseUrl must be https: (it is ${url.protocol}//${url.host}); allowUnencrypted lets anybody on the way read tokens and passwords.`,
  );
}
