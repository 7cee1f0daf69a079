import { randomBytes } from 'node:crypto';
import { createMasterKey, Problem, type ProblemName, Secret } from '@ledger-ops/base';
import type { Store, Tx } from '@ledger-ops/store';
import { expect } from 'vitest';
import {
  type Auth,
  type AuthConfig,
  type BootstrapResult,
  bootstrap,
  createAuth,
  OAuthError,
  type OAuthErrorCode,
  type Permission,
  type Principal,
  type ResourceType,
} from '../index.ts';
import { giveSigningKey } from './signing-key.ts';

/** A test database after its first start, with helpers. */
export interface Installation {
  readonly store: Store;
  readonly auth: Auth;
  readonly config: AuthConfig;
  readonly clock: { ms: number };
  readonly administrator: NonNullable<BootstrapResult['administrator']>;
  /** Starts another server on the same database, or on another connection to it. */
  server(store?: Store, more?: Partial<AuthConfig>): Promise<Auth>;
  change<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Creates a project with an app and its token, and a service account with an API token. */
  tenant(name: string): Promise<Tenant>;
}

export interface Tenant {
  readonly projectUid: string;
  readonly organizationUid: string;
  readonly app: { readonly uid: string; readonly appId: string; readonly token: Secret };
  readonly account: {
    readonly accountId: string;
    readonly serviceId: string;
    readonly apiToken: Secret;
    readonly handle: string;
  };
  form(changes?: Record<string, string | null>): Map<string, string>;
  bearer(): Promise<Secret>;
  principal(): Promise<Principal>;
}

/** The lowest hashing cost, for tests. */
const cheapPasswords = { memory: 64, passes: 1, parallelism: 1 } as const;

export async function install(store: Store, more: Partial<AuthConfig> = {}): Promise<Installation> {
  const config = { baseUrl: 'https://ledger.example', passwordCost: cheapPasswords, ...more };
  const masterKey = createMasterKey(randomBytes(32));
  const clock = { ms: Date.parse('2026-11-20T12:00:00Z') };
  const now = () => clock.ms;
  const { administrator } = await bootstrap({ store, config, now });
  if (administrator === null) throw new TypeError('The database was not empty.');
  await giveSigningKey(store, masterKey, clock.ms);
  const auth = await createAuth({ store, masterKey, config, now });
  const change: Installation['change'] = (work) => store.transaction(work);

  const tenant = async (name: string): Promise<Tenant> => {
    const { organization, project, app, token, account, key } = await change(async (tx) => {
      const organization = await auth.createOrganization(tx, { name });
      const project = await auth.createProject(tx, { organizationUid: organization.uid, name });
      const app = await auth.createApp(tx, { projectUid: project.uid, name });
      const token = await auth.issueAppToken(tx, app.uid);
      const account = await auth.createServiceAccount(tx, {
        projectUid: project.uid,
        name,
        createdBy: (await owner(tx, administrator.accountId)).serviceId,
      });
      const key = await auth.createApiToken(tx, account.serviceId);
      return { organization, project, app, token, account, key };
    });
    const form: Tenant['form'] = (changes = {}) =>
      formOf({
        grant_type: 'client_credentials',
        client_id: app.appId,
        service_account: account.accountId,
        client_secret: key.apiToken.reveal(),
        ...changes,
      });
    const bearer = async () => new Secret((await auth.issueToken(form())).access_token);
    return {
      projectUid: project.uid,
      organizationUid: organization.uid,
      app: { uid: app.uid, appId: app.appId, token },
      account: { accountId: account.accountId, serviceId: account.serviceId, ...key },
      form,
      bearer,
      principal: async () => await auth.authenticate(token, await bearer()),
    };
  };

  return {
    store,
    auth,
    config,
    clock,
    administrator,
    server: (other = store, changes = {}) =>
      createAuth({ store: other, masterKey, config: { ...config, ...changes }, now }),
    change,
    tenant,
  };
}

async function owner(tx: Tx, accountId: string): Promise<{ serviceId: string }> {
  const [row] = await tx.all<{ service_id: string }>(
    'select service_id from service_account where account_id = $1',
    [accountId],
  );
  return { serviceId: row?.service_id ?? '' };
}

/** Returns a form; null omits a field. */
export function formOf(fields: Record<string, string | null>): Map<string, string> {
  return new Map(Object.entries(fields).flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
}

/** Adds a resource with a new uid, and returns the uid. */
export async function addResource(
  { auth, change }: Installation,
  type: ResourceType,
  parentUid: string,
  owner?: string,
): Promise<string> {
  const uid = `${type}-${randomBytes(6).toString('hex')}`;
  await change((tx) =>
    auth.registerResource(tx, {
      uid,
      resourceId: uid,
      type,
      parentUid,
      ...(owner === undefined ? {} : { owner }),
    }),
  );
  return uid;
}

export async function may(
  auth: Auth,
  principal: Principal,
  permission: Permission,
  resourceUid: string,
): Promise<boolean> {
  return (await auth.decide(principal, [permission], resourceUid)).result;
}

/** Expects a promise to be rejected with a problem, and returns the problem. */
export async function problemOf(promise: Promise<unknown>): Promise<Problem> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Problem);
  if (!(error instanceof Problem)) throw error;
  return error;
}

export async function expectProblem(promise: Promise<unknown>, name: ProblemName): Promise<void> {
  expect((await problemOf(promise)).problem).toBe(name);
}

export async function expectOAuthError(promise: Promise<unknown>, code: OAuthErrorCode): Promise<OAuthError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(OAuthError);
  if (!(error instanceof OAuthError)) throw error;
  expect(error.code).toBe(code);
  // RFC 6749 §5.2: the characters that a description may contain.
  expect(error.toBody().error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
  return error;
}
