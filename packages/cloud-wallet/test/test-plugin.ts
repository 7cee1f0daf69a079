import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import {
  type AdapterDefinition,
  AdapterError,
  type Cursor,
  type LedgerConfig,
  type LedgerSession,
  type PendingTransaction,
  type RequestResult,
  type ResolvedOperation,
  type WalletIdentity,
} from '@ledger-ops/adapter';
import {
  checkMessage,
  createWalletMessage,
  emulateMessage,
  type ProblemMessage,
  paths,
  protocolLimits,
  type RemoteOperation,
  readEventsMessage,
  secretParameter,
  sendMessage,
} from '@ledger-ops/adapter/cloud-wallet';
import {
  createTestSigner,
  finishRounds,
  prepareAndSign,
  type Sign,
  type TestSigner,
} from '@ledger-ops/adapter-kit/conformance';
import {
  effectiveOperation,
  GloError,
  type GloTechnology,
  type Operation,
  parseGlo,
  readTechnology,
} from '@ledger-ops/glo-core';
import type { z } from 'zod';
import { asyncListener } from '../../../testing/async-listener.ts';
import { statusOfCode } from '../src/problem.ts';

interface Wallet {
  walletId: string;
  secret: string;
  identity: WalletIdentity;
  signer: TestSigner;
}

interface Action {
  content: string;
  txId: string;
  address: string;
  status: 'PROCESSING' | 'SUCCEEDED' | 'FAILED';
  problem: ProblemMessage | null;
  locator: string | null;
  contractAddress: string | null;
  /** The ledger's report about the execution; null if the action was not executed. */
  executed: { blockHeight?: number; blockTime?: number; fee?: string; transactions: string[] } | null;
  pending: PendingTransaction;
}

export type Handle = (request: Request) => Promise<Response>;

/** An error that is answered with its problem. */
class Refusal extends Error {
  readonly problem: ProblemMessage;

  constructor(name: string, status: number, detail: string, errors: ProblemMessage['errors'] = []) {
    super(detail);
    this.problem = { type: `urn:ledger-ops:problem:${name}`, title: name, status, detail, errors };
  }
}

const refuseAt = (pointer: string, name: string, status: number, detail: string) =>
  new Refusal(name, status, detail, [{ pointer, detail }]);

/**
 * A remote plugin for tests: an adapter behind the cloud wallet protocol. Its state is in memory and survives
 * `restart`. It sends each transaction once, and executes one request at a time.
 */
export class TestPlugin {
  readonly #definition: AdapterDefinition;
  readonly #ledger: LedgerConfig;
  readonly #bearer: string | undefined;
  readonly #technology: GloTechnology;
  readonly #wallets = new Map<string, Wallet>();
  readonly #actions = new Map<string, Action>();
  readonly #sequences = new Map<string, bigint>();
  #nodeRequests: { method: string; result: RequestResult; milliseconds: number }[] = [];
  #cursor: Cursor | null = null;
  #turn: Promise<unknown> = Promise.resolve();
  #end = new AbortController();
  #session: LedgerSession | undefined;
  #server: Server | undefined;
  #handle: Handle | undefined;

  /** @param bearer the token that each request must contain; none by default */
  constructor(definition: AdapterDefinition, ledger: LedgerConfig, bearer?: string) {
    this.#definition = definition;
    this.#ledger = ledger;
    this.#bearer = bearer;
    this.#technology = readTechnology(definition.technology, definition.description.content);
  }

  get url(): string {
    const address = this.#server?.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  }

  /** @param handle answers requests; default: `handle` of this plugin */
  async start(handle: Handle = (request) => this.handle(request)): Promise<void> {
    this.#handle = handle;
    this.#end = new AbortController();
    this.#session = await this.#definition.open(this.#ledger, {
      now: Date.now,
      log: () => undefined,
      signal: this.#end.signal,
      requested: (method, result, milliseconds) => this.#nodeRequests.push({ method, result, milliseconds }),
    });
    this.#server = createServer(
      asyncListener(async (incoming, outgoing) => {
        const response = await handle(await requestOf(incoming));
        const body = Buffer.from(await response.arrayBuffer());
        outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(body);
      }),
    ).listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async close(): Promise<void> {
    const server = this.#server;
    server?.closeAllConnections();
    await new Promise((resolve) => server?.close(resolve));
    await this.#session?.close();
    this.#end.abort();
  }

  /** Closes the server and the session, and starts both again, usually on another port. */
  async restart(): Promise<{ url: string }> {
    await this.close();
    await this.start(this.#handle);
    return { url: this.url };
  }

  async handle(request: Request): Promise<Response> {
    try {
      if (this.#bearer !== undefined && request.headers.get('authorization') !== `Bearer ${this.#bearer}`) {
        throw new Refusal('access-token-invalid', 401, 'The bearer token is missing or wrong.');
      }
      const url = new URL(request.url);
      const run = this.#operation(`${request.method} ${url.pathname}`);
      if (run === undefined) throw new Refusal('not-found', 404, 'This path does not exist.');
      const body = request.method === 'POST' ? await readBody(request) : undefined;
      const answered = this.#turn.then(() => run(body, url.searchParams));
      this.#turn = answered.catch(() => undefined);
      return Response.json(await answered, { status: url.pathname === paths.wallets ? 201 : 200 });
    } catch (error) {
      const problem = problemOf(error);
      const headers = { 'content-type': 'application/problem+json' };
      return Response.json(problem, { status: problem.status, headers });
    }
  }

  #operation(route: string): ((body: unknown, query: URLSearchParams) => unknown) | undefined {
    const { emulation, contractEvents } = this.#definition.capabilities;
    switch (route) {
      case `GET ${paths.plugin}`:
        return () => this.#describe();
      case `POST ${paths.wallets}`:
        return (body) => this.#createWallet(read(createWalletMessage, body));
      case `POST ${paths.transactions}`:
        return (body) => this.#send(read(sendMessage, body));
      case `GET ${paths.transactions}`:
        return (_, query) => this.#statuses(query.getAll('txId'));
      case `POST ${paths.checks}`:
        return (body) => this.#check(read(checkMessage, body));
      case `POST ${paths.emulations}`:
        return emulation ? (body) => this.#emulate(read(emulateMessage, body)) : undefined;
      case `POST ${paths.events}`:
        return contractEvents === true ? (body) => this.#events(read(readEventsMessage, body)) : undefined;
      default:
        return undefined;
    }
  }

  #describe(): object {
    const { name, technology, version, interfaceVersion, capabilities, description } = this.#definition;
    const { operations, emulation: emulations, coSigners, contractEvents } = capabilities;
    const told = { operations, checks: true, emulations, coSigners, contractEvents };
    const ledgers = [this.#ledger.ledgerId];
    return { name, technology, version, interfaceVersion, capabilities: told, ledgers, description };
  }

  async #createWallet({ ledgerId, walletId, pluginParameters }: z.infer<typeof createWalletMessage>) {
    const { [secretParameter]: given, ...parameters } = pluginParameters;
    const secret = requireSecret(given, 'pluginParameters');
    const session = this.#open(ledgerId);
    const known = this.#wallets.get(walletId);
    if (known !== undefined && known.secret !== secret) {
      throw new Refusal('already-exists', 409, 'The wallet already exists with another secret.');
    }
    if (known !== undefined) return { walletAddress: known.identity.address };
    const signer = createTestSigner(this.#definition.keyType);
    const { publicKey, sign } = signer;
    const first = await session.createWallet({ walletId, publicKey, parameters });
    const identity = await finishRounds(first, sign, (state, signatures) =>
      session.advanceWallet({ state, signatures }),
    );
    this.#wallets.set(walletId, { walletId, secret, identity, signer });
    return { walletAddress: identity.address };
  }

  async #send(body: z.infer<typeof sendMessage>): Promise<object> {
    const { actionId, pluginParams, wallets = [], ...message } = body;
    const wallet = this.#unlock(body.wallet, pluginParams, '/wallet');
    const named = wallets.map((one) => one.wallet);
    this.#requireOthers(body.wallet, named);
    const others = wallets.map((one, at) => this.#unlock(one.wallet, one.pluginParams, `/wallets/${at}`));
    const operation = resolve(message, this.#technology);
    const content = JSON.stringify([message, named]);
    const known = this.#actions.get(actionId);
    if (known !== undefined && known.content !== content) {
      throw refuseAt('/actionId', 'already-exists', 409, 'The action already exists with another content.');
    }
    const action = known ?? (await this.#execute(actionId, wallet, others, operation, content));
    const { txId, status, problem } = action;
    return { txId, status, problem };
  }

  async #execute(
    actionId: string,
    { identity, signer }: Wallet,
    others: readonly Wallet[],
    operation: ResolvedOperation,
    content: string,
  ): Promise<Action> {
    const session = this.#open();
    const { address } = identity;
    const sender = { wallet: identity, ...identitiesOf(others) };
    const { plan: checked, readiness, secret } = await session.check({ ...sender, operation });
    const request = { wallet: identity, plan: checked, minHeight: 0 };
    const [ready] = readiness === 'ready' ? [] : await session.estimate([request]);
    if (ready !== undefined && ready.status !== 'ready') throw new AdapterError(ready.problem);
    const plan = ready?.plan ?? checked;
    const sequence = await this.#nextSequence(address);
    const sign: Sign = ({ signer: named, ...one }) => {
      const found =
        named === undefined ? signer : others.find((other) => other.identity.address === named)?.signer;
      if (found === undefined)
        throw new Refusal(
          'refused',
          422,
          'The operation requires the signature of a wallet that the request does not contain.',
        );
      return found.sign(one);
    };
    const prepared = {
      actionId,
      ...sender,
      plan,
      ...(secret && { secret }),
      ...(sequence !== undefined && { sequence }),
    };
    const [main] = await prepareAndSign(session, prepared, sign);
    if (main === undefined) throw new TypeError('prepare() returned no attempt.');
    const [submitted] = await session.submit([main]);
    if (submitted?.status === 'rejected' || submitted?.status === 'refused') {
      throw new Refusal('refused', 422, submitted.problem?.detail ?? 'The ledger refused the transaction.');
    }
    if (sequence !== undefined) this.#sequences.set(address, sequence + 1n);
    const { txId, validUntil } = main;
    const pending = {
      address,
      ...(sequence !== undefined && { sequence }),
      ...(validUntil !== undefined && { validUntil }),
      ...(submitted?.note !== undefined && { note: submitted.note }),
    };
    const action: Action = {
      ...{ content, txId, address, pending, status: 'PROCESSING' },
      ...{ problem: null, locator: null, contractAddress: null, executed: null },
    };
    this.#actions.set(actionId, action).set(txId, action);
    return action;
  }

  async #nextSequence(address: string): Promise<bigint | undefined> {
    if (this.#definition.capabilities.sequence === 'none') return undefined;
    const [onLedger = 0n] = await this.#open().sequences([address]);
    const own = this.#sequences.get(address) ?? 0n;
    return onLedger > own ? onLedger : own;
  }

  async #statuses(query: readonly string[]): Promise<object[]> {
    const ids = query.flatMap((value) => value.split(','));
    if (ids.length === 0) throw refuseAt('txId', 'invalid-request', 400, 'txId is required.');
    await this.#confirm();
    const unknown = new Refusal('not-found', 404, 'This plugin has no such transaction.').problem;
    const requests = this.#takeRequests();
    return ids.map((id, index) => {
      const { status, problem, locator, contractAddress, executed } = this.#actions.get(id) ?? {
        ...{ status: 'FAILED', problem: unknown, locator: null, contractAddress: null, executed: null },
      };
      const details = { locator, contractAddress, ...executed };
      return { details, problem, status, ...(index === 0 ? requests : {}) };
    });
  }

  async #confirm(): Promise<void> {
    const processing = [...this.#actions.values()].filter(({ status }) => status === 'PROCESSING');
    if (processing.length === 0) return;
    const pending = new Map(processing.map((action) => [action.txId, action.pending]));
    const { cursor, outcomes } = await this.#open().confirm({ cursor: this.#cursor, pending });
    this.#cursor = cursor;
    for (const outcome of outcomes) {
      const action = this.#actions.get(outcome.txId);
      if (action === undefined) continue;
      action.status = outcome.status === 'succeeded' ? 'SUCCEEDED' : 'FAILED';
      action.locator = ('locator' in outcome ? outcome.locator : undefined) ?? outcome.txId;
      this.#actions.set(action.locator, action);
      if (outcome.status === 'succeeded' || outcome.status === 'failed') {
        const { height, blockTime, fee } = outcome;
        action.executed = {
          ...(height === undefined ? {} : { blockHeight: height }),
          ...(blockTime === undefined ? {} : { blockTime }),
          ...(fee === undefined ? {} : { fee: fee.toString() }),
          transactions: [action.locator],
        };
      }
      if (outcome.status === 'succeeded') action.contractAddress = outcome.contractAddress ?? null;
      else if (outcome.status === 'failed') action.problem = problemOf(new AdapterError(outcome.problem));
      else action.problem = new Refusal('refused', 422, `The transaction is ${outcome.status}.`).problem;
    }
  }

  async #check({ ledgerId, wallet, wallets = [], ...message }: z.infer<typeof checkMessage>) {
    const session = this.#open(ledgerId);
    this.#requireOthers(wallet, wallets);
    const others = wallets.map((one, index) => this.#wallet(one, `/wallets/${index}`));
    const { cost, costs, recipients } = await session.check({
      ...{ wallet: this.#wallet(wallet, '/wallet').identity, ...identitiesOf(others) },
      operation: resolve(message, this.#technology),
    });
    const paid = costs?.map(({ address, amount }) => ({ address, amount: `${amount}` }));
    return { cost: `${cost}`, costs: paid, recipients };
  }

  async #emulate({ ledgerId, wallet, systemContracts, ...message }: z.infer<typeof emulateMessage>) {
    const { result, fee, figures } = await this.#open(ledgerId).emulate({
      ...(wallet !== undefined && { wallet: this.#wallet(wallet, '/wallet').identity }),
      ...(systemContracts !== undefined && { systemContracts }),
      operation: resolve(message, this.#technology),
    });
    return { result, fee: fee?.toString(), figures };
  }

  async #events(body: z.infer<typeof readEventsMessage>): Promise<object> {
    const { ledgerId, contractAddress: address, contractInterface, after, limit } = body;
    const contract = { address, ...(contractInterface !== undefined && { interface: contractInterface }) };
    const page = await this.#open(ledgerId).contractEvents?.({ contract, after, limit });
    return { ...page, ...this.#takeRequests() };
  }

  /** @throws Refusal 404 if the plugin does not serve the ledger */
  #open(ledgerId = this.#ledger.ledgerId): LedgerSession {
    if (ledgerId === this.#ledger.ledgerId && this.#session !== undefined) return this.#session;
    throw refuseAt('/ledgerId', 'not-found', 404, `This plugin has no ledger ${ledgerId}.`);
  }

  #wallet(walletId: string, pointer: string): Wallet {
    const found = this.#wallets.get(walletId);
    if (found === undefined)
      throw refuseAt(pointer, 'not-found', 404, `This plugin has no wallet ${walletId}.`);
    return found;
  }

  #unlock(
    walletId: string,
    parameters: Readonly<Record<string, string>> | undefined,
    pointer: string,
  ): Wallet {
    const wallet = this.#wallet(walletId, pointer);
    if (requireSecret(parameters?.[secretParameter], 'pluginParams') === wallet.secret) return wallet;
    throw new Refusal('wrong-wallet-password', 403, 'The secret does not belong to the wallet.');
  }

  #requireOthers(sender: string, others: readonly string[]): void {
    const all = [sender, ...others];
    const index = all.findIndex((one, at) => all.indexOf(one) !== at);
    if (index > 0) throw refuseAt(`/wallets/${index - 1}`, 'invalid-request', 400, 'is already in the list');
  }

  /** Returns node requests that were not returned before, up to the protocol's limit. */
  #takeRequests(): { requests?: object[] } {
    const requests = this.#nodeRequests.splice(0, protocolLimits.nodeRequests);
    return requests.length === 0 ? {} : { requests };
  }
}

function identitiesOf(others: readonly Wallet[]): { others?: WalletIdentity[] } {
  return others.length === 0 ? {} : { others: others.map(({ identity }) => identity) };
}

function requireSecret(secret: string | undefined, member: string): string {
  if (secret !== undefined && secret.length >= protocolLimits.secretLength) return secret;
  throw refuseAt(`/${member}/${secretParameter}`, 'invalid-request', 400, 'is required');
}

function addressOf(
  locator:
    | Extract<Operation, { type: 'transfer' }>['recipient']
    | Extract<Operation, { type: 'contract_call' }>['contract'],
): string {
  if (locator.type === 'ledger') return locator.resource;
  throw refuseAt('/glo/options', 'invalid-request', 400, 'must name an address on the ledger');
}

function resolve(
  message: Pick<RemoteOperation, 'glo'> & {
    contractInterface?: string | undefined;
    contractSource?: RemoteOperation['contractSource'] | undefined;
  },
  technology: GloTechnology,
): ResolvedOperation {
  const { technology: target } = technology;
  const glo = parseGlo(message.glo, { pointer: '/glo', target, technologies: [technology] });
  const { operation } = effectiveOperation(glo, technology);
  switch (operation.type) {
    case 'transfer':
      return { ...operation, recipient: addressOf(operation.recipient) };
    case 'contract_call': {
      const { contractInterface } = message;
      const address = addressOf(operation.contract);
      return {
        ...operation,
        contract: contractInterface === undefined ? { address } : { address, interface: contractInterface },
      };
    }
    case 'contract_deploy': {
      const { source: _, ...rest } = operation;
      return message.contractSource === undefined ? rest : { ...rest, source: message.contractSource };
    }
  }
}

function read<Body>(schema: z.ZodType<Body>, body: unknown): Body {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map(({ path, message }) => ({
    pointer: path.map((part) => `/${String(part)}`).join(''),
    detail: message,
  }));
  throw new Refusal('invalid-request', 400, 'The body does not match the protocol.', errors);
}

/** Reads a request with its whole body. A body above the protocol's limit is dropped. */
async function requestOf(incoming: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming) {
    if (length <= protocolLimits.bodyBytes) chunks.push(chunk);
    length += chunk.length;
  }
  const { method = 'GET', url = '/' } = incoming;
  const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [
    name,
    `${value}`,
  ]);
  const body = method === 'GET' ? {} : { body: Buffer.concat(chunks) };
  return new Request(`http://plugin.test${url}`, { method, headers, ...body });
}

async function readBody(request: Request): Promise<unknown> {
  const bytes = Buffer.from(await request.arrayBuffer());
  if (bytes.length > protocolLimits.bodyBytes) {
    throw new Refusal('payload-too-large', 413, 'The body is too large.');
  }
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw new Refusal('invalid-json', 400, 'The body is not JSON.');
  }
}

function problemOf(error: unknown): ProblemMessage {
  if (error instanceof Refusal) return error.problem;
  if (error instanceof GloError)
    return new Refusal('invalid-request', 400, error.message, [...error.issues]).problem;
  if (!(error instanceof AdapterError)) return new Refusal('adapter-fault', 500, String(error)).problem;
  const errors = error.problem.issues?.map(({ pointer, detail }) => ({
    pointer: `/glo/options${pointer}`,
    detail,
  }));
  return new Refusal(error.code, statusOfCode[error.code], error.message, errors).problem;
}
