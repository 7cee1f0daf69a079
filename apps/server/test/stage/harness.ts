import { join } from 'node:path';
import {
  type Admin,
  type Auth,
  bootstrap,
  createAdmin,
  createAuth,
  type MailMessage,
  type Principal,
} from '@ledger-ops/auth';
import { giveSigningKey } from '@ledger-ops/auth/testing';
import { createMasterKey, type MasterKey, Problem, Secret } from '@ledger-ops/base';
import { ethereumAdapter } from '@ledger-ops/plugin-ethereum';
import {
  type ContractReader,
  ContractRegistry,
  ContractTemplates,
  createLedgerNodes,
  createPlugins,
  createPluginUrls,
  createTimeline,
  SmartContracts,
} from '@ledger-ops/registry';
import { createContractEvents, createEventLog, createWebhooks, type PluginStatus } from '@ledger-ops/runtime';
import type { Store } from '@ledger-ops/store';
import { createSqlite, openSqlite } from '@ledger-ops/store/testing';
import { openFolder } from '../../../../testing/folder.ts';
import { builtInAdapters } from '../../src/adapters.ts';
import { type AppSettings, createApp, type ServerApp } from '../../src/app.ts';
import type { AccessRecord } from '../../src/http/access-log.ts';
import { createIdempotency } from '../../src/http/idempotency.ts';
import { noProxies, RequestSources, type TrustedProxies } from '../../src/http/request/source.ts';
import { createStreams, type Streams } from '../../src/http/streams.ts';
import { createPluginPort } from '../../src/ports/plugin-port.ts';
import type { RegistryServices } from '../../src/ports/registry-services.ts';
import { createTechnologies } from '../../src/ports/technologies-port.ts';
import { createTimelineFeed } from '../../src/ports/timeline-feed.ts';
import type { ContractArguments } from '../../src/routes/contracts/contract-arguments.ts';
import { cheapPasswords } from './cheap-passwords.ts';
import { type FakeRuntime, fakeRuntime } from './fake-runtime.ts';
import { hear } from './heard.ts';

/** A real database, auth and one caller, shared by the tests of a file. */
export interface Ground {
  readonly store: Store;
  readonly auth: Auth;
  readonly admin: Admin;
  /** Every sent mail. */
  readonly mails: MailMessage[];
  readonly masterKey: MasterKey;
  readonly caller: TestCaller;
  /** serviceId of the first administrator. */
  readonly administrator: string;
  readonly superuser: TestCaller;
  close(): Promise<void>;
}

/** Credentials of a caller, and the headers that contain them. */
export interface TestCaller {
  readonly applicationToken: string;
  readonly accessToken: string;
  readonly appId: string;
  readonly accountId: string;
  readonly apiToken: string;
  readonly principal: Principal;
  readonly headers: Readonly<Record<string, string>>;
}

export const baseUrl = 'http://ledger.test';

/** Opens a database with a project, an application and a service account that owns the project. */
export async function openGround(): Promise<Ground> {
  const folder = await openFolder();
  const file = join(folder.path, 'test.sqlite');
  await createSqlite(file);
  const store = await openSqlite(file);
  const masterKey = createMasterKey(new Uint8Array(32).fill(7));
  const { administrator } = await bootstrap({ store, config: { baseUrl } });
  if (administrator === null) throw new Error('The database is not empty.');
  await giveSigningKey(store, masterKey);
  const auth = await createAuth({ store, masterKey, config: { baseUrl, passwordCost: cheapPasswords } });
  const mails: MailMessage[] = [];
  const mail = { send: async (message: MailMessage) => void mails.push(message), close: async () => {} };
  const admin = createAdmin({ store, auth, masterKey, mail, config: { baseUrl } });
  const { accountId, appId, applicationToken, apiToken } = administrator;
  const first = await login(auth, accountId, appId, applicationToken.reveal(), apiToken.reveal());
  const caller = await addCaller(store, auth, first.principal.serviceId, 'one');
  return {
    store,
    auth,
    admin,
    mails,
    masterKey,
    caller,
    administrator: first.principal.serviceId,
    superuser: {
      ...first,
      accountId,
      appId,
      applicationToken: applicationToken.reveal(),
      apiToken: apiToken.reveal(),
    },
    async close() {
      await admin.close();
      await auth.close();
      await store.close();
      await folder.remove();
    },
  };
}

/** Creates a separate project with an application and a service account that holds `role` on it. */
export async function addCaller(
  store: Store,
  auth: Auth,
  administrator: string,
  name: string,
  role = 'owner',
): Promise<TestCaller> {
  const made = await store.transaction(async (tx) => {
    const organization = await auth.createOrganization(tx, { organizationId: `org-${name}`, name });
    const project = await auth.createProject(tx, {
      projectId: `project-${name}`,
      organizationUid: organization.uid,
      name,
    });
    const app = await auth.createApp(tx, { appId: `app-${name}`, projectUid: project.uid, name });
    const account = await auth.createServiceAccount(tx, {
      accountId: `account-${name}`,
      projectUid: project.uid,
      name,
      createdBy: administrator,
    });
    await auth.assignRole(tx, { holder: { identity: account.serviceId }, role, resourceUid: project.uid });
    const applicationToken = (await auth.issueAppToken(tx, app.uid)).reveal();
    const apiToken = (await auth.createApiToken(tx, account.serviceId)).apiToken.reveal();
    return { applicationToken, apiToken, appId: app.appId, accountId: account.accountId };
  });
  const { accountId, appId, applicationToken, apiToken } = made;
  return { ...made, ...(await login(auth, accountId, appId, applicationToken, apiToken)) };
}

async function login(
  auth: Auth,
  accountId: string,
  appId: string,
  applicationToken: string,
  apiToken: string,
) {
  const token = await auth.issueToken(
    new Map([
      ['grant_type', 'client_credentials'],
      ['service_account', accountId],
      ['client_id', appId],
      ['client_secret', apiToken],
    ]),
  );
  const accessToken = token.access_token;
  const headers = { ApplicationToken: applicationToken, Authorization: `Bearer ${accessToken}` };
  const principal = await auth.authenticate(new Secret(applicationToken), new Secret(accessToken));
  return { accessToken, headers, principal };
}

/** An application with an in-memory runtime. */
export interface TestServer extends ServerApp {
  readonly runtime: FakeRuntime;
  readonly log: AccessRecord[];
  /** Warnings about proxies. */
  readonly warnings: string[];
  readonly streams: Streams;
  /** Sends a request by the default caller. A body that is not a string becomes JSON. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
}

export const defaultSettings: AppSettings = {
  baseUrl,
  corsOrigins: ['https://app.example'],
  version: '0.1.0',
  passwordMinimum: 12,
  transactionWait: 0,
};

/** Creates the application. */
export function makeServer(
  ground: Ground,
  options: {
    settings?: Partial<AppSettings>;
    /** Health of every plugin. */
    pluginStatus?: PluginStatus;
    heartbeat?: number;
    /** Maximum number of event streams. */
    streams?: number;
    closing?: boolean;
    proxies?: TrustedProxies;
  } = {},
): TestServer {
  const log: AccessRecord[] = [];
  const warnings: string[] = [];
  const runtime = fakeRuntime(ground.store);
  const streams = createStreams({ heartbeat: options.heartbeat ?? 15_000, maximum: options.streams ?? 100 });
  const contractArguments: ContractArguments = {
    methods: async () => null,
    interfaceOf: async () => ({ methods: [] }),
    accountForm: async () => undefined,
  };
  const nothing = async (): Promise<never> => {
    throw new Problem('not-found', 'This test has no ledger.');
  };
  const gateway = { technologyOf: async () => null, contract: nothing, transaction: nothing };
  const plugins = createPlugins({
    store: ground.store,
    auth: ground.auth,
    now: Date.now,
    urls: createPluginUrls({ modules: ['@ledger-ops/plugin-ethereum'], folders: [], hosts: [] }),
    interfaceVersion: '0.1.0',
  });
  const services = servicesOf(ground);
  const { store, auth, masterKey } = ground;
  const events = createEventLog({ store, auth, timeline: services.timeline, now: Date.now });
  const { webhooks } = createWebhooks({
    ...{ store, auth, masterKey, events, now: Date.now, source: baseUrl },
    ...{ outbound: { open: [] }, log: () => {} },
  });
  const { subscriptions: contractSubscriptions } = createContractEvents({
    ...{ store, auth, now: Date.now, log: () => {} },
    ...{ registry: { contract: async () => null }, ledgers: { open: nothing } },
  });
  const made = createApp({
    auth: ground.auth,
    admin: ground.admin,
    runtime,
    services,
    ...{ events, webhooks, contractSubscriptions },
    timelineFeed: createTimelineFeed({
      timeline: services.timeline,
      interval: 10,
      onError: (error) => {
        throw error;
      },
    }),
    plugins: createPluginPort({
      plugins,
      loader: {
        status: () => options.pluginStatus ?? null,
        offered: async () => [{ pluginId: 'ethereum', definition: ethereumAdapter, isLoaded: true }],
      },
      select: async () => ({ chosen: null, candidates: [] }),
      auth: ground.auth,
      registry: { ledgersByLedgerId: async () => [] },
    }),
    contractArguments,
    gateway,
    store: ground.store,
    idempotency: createIdempotency(ground.store, ground.masterKey),
    streams,
    sources: new RequestSources(options.proxies ?? noProxies, (detail) => warnings.push(detail)),
    accessLog: (record) => log.push(record),
    writes: { cause: undefined },
    isClosing: () => options.closing === true,
    settings: { ...defaultSettings, ...options.settings },
  });
  const { app } = made;
  const request = app.request;
  app.request = async (input, init, ...rest) => {
    const response = await request(input, init, ...rest);
    const asked = input instanceof Request ? input : { method: 'GET', url: String(input) };
    hear(init?.method ?? asked.method, asked.url, response);
    return response;
  };
  return {
    ...made,
    runtime,
    log,
    warnings,
    streams,
    call: async (method, path, body, headers = {}) =>
      await made.app.request(path, {
        method,
        headers: {
          ...ground.caller.headers,
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
  };
}

/** Technologies of the built-in adapters. */
const technologies = createTechnologies(
  {
    offered: async () =>
      builtInAdapters.map((definition) => ({ pluginId: definition.name, definition, isLoaded: true })),
  },
  {
    reader: async (technology) => {
      const found = builtInAdapters.find((adapter) => adapter.technology === technology);
      if (found !== undefined) return found;
      throw new Problem('no-plugin', `No plugin offers ${technology}.`);
    },
  },
);

/** Returns the registry's services over the test database, with a reader and nodes that know no ledger. */
function servicesOf({ store, auth, masterKey }: Ground): RegistryServices {
  const context = { store, auth, now: Date.now };
  const reader: ContractReader = {
    readInterface: async (_place, text) => text,
    constructorInputs: async () => null,
    normaliseAddress: async (_place, address) => address,
    demandContract: async () => {},
  };
  const contractsContext = { ...context, reader, technologies, compilations: { wake: () => {} } };
  return {
    contracts: new ContractRegistry({ ...context, reader }),
    smartContracts: new SmartContracts(contractsContext),
    templates: new ContractTemplates(contractsContext),
    ledgerNodes: createLedgerNodes({
      ...{ ...context, masterKey, technologies },
      probe: async () => ({ chainId: null }),
    }),
    timeline: createTimeline({ store, masterKey }),
  };
}

/** Returns the problem document of a response, with its media type checked. */
export async function problemOf(response: Response): Promise<{
  type: string;
  status: number;
  detail: string;
  errors?: { pointer: string; detail: string }[];
}> {
  const type = response.headers.get('content-type');
  if (type !== 'application/problem+json') throw new Error(`not a problem but ${response.status} ${type}`);
  // Only one function creates problem documents, and it has its own tests.
  return (await response.json()) as Awaited<ReturnType<typeof problemOf>>;
}

/** Returns a valid body of `send`. The given members replace its members; undefined removes a member. */
export function sendBody(change: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    walletId: 'alice',
    walletPassword: 'correct horse battery staple',
    intent: '7b1c2b8e-2d0f-4e0a-9c2f-0c2b6a3b7f10',
    tag: 'a tag',
    dependencies: [],
    glo: {
      version: '0.1.0',
      type: 'transfer',
      options: {
        recipient: { lookup_service: { type: 'service', value: 'service' }, resource: 'bob' },
        amount: '1000',
      },
    },
    ...change,
  };
}
