import { verify } from 'node:crypto';
import { type PageBody, type Paging, Problem, type Secret } from '@ledger-ops/base';
import type { IdempotencyClaim, Queries, Tables } from '@ledger-ops/store';
import { and, eq, inArray, sql } from 'drizzle-orm';
import { z } from 'zod';
import { tokenHash } from '../credentials.ts';
import type { ServiceAccountKeyRecord } from '../grants/types.ts';
import { identifierKey } from '../identifier.ts';
import { usableIdentity } from '../login/identity-lock.ts';
import { recordChange } from '../timeline/record-change.ts';
import { scopeIdOf } from '../timeline/scope-ids.ts';
import type { Principal } from '../types.ts';
import { changing } from './claim.ts';
import type { AdminContext } from './context.ts';
import { findResource, notFound } from './find.ts';
import { findIdentity } from './find-identity.ts';
import { listRecords } from './listing.ts';
import { demandHeldOf } from './role-grants.ts';
import { all, any, below, named, visibilityOf } from './visibility.ts';

/** Whether a credential may be used. */
export const usabilities = ['ENABLED', 'DISABLED'] as const;
type Usability = (typeof usabilities)[number];
const usability = z.enum(usabilities);

/** A service account (section 2.9). */
export const serviceAccountRecord = z
  .object({
    accountId: z.string(),
    createdBy: z.string().describe('serviceId'),
    dateCreated: z.int(),
    dateUpdated: z.int(),
    email: z.string(),
    id: z.int(),
    name: z.string(),
    project: z.string().describe('projectID'),
    resourceId: z.string(),
    updatedBy: z.string().describe('serviceId'),
    serviceId: z.string().describe('Its identity; also the resourceUUID.'),
  })
  .meta({ id: 'ServiceAccount' });
export type ServiceAccountView = z.infer<typeof serviceAccountRecord>;

/** An API token as listings show it: `apiToken` is its handle. */
export const apiTokenRecord = z
  .object({ apiToken: z.string(), status: usability, dateCreated: z.int() })
  .meta({ id: 'ApiToken' });
export type ApiTokenView = z.infer<typeof apiTokenRecord>;

/** A new API token; `apiToken` is the secret, shown once. */
export const newApiTokenRecord = z
  .object({ apiToken: z.string(), handle: z.string(), status: usability })
  .meta({ id: 'IssuedApiToken' });
export type NewApiTokenView = z.infer<typeof newApiTokenRecord>;

/** A public key (section 2.9). */
export const serviceAccountKeyRecord = z
  .object({
    dateCreated: z.int(),
    dateUpdated: z.int(),
    generatedBy: z.string(),
    id: z.int(),
    keyID: z.int(),
    privateKeyFormat: z.string(),
    publicKey: z.string(),
    publicKeyFormat: z.string(),
    serviceAccount: z.string(),
    status: usability,
  })
  .meta({ id: 'ServiceAccountKey' });
export type ServiceAccountKeyView = z.infer<typeof serviceAccountKeyRecord>;

/** A generated key (section 2.9), and the key file at once: the private key is shown this one time. */
export const generatedKeyRecord = z
  .object({
    identifier: z.string(),
    keyID: z.int(),
    privateKey: z.string().describe('PKCS #8, PEM.'),
    accountId: z.string(),
    keyId: z.int(),
    tokenUri: z.string(),
  })
  .meta({ id: 'GeneratedKey' });
export type GeneratedKeyView = z.infer<typeof generatedKeyRecord>;

/** What proves that one is a service account (section 2.9). */
export type CredentialProof =
  | { readonly authType: 'apiToken'; readonly email: string; readonly secret: Secret }
  | {
      readonly authType: 'privateKey';
      readonly email: string;
      readonly keyID: number;
      readonly secret: Secret;
      /** Base64, RS256 over the secret. */
      readonly signature: string;
    };

/** Service accounts, their API tokens and keys. `emailOrAccountId` may be either where nothing else is said. */
export interface ServiceAccounts {
  /** The caller becomes its owner. @throws Problem `not-found`, `not-permitted`, `already-exists` */
  create(
    principal: Principal,
    input: {
      name: string;
      accountId?: string | undefined;
      email?: string | undefined;
      project?: string | undefined;
    },
    claim?: IdempotencyClaim,
  ): Promise<ServiceAccountView>;
  /** @throws Problem `not-found` */
  get(principal: Principal, id: string, by: 'EMAIL' | 'SERVICE_ACCOUNT_ID'): Promise<ServiceAccountView>;
  listOfProject(
    principal: Principal,
    project: string,
    query: Paging & { resourceId?: string | undefined },
  ): Promise<PageBody<ServiceAccountView>>;
  /** @throws Problem `login-failed`, whatever is wrong or not visible */
  validate(principal: Principal, proof: CredentialProof): Promise<ServiceAccountView>;
  listApiTokens(principal: Principal, accountId: string, status: Usability): Promise<ApiTokenView[]>;
  /**
   * Like `generateKey`, for who holds all that the account's roles grant: its credentials are its powers.
   *
   * @throws Problem `not-found`, `not-permitted`
   */
  createApiToken(principal: Principal, accountId: string, claim?: IdempotencyClaim): Promise<NewApiTokenView>;
  /** To enable it demands what `createApiToken` does. @throws Problem `not-found`, `not-permitted` */
  setApiTokenStatus(principal: Principal, handle: string, status: Usability): Promise<ApiTokenView>;
  /** @throws Problem `not-found`, `not-permitted` */
  generateKey(principal: Principal, accountId: string, claim?: IdempotencyClaim): Promise<GeneratedKeyView>;
  listKeys(principal: Principal, accountId: string, status: Usability): Promise<ServiceAccountKeyView[]>;
  /** To enable it demands what `generateKey` does. @throws Problem `not-found`, `not-permitted` */
  setKeyStatus(
    principal: Principal,
    accountId: string,
    keyId: number,
    status: Usability,
  ): Promise<ServiceAccountKeyView>;
}

/** What service accounts are sorted by. */
export const serviceAccountSortKeys = [
  'id',
  'name',
  'accountId',
  'resourceId',
  'serviceId',
  'email',
  'project',
  'createdBy',
  'updatedBy',
  'dateCreated',
  'dateUpdated',
] as const;

type Row = Tables['serviceAccount']['$inferSelect'];

/** Makes the service. */
export function createServiceAccounts(context: AdminContext): ServiceAccounts {
  const { store, auth, now } = context;
  const service = 'service-accounts';
  const { read } = store;
  const { serviceAccount, apiToken } = read.t;

  /** Ids and addresses are unique in a project: the caller's goes first, then what remains must be one. */
  const find = async (
    principal: Principal,
    id: string,
    by: 'email' | 'accountId' | 'serviceId',
  ): Promise<Row> => {
    const byId = any(eq(serviceAccount.serviceId, id), eq(serviceAccount.accountId, id));
    const named = {
      email: eq(serviceAccount.emailKey, identifierKey(id)),
      accountId: byId,
      serviceId: eq(serviceAccount.serviceId, id),
    }[by];
    const rows = await read.db
      .select()
      .from(serviceAccount)
      .where(
        and(
          named,
          visibilityOf(read, principal, 'row').resources(serviceAccount.serviceId, 'service-account'),
        ),
      )
      .limit(50);
    const exact = rows.find(({ serviceId }) => serviceId === id);
    const near = exact ?? rows.find(({ projectUid }) => projectUid === principal.projectUid);
    const [first, second] = near === undefined ? rows : [near];
    if (first === undefined) throw notFound('service account');
    if (second === undefined) return first;
    throw new Problem(
      'conflict',
      'There are service accounts of this name in several projects; use the serviceId.',
    );
  };
  const manage = async (principal: Principal, accountId: string): Promise<Row> => {
    const row = await find(principal, accountId, 'accountId');
    await auth.demand(principal, 'service-account:manage', row.serviceId);
    return row;
  };
  /** To enable a credential is to issue it once more; to disable one is open to whoever manages the account. */
  const demandToSet = async (principal: Principal, { serviceId }: Row, status: Usability): Promise<void> => {
    if (status === 'ENABLED') await demandHeldOf(context, principal, { identity: serviceId });
  };

  return {
    async create(principal, { name, accountId, email, project = principal.projectUid }, claim) {
      const above = await findResource(context, principal, {
        id: project,
        type: 'project',
        pointer: '/project',
      });
      await auth.demand(principal, 'service-account:create', above.uid);
      if (email !== undefined) await refusePerson(principal, email);
      return await changing(context, { claim, status: 201 }, async (tx) => {
        const created = await auth.createServiceAccount(tx, {
          name,
          ...(accountId === undefined ? {} : { accountId }),
          ...(email === undefined ? {} : { email }),
          projectUid: above.uid,
          createdBy: principal.serviceId,
        });
        await recordChange(
          tx,
          principal,
          created.serviceId,
          { action: 'create', service, targetObject: name },
          now(),
        );
        const table = tx.t.serviceAccount;
        const rows = await tx.db.select().from(table).where(eq(table.serviceId, created.serviceId));
        return only(await present(tx, rows));
      });
    },

    async get(principal, id, by) {
      return only(await present(read, [await find(principal, id, by === 'EMAIL' ? 'email' : 'accountId')]));
    },

    async listOfProject(principal, project, query) {
      const { resourceId } = query;
      return await listRecords(
        read,
        {
          contentType: 'ServiceAccountPage',
          table: serviceAccount,
          columns: {
            id: serviceAccount.id,
            name: serviceAccount.name,
            accountId: serviceAccount.accountId,
            resourceId: serviceAccount.accountId,
            serviceId: serviceAccount.serviceId,
            email: serviceAccount.email,
            project: scopeIdOf(serviceAccount.projectUid),
            createdBy: serviceAccount.createdBy,
            updatedBy: sql`coalesce(${serviceAccount.updatedBy}, ${serviceAccount.createdBy})`,
            dateCreated: serviceAccount.createdAt,
            dateUpdated: serviceAccount.updatedAt,
          },
          tieBreaker: serviceAccount.id,
          where: all(
            visibilityOf(read, principal, 'set').resources(serviceAccount.serviceId, 'service-account'),
            below(serviceAccount.serviceId, named('project', project), 'service-account'),
            resourceId
              ? any(eq(serviceAccount.accountId, resourceId), eq(serviceAccount.serviceId, resourceId))
              : undefined,
          ),
          present: (rows) => present(read, rows),
        },
        query,
      );
    },

    async validate(principal, proof) {
      const row = await find(principal, proof.email, 'email').catch((error: unknown) => {
        throw error instanceof Problem && error.problem === 'not-found' ? wrongCredentials() : error;
      });
      const enabled = await read.all(
        `select i.service_id from identity i where i.service_id = $1 and ${usableIdentity('i')}`,
        [row.serviceId],
      );
      if (enabled.length === 0 || !(await proves(read, row, proof))) throw wrongCredentials();
      return only(await present(read, [row]));
    },

    async listApiTokens(principal, accountId, status) {
      const row = await find(principal, accountId, 'accountId');
      const rows = await read.db
        .select()
        .from(apiToken)
        .where(and(eq(apiToken.serviceId, row.serviceId), eq(apiToken.status, status)))
        .orderBy(apiToken.handle);
      return rows.map(apiTokenView);
    },

    async createApiToken(principal, id, claim) {
      const { serviceId } = await manage(principal, id);
      await demandHeldOf(context, principal, { identity: serviceId });
      return await changing(context, { claim, status: 201, secret: true }, async (tx) => {
        const created = await auth.createApiToken(tx, serviceId);
        const change = { action: 'create-api-token', service, targetObject: created.handle } as const;
        await recordChange(tx, principal, serviceId, change, now());
        return { apiToken: created.apiToken.reveal(), handle: created.handle, status: 'ENABLED' as const };
      });
    },

    async setApiTokenStatus(principal, handle, status) {
      const [token] = await read.db.select().from(apiToken).where(eq(apiToken.handle, handle));
      if (token === undefined) throw notFound('API token');
      const row = await find(principal, token.serviceId, 'serviceId').catch((error: unknown) => {
        throw error instanceof Problem && error.problem === 'not-found' ? notFound('API token') : error;
      });
      await auth.demand(principal, 'service-account:manage', row.serviceId);
      await demandToSet(principal, row, status);
      await store.transaction(async (tx) => {
        await auth.setApiTokenStatus(tx, handle, status);
        const change = { action: 'update-api-token', service, targetObject: `${handle} ${status}` } as const;
        await recordChange(tx, principal, row.serviceId, change, now());
        const table = tx.t.serviceAccount;
        await tx.db
          .update(table)
          .set({ updatedBy: principal.serviceId, updatedAt: now() })
          .where(eq(table.serviceId, row.serviceId));
      });
      return apiTokenView({ ...token, status });
    },

    async generateKey(principal, id, claim) {
      const { accountId, serviceId } = await manage(principal, id);
      await demandHeldOf(context, principal, { identity: serviceId });
      const prepared = await auth.prepareKey();
      return await changing(context, { claim, status: 201, secret: true }, async (tx) => {
        const file = await auth.generateKey(tx, { serviceId, generatedBy: principal.serviceId, prepared });
        const change = { action: 'create-key', service, targetObject: String(file.keyId) } as const;
        await recordChange(tx, principal, serviceId, change, now());
        return {
          identifier: accountId,
          keyID: file.keyId,
          privateKey: file.privateKey.reveal(),
          accountId: file.accountId,
          keyId: file.keyId,
          tokenUri: file.tokenUri,
        };
      });
    },

    async listKeys(principal, id, status) {
      const row = await find(principal, id, 'accountId');
      return (await auth.listKeys(row.serviceId, status)).map((key) => keyView(key, row));
    },

    async setKeyStatus(principal, id, keyId, status) {
      const row = await manage(principal, id);
      await demandToSet(principal, row, status);
      const { serviceId } = row;
      return await store.transaction(async (tx) => {
        const key = await auth.setKeyStatus(tx, serviceId, keyId, status);
        const change = { action: 'update-key', service, targetObject: `${keyId} ${status}` } as const;
        await recordChange(tx, principal, serviceId, change, now());
        return keyView(key, row);
      });
    },
  };

  /**
   * An account does not go by a person's address. Only of people whom the caller may see: a refusal would tell of
   * the others.
   */
  async function refusePerson(principal: Principal, email: string): Promise<void> {
    const person = await findIdentity(context, principal, email, { by: 'IDENTIFIER' }).catch(
      (error: unknown) => {
        if (error instanceof Problem && error.problem === 'not-found') return undefined;
        throw error;
      },
    );
    if (person === undefined) return;
    throw new Problem('already-exists', 'The e-mail address is that of a person.', {
      errors: [{ pointer: '/email', detail: 'is the address of a person' }],
    });
  }
}

async function proves(queries: Queries, { serviceId }: Row, proof: CredentialProof): Promise<boolean> {
  if (proof.authType === 'apiToken') {
    const rows = await queries.all(
      "select handle from api_token where hash = $1 and service_id = $2 and status = 'ENABLED'",
      [tokenHash(proof.secret), serviceId],
    );
    return rows.length > 0;
  }
  const [key] = await queries.all<{ public_key: string }>(
    "select public_key from service_account_key where key_id = $1 and service_id = $2 and status = 'ENABLED'",
    [proof.keyID, serviceId],
  );
  if (key === undefined) return false;
  const signature = Buffer.from(proof.signature, 'base64');
  return verify('sha256', Buffer.from(proof.secret.reveal()), key.public_key, signature);
}

async function present(queries: Queries, rows: readonly Row[]): Promise<ServiceAccountView[]> {
  if (rows.length === 0) return [];
  const { project } = queries.t;
  const uids = [...new Set(rows.map(({ projectUid }) => projectUid))];
  const projects = await queries.db
    .select({ uid: project.uid, projectId: project.projectId })
    .from(project)
    .where(inArray(project.uid, uids));
  const ids = new Map(projects.map(({ uid, projectId }) => [uid, projectId]));
  return rows.map((row) => ({
    accountId: row.accountId,
    createdBy: row.createdBy,
    dateCreated: row.createdAt,
    dateUpdated: row.updatedAt,
    email: row.email,
    id: row.id,
    name: row.name,
    project: ids.get(row.projectUid) ?? '',
    resourceId: row.accountId,
    updatedBy: row.updatedBy ?? row.createdBy,
    serviceId: row.serviceId,
  }));
}

function apiTokenView(row: Tables['apiToken']['$inferSelect']): ApiTokenView {
  return { apiToken: row.handle, status: usability.parse(row.status), dateCreated: row.createdAt };
}

function keyView(key: ServiceAccountKeyRecord, { accountId }: Row): ServiceAccountKeyView {
  return {
    dateCreated: key.createdAt,
    dateUpdated: key.updatedAt,
    generatedBy: key.generatedBy,
    id: key.keyId,
    keyID: key.keyId,
    privateKeyFormat: key.privateKeyFormat,
    publicKey: key.publicKey,
    publicKeyFormat: key.publicKeyFormat,
    serviceAccount: accountId,
    status: key.status,
  };
}

function wrongCredentials(): Problem {
  return new Problem('login-failed', 'The account or its credential is unknown, wrong or disabled.');
}

function only(views: readonly ServiceAccountView[]): ServiceAccountView {
  const [view] = views;
  if (view === undefined) throw notFound('service account');
  return view;
}
