import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tokenTemplate } from '@ledger-ops/devnet';
import type { FaultPoint } from '@ledger-ops/runtime';
import { Wallet } from 'ethers';
import { childEnvironment, sourceArguments } from '../../../../testing/children.ts';
import { runCommand } from '../../src/commands/run-command.ts';
import type { StartOptions } from '../../src/server.ts';
import { type Credentials, clientFile } from './ground.ts';

/** A response of the service. */
export interface Answer<Body = Record<string, unknown>> {
  status: number;
  headers: Headers;
  // Bodies differ by operation; tests name the expected members.
  body: Body;
}

export interface TestWallet {
  walletId: string;
  password: string;
  address: string;
  privateKey: string;
}

export interface Action {
  actionId: string;
  status: string;
  locator: string | null;
  contractAddress: string | null;
  problem?: { type: string; detail: string };
  pending?: { stage: string; detail: string };
  details?: Record<string, unknown>;
}

/** Makes the server's process exit when `point` is crossed for the nth time. */
export interface Fault {
  point: FaultPoint;
  nth: number;
}

/** The server in its own process, as in a deployment. Tests kill it and restart it on its data. */
export interface Product {
  /** The data folder; `copyFolder` changes it. */
  readonly folder: string;
  readonly masterKey: string;
  /** Everything that the server's processes printed. */
  readonly output: string[];
  start(fault?: Fault): Promise<void>;
  /** Makes the running server exit at a fault point. Counts crossings from now on. */
  breakAt(fault: Fault): Promise<void>;
  /** Returns the credentials in the form of a development server's file. */
  connection(): Credentials;
  call<Body = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer<Body>>;
  /**
   * A funded wallet with an imported key, by default a new key. `exclusive`: only this server signs with the
   * key; default: false.
   */
  wallet(options?: { exclusive?: boolean; privateKey?: string }): Promise<TestWallet>;
  /** Stores the token as a template version; returns its locator. */
  template(): Promise<string>;
  actions(ids: readonly string[]): Promise<Action[]>;
  /**
   * Copies the stopped server's data folder to another path, which the next start uses, and removes the
   * original.
   */
  copyFolder(): void;
  /** Runs the command `adopt` on the stopped server's database. */
  adopt(decision: 'moved' | 'copy' | 'restored'): Promise<void>;
  /** Waits until an action is PENDING for a reason that contains the text. */
  waitsFor(id: string, reason: string): Promise<void>;
  /** Waits until none of these is PENDING. */
  ended(ids: readonly string[]): Promise<Action[]>;
  isAlive(): boolean;
  /**
   * Accepts rounds of actions until the server exits at its fault point. Each round completes before the next
   * one starts, because actions that complete together cross a point only once.
   *
   * @param round returns the ids of its actions, or null if the connection broke before the response
   */
  untilKilled(round: () => Promise<readonly (string | null)[]>): Promise<void>;
  /** Sends SIGTERM and waits; returns the exit code. */
  terminate(): Promise<number | null>;
  /** Sends SIGKILL and waits. */
  kill(): Promise<void>;
  /** Resolves when the process has ended for any reason. */
  exited(): Promise<void>;
  stop(): Promise<void>;
  /** Returns every byte of the database's files. */
  databaseBytes(): Buffer;
}

const patience = 120_000;
/** Node options for the sources of another folder. */
const conditions = ['--conditions=@ledger-ops/source'];

interface ProductOptions {
  /** The node of the Ethereum ledger `dev-ethereum`. */
  rpcUrl?: () => string;
  /** Depth at which its blocks are final; default: 1. */
  confirmations?: number;
  /** If it is a function, it is called at each start. */
  databaseUrl?: string | (() => string);
  /** Variables of the server's process that are not settings. */
  processEnvironment?: Record<string, string>;
  /** Additional settings. */
  environment?: Record<string, string>;
  timing?: StartOptions['timing'];
  webhookTiming?: StartOptions['webhookTiming'];
  /** Root of the sources to run. If undefined, the sources of this test. */
  sources?: URL;
  /** Uses the folder and master key of this server, as another server of the same installation. */
  beside?: Product;
  /**
   * Has the master key and the client's credentials of this server, as another server on a copy of its database: with an empty
   * data folder, or with a copy of its folder. It needs its own `BASE_URL` in `environment`.
   */
  copyOf?: { readonly product: Product; readonly folder: 'empty' | 'copied' };
  contractEventTiming?: StartOptions['contractEventTiming'];
  /** The server's standard output, which is read into `output` by default. */
  standardOutput?: number;
}

export function createProduct(options: ProductOptions = {}): Product {
  const { beside, copyOf } = options;
  const databaseUrl = () =>
    typeof options.databaseUrl === 'function' ? options.databaseUrl() : options.databaseUrl;
  let folder = beside?.folder ?? mkdtempSync(join(tmpdir(), 'ledger-ops-job-'));
  const masterKey = (beside ?? copyOf?.product)?.masterKey ?? randomBytes(32).toString('hex');
  if (copyOf?.folder === 'copied') cpSync(copyOf.product.folder, folder, { recursive: true });
  else if (copyOf !== undefined) cpSync(join(copyOf.product.folder, clientFile), join(folder, clientFile));
  const output: string[] = [];
  let child: ChildProcess | undefined;
  let url = '';
  let headers: Record<string, string> = {};
  let connection: Credentials | undefined;

  async function start(fault?: Fault): Promise<void> {
    const { sources } = options;
    const main =
      sources === undefined
        ? new URL('./child.ts', import.meta.url)
        : new URL('apps/server/test/job/child.ts', sources);
    const started = fork(fileURLToPath(main), {
      execArgv: [...(sources === undefined ? sourceArguments : conditions), '--no-warnings'],
      env: {
        ...childEnvironment(),
        ...options.processEnvironment,
        ORDERS: JSON.stringify({
          dataDir: folder,
          masterKey,
          ...(options.rpcUrl === undefined ? {} : { rpcUrl: options.rpcUrl() }),
          ...(options.confirmations === undefined ? {} : { confirmations: options.confirmations }),
          ...(options.databaseUrl === undefined ? {} : { databaseUrl: databaseUrl() }),
          ...(options.environment === undefined ? {} : { environment: options.environment }),
          ...(options.timing === undefined ? {} : { timing: options.timing }),
          ...(options.webhookTiming === undefined ? {} : { webhookTiming: options.webhookTiming }),
          ...(options.contractEventTiming === undefined
            ? {}
            : { contractEventTiming: options.contractEventTiming }),
          ...(fault === undefined ? {} : { fault }),
        }),
      },
      stdio: ['ignore', options.standardOutput ?? 'pipe', 'pipe', 'ipc'],
    });
    child = started;
    started.stdout?.on('data', (chunk: Buffer) => output.push(chunk.toString()));
    started.stderr?.on('data', (chunk: Buffer) => output.push(chunk.toString()));
    const ready = await Promise.race([
      once(started, 'message').then(([message]) => message as { url: string; credentials: Credentials }),
      once(started, 'exit').then(([code, signal]) => {
        throw new Error(`The server ended at its start (${code ?? signal}): ${output.slice(-20).join('')}`);
      }),
    ]);
    url = ready.url;
    connection = { ...ready.credentials, baseUrl: url };
    headers = await login(url, ready.credentials);
  }

  async function call<Body = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    more: Record<string, string> = {},
  ): Promise<Answer<Body>> {
    const response = await fetch(url + path, {
      method,
      headers: { ...headers, ...more, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(patience),
    });
    const text = await response.text();
    const answer = { status: response.status, headers: response.headers };
    return { ...answer, body: JSON.parse(text === '' ? '{}' : text) as Body };
  }

  async function actions(ids: readonly string[]): Promise<Action[]> {
    const { status, body } = await call<Action[]>('POST', '/v1/ledger-ops/search/actions', {
      actionIds: ids,
    });
    if (status !== 200) throw new Error(`Search answered ${status}: ${JSON.stringify(body)}`);
    return body;
  }

  const exited = async () => {
    if (child !== undefined && child.exitCode === null && child.signalCode === null)
      await once(child, 'exit');
  };

  const terminate = async () => {
    child?.kill('SIGTERM');
    await exited();
    return child?.exitCode ?? null;
  };

  const isAlive = () => child !== undefined && child.exitCode === null && child.signalCode === null;

  async function ended(ids: readonly string[]): Promise<Action[]> {
    const end = Date.now() + patience;
    const ends = new Map<string, Action>();
    for (;;) {
      const open = ids.filter((id) => !ends.has(id));
      if (open.length === 0) return ids.flatMap((id) => ends.get(id) ?? []);
      // A few at a time: polling hundreds costs the server more than the work itself.
      const found = await actions(open.slice(0, 20));
      const pending = found.filter(({ status }) => status === 'PENDING');
      for (const one of found) if (one.status !== 'PENDING') ends.set(one.actionId, one);
      if (Date.now() > end)
        throw new Error(
          `${open.length} of ${ids.length} are PENDING: ${JSON.stringify(pending.slice(0, 3))}`,
        );
      if (found.length === 0 || pending.length > 0) await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async function untilKilled(round: () => Promise<readonly (string | null)[]>): Promise<void> {
    for (let left = 60; isAlive(); left -= 1) {
      if (left === 0)
        throw new Error('The server is still running: its fault point was not crossed often enough.');
      const ids = (await round()).flatMap((id) => id ?? []);
      // A killed server breaks the connection.
      await Promise.race([ended(ids), exited()]).catch((error) => {
        if (!(error instanceof TypeError)) throw error;
      });
    }
  }

  return {
    get folder() {
      return folder;
    },
    masterKey,
    output,
    start,
    async breakAt(fault) {
      if (child === undefined) throw new TypeError('The server was not started.');
      const heard = once(child, 'message');
      child.send(fault);
      await heard;
    },
    call,
    actions,
    copyFolder() {
      const copy = mkdtempSync(join(tmpdir(), 'ledger-ops-job-'));
      cpSync(folder, copy, { recursive: true });
      rmSync(folder, { recursive: true });
      folder = copy;
    },
    async adopt(decision) {
      const said: string[] = [];
      const url = databaseUrl();
      const code = await runCommand(['adopt', `--${decision}`], {
        environment: {
          ...{ DATA_DIR: folder, MASTER_KEY: masterKey, BASE_URL: 'http://ledger.test' },
          ...options.environment,
          ...(url === undefined ? {} : { DATABASE_URL: url }),
        },
        out: (text) => said.push(text),
        err: (text) => said.push(text),
      });
      if (code !== 0) throw new Error(said.join(''));
    },
    connection() {
      if (connection === undefined) throw new TypeError('The server was not started.');
      return connection;
    },
    async wallet({ exclusive = false, privateKey = Wallet.createRandom().privateKey } = {}) {
      const { address } = new Wallet(privateKey);
      const walletId = `wallet-${randomBytes(4).toString('hex')}`;
      const password = `correct horse ${randomBytes(6).toString('hex')}`;
      if (options.rpcUrl === undefined) throw new Error('This test has no Ethereum ledger.');
      await fetch(options.rpcUrl(), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'anvil_setBalance',
          params: [address, `0x${(10n ** 21n).toString(16)}`],
        }),
      });
      const made = await call('POST', '/v1/cloud-wallet/wallets', {
        walletId,
        ledgerId: 'dev-ethereum',
        pluginParameters: { walletPassword: password, privateKey },
        ...(exclusive ? { exclusive } : {}),
      });
      if (made.status !== 201) throw new Error(`createWallet: ${JSON.stringify(made)}`);
      return { walletId, password, address, privateKey };
    },
    async template() {
      const path = '/v1/smart-contracts/templates';
      const made = await call('POST', path, { contractTemplateID: 'coin', name: 'Token' });
      if (made.status !== 201) throw new Error(`template: ${JSON.stringify(made)}`);
      const version = await call('POST', `${path}/coin/specifications`, {
        tag: '1',
        compilationLanguage: 'Solidity',
        compilationSpecification: JSON.stringify({
          abi: JSON.parse(tokenTemplate.interface),
          bytecode: tokenTemplate.code,
        }),
        ledgerTechnology: { ledgerTechnologyID: 'ethereum' },
      });
      if (version.status !== 201) throw new Error(`specification: ${JSON.stringify(version)}`);
      return 'coin:1';
    },
    async waitsFor(id, reason) {
      const end = Date.now() + patience;
      for (;;) {
        const [found] = await actions([id]);
        if (found?.pending?.detail.includes(reason) === true) return;
        if (found?.status !== 'PENDING' || Date.now() > end)
          throw new Error(`It does not wait for "${reason}": ${JSON.stringify(found)}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    ended,
    isAlive,
    untilKilled,
    async kill() {
      child?.kill('SIGKILL');
      await exited();
    },
    exited,
    terminate,
    async stop() {
      await terminate();
      // A second server of the same installation uses the folder of the first one.
      if (beside === undefined) rmSync(folder, { recursive: true, force: true });
    },
    databaseBytes() {
      const files = readdirSync(folder).filter((name) => name.startsWith('ledger-ops.sqlite'));
      return Buffer.concat(files.map((name) => readFileSync(join(folder, name))));
    },
  };
}

async function login(url: string, credentials: Credentials): Promise<Record<string, string>> {
  const response = await fetch(`${url}/v1/auth/token`, {
    method: 'POST',
    headers: { ApplicationToken: credentials.applicationToken },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: credentials.clientId,
      service_account: credentials.serviceAccount,
      client_secret: credentials.clientSecret,
    }),
  });
  const { access_token } = (await response.json()) as { access_token: string };
  return { ApplicationToken: credentials.applicationToken, Authorization: `Bearer ${access_token}` };
}

/** Returns a transfer in wei to an address. */
export function transferTo(wallet: TestWallet, address: string, amount: number) {
  return {
    walletId: wallet.walletId,
    walletPassword: wallet.password,
    glo: {
      version: '0.1.0',
      type: 'transfer',
      options: {
        recipient: { lookup_service: { type: 'ledger', value: 'ethereum' }, resource: address },
        amount: String(amount),
      },
    },
  };
}

/** Returns a call by address and full signature, which must be estimated before it is signed. */
export function callContract(wallet: TestWallet, contract: string, method: string, args: string[]) {
  return {
    walletId: wallet.walletId,
    walletPassword: wallet.password,
    glo: {
      version: '0.1.0',
      type: 'contract_call',
      options: {
        contract_instance: { lookup_service: { type: 'ledger', value: 'ethereum' }, resource: contract },
        method_name: method,
        args,
      },
    },
  };
}

/** Returns a deployment of a stored template version. */
export function deploy(wallet: TestWallet, template: string, args: string[]) {
  return {
    walletId: wallet.walletId,
    walletPassword: wallet.password,
    glo: {
      version: '0.1.0',
      type: 'contract_deploy',
      options: {
        contract_source: { lookup_service: { type: 'service', value: 'service' }, resource: template },
        args,
      },
    },
  };
}
