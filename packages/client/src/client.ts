import { type Contract, type ContractOptions, createContract } from './contract.ts';
import { type EventFilter, type FollowOptions, followEvents, type PlacedEvent } from './events.ts';
import type { Fetch } from './fetch.ts';
import { given } from './given.ts';
import type { Interface } from './interface.ts';
import {
  type Accepted,
  type Call,
  callGlo,
  type Deployment,
  deploymentGlo,
  type Emulated,
  type Emulation,
  keyOf,
  type OperationKey,
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
import { UndecodedResultError } from './undecoded-result.ts';
import { type Action, createWaitFor } from './wait.ts';

type Schemas = components['schemas'];

export interface ClientOptions {
  /** URL of the service: `https://ledger.example`. */
  readonly baseUrl: string;
  readonly applicationToken: string;
  readonly credentials: Credentials;
  /** Also allows `http:` to hosts other than loopback. Tokens and passwords can then be read in transit. */
  readonly allowUnencrypted?: boolean;
  /**
   * Replaces the platform's `fetch`. The second argument contains the signal that cancels the request. Pass
   * it on.
   */
  readonly fetch?: Fetch;
  readonly timing?: Partial<Timing>;
}

/**
 * A client of the service. All methods reject with {@link ProblemError} if the service refuses the request,
 * and with {@link NoAnswerError} if it does not respond. If a request that changes something may have been
 * executed, the error is an {@link OutcomeUnknownError}. A signal ends a call immediately.
 */
export interface LedgerClient {
  /** All operations of the service by path, with types. {@link answer} returns the data of a response. */
  readonly http: Transport['http'];
  /** Sends a generic ledger operation. */
  send(operation: Sender & OperationOptions & { readonly glo: Schemas['Glo'] }): Promise<Accepted>;
  transfer(transfer: Transfer): Promise<Accepted>;
  call(call: Call): Promise<Accepted>;
  deploy(deployment: Deployment): Promise<Accepted>;
  /**
   * Returns the actions accepted with an idempotency key, one per operation, in the order of the batch. An
   * empty list is not final while a request with the key may still arrive. To be certain, send the operation
   * again with the same key.
   */
  findActions(
    by: Required<Pick<OperationKey, 'idempotencyKey'>> | Required<Pick<OperationKey, 'reference'>>,
    options?: { readonly signal?: AbortSignal },
  ): Promise<Action[]>;
  /** Reports the expected outcome and cost of an operation, without sending it to the ledger. */
  emulate(emulation: Emulation): Promise<Emulated>;
  /**
   * Reads the current result of a method, without sending a transaction. Integers of Ethereum contracts are
   * decimal strings.
   */
  read(reading: Reading): Promise<unknown>;
  /**
   * Resolves when the action has SUCCEEDED.
   *
   * @throws ActionFailedError if the action has FAILED
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
  /** Events of actions, from now on or after a given event. Reconnects without a gap. */
  events(filter?: EventFilter, options?: FollowOptions): AsyncGenerator<PlacedEvent, void>;
  /** Returns a contract with one method per method of its interface. */
  contract<const I extends Interface>(options: ContractOptions<I>): Contract<I>;
}

/**
 * Creates a client. No request is sent before the first call.
 * @throws TypeError for options that no request could use
 */
export function createClient(options: ClientOptions): LedgerClient {
  const { applicationToken } = options;
  const baseUrl = checkUrl(options);
  checkSecrets(options);
  // The defined members determine the kind of credentials.
  const credentials = given(options.credentials) as Credentials;
  const timing = checkTiming({ ...standardTiming, ...given(options.timing ?? {}) });
  const ask: Fetch = options.fetch ?? ((request, { signal }) => fetch(request, { signal }));
  const tokens = createTokens({ baseUrl, applicationToken, credentials, fetch: ask, timing });
  const transport = createTransport({ baseUrl, applicationToken, tokens, fetch: ask, timing });
  const { http } = transport;
  const waitFor = createWaitFor(transport, timing);

  const send = async (glo: Schemas['Glo'], operation: Sender & OperationOptions): Promise<Accepted> => {
    const { signal } = operation;
    const params = { header: given({ 'Idempotency-Key': keyOf(operation) }) };
    const body = sendBody(glo, operation);
    return await answer(http.POST('/v1/ledger-ops/send', { body, params, ...given({ signal }) }));
  };
  const call = async (one: Call) => await send(callGlo(one), one);
  const emulate = async (emulation: Emulation): Promise<Emulated> => {
    const { glo, walletId, walletPassword, ledgerId, signal } = emulation;
    const body = { glo, ...given({ walletId, walletPassword, ledgerId }) };
    return await answer(http.POST('/v1/ledger-ops/emulate', { body, ...given({ signal }) }));
  };
  const read = async (reading: Reading): Promise<unknown> => {
    const { walletId, ledgerId, signal } = reading;
    const emulation = { glo: callGlo(reading), ...given({ walletId, ledgerId, signal }) };
    const { result, figures, warnings } = await emulate(emulation);
    const returned = figures?.returned;
    if (result === null && typeof returned === 'string') throw new UndecodedResultError(returned, warnings);
    return result;
  };

  return {
    ...{ http, call, emulate, read },
    send: async (operation) => await send(operation.glo, operation),
    transfer: async (transfer) => await send(transferGlo(transfer), transfer),
    deploy: async (deployment) => await send(deploymentGlo(deployment), deployment),
    findActions: async (by, { signal } = {}) => {
      const idempotencyKey = keyOf(by);
      if (!idempotencyKey) throw new TypeError('findActions needs an idempotencyKey or a reference.');
      const query = { idempotencyKey };
      return await answer(
        http.GET('/v1/ledger-ops/search/actions', {
          params: { query },
          ...given({ signal }),
        }),
      );
    },
    waitFor: async (action, { signal } = {}) =>
      await waitFor(typeof action === 'string' ? action : action.actionId, signal),
    each(path, ...[options]) {
      const { signal, ...parameters } = options ?? {};
      // Without `signal`, the remaining members are the path parameters.
      return eachItem(transport, path, parameters as ListParameters<typeof path>, signal);
    },
    events: (filter = {}, follow = {}) => followEvents(transport, timing, filter, follow),
    contract: (contract) => createContract({ call, read }, contract),
  };
}

/**
 * Checks values at run time, for example for an environment variable that is not set. Messages never include
 * a value.
 */
function checkSecrets({ applicationToken, credentials }: ClientOptions): void {
  if (!applicationToken) throw new TypeError('applicationToken is missing.');
  if (!credentials) throw new TypeError('credentials are missing.');
  const kinds = {
    ...{ accessToken: [], apiToken: ['serviceAccount'], privateKey: ['serviceAccount', 'keyId'] },
    ...{ refreshToken: [], code: ['codeVerifier', 'redirectUri'] },
  };
  const members = new Map<string, unknown>(Object.entries(given(credentials)));
  const kind = Object.entries(kinds).find(([name]) => members.has(name));
  if (kind === undefined) throw new TypeError(`credentials need one of ${Object.keys(kinds).join(', ')}.`);
  const missing = ['clientId', kind[0], ...kind[1]].find((name) => !members.get(name));
  if (missing !== undefined) throw new TypeError(`credentials.${missing} is missing.`);
}

/** Longest delay of a platform timer. A longer timer would fire immediately. */
const maxTime = 2 ** 31 - 1;

/** If a value is not a number, waits and retries would never end, or would end immediately. */
function checkTiming(timing: Timing): Timing {
  for (const [name, value] of Object.entries(timing)) {
    const isValid = [value].flat().every((time) => Number.isFinite(time) && time >= 0 && time <= maxTime);
    if (!isValid) throw new TypeError(`timing.${name} must be a number from 0 to ${maxTime}.`);
  }
  return timing;
}

/** Tokens and passwords are sent to this URL. */
function checkUrl({ baseUrl, allowUnencrypted = false }: ClientOptions): string {
  // The URL may contain a secret, so the message does not include it.
  if (!URL.canParse(baseUrl)) {
    throw new TypeError('baseUrl must be an absolute URL, such as https://ledger.example.');
  }
  const url = new URL(baseUrl);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new TypeError('baseUrl must begin with https:// or http://, such as https://ledger.example.');
  const isLoopback = /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new TypeError('baseUrl must not have credentials, a query or a fragment.');
  }
  if (url.protocol === 'https:' || (url.protocol === 'http:' && (isLoopback || allowUnencrypted))) {
    return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
  }
  throw new TypeError(
    `baseUrl must be https: (it is ${url.protocol}//${url.host}). Set allowUnencrypted to send tokens and passwords without encryption.`,
  );
}
