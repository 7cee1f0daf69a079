import { verify } from 'node:crypto';
import { type ListResult, type Paging, Problem, type Secret } from '@ledger-ops/base';
import { type IdempotencyClaim, once, type Queries } from '@ledger-ops/store';
import { and, eq, sql } from 'drizzle-orm';
import { tokenHash } from '../../credentials.ts';
import { identifierKey } from '../../identifier.ts';
import { usableIdentity } from '../../login/identity-lock.ts';
import { recordChange } from '../../timeline/record-change.ts';
import { scopeIdOf } from '../../timeline/scope-ids.ts';
import type { Principal } from '../../types.ts';
import type { AdminContext } from '../context.ts';
import { findResource, notFound } from '../find.ts';
import { findIdentity } from '../find-identity.ts';
import { listRecords } from '../listing.ts';
import { all, any, below, named, visibilityOf, whether } from '../visibility.ts';
import { type AccountCredentials, createAccountCredentials } from './credentials.ts';
import { type AccountRow, type ServiceAccountView, serviceAccountViews } from './records.ts';

/** Proof of being a service account (section 2.9). */
export type CredentialProof =
  | { readonly authType: 'apiToken'; readonly email: string; readonly secret: Secret }
  | {
      readonly authType: 'privateKey';
      readonly email: string;
      readonly keyId: number;
      readonly secret: Secret;
      /** Base64, RS256 over the secret. */
      readonly signature: string;
    };

/**
 * Service accounts, their API tokens and keys. `emailOrAccountId` accepts an e-mail address or an account id,
 * unless stated otherwise.
 */
export interface ServiceAccounts extends AccountCredentials {
  /** The caller becomes its owner. @throws Problem `not-found`, `not-permitted`, `already-exists` */
  create(
    principal: Principal,
    input: {
      name: string;
      accountId?: string | undefined;
      email?: string | undefined;
      projectId?: string | undefined;
    },
    claim?: IdempotencyClaim,
  ): Promise<ServiceAccountView>;
  /** @throws Problem `not-found` */
  get(principal: Principal, id: string, by: 'EMAIL' | 'SERVICE_ACCOUNT_ID'): Promise<ServiceAccountView>;
  listOfProject(
    principal: Principal,
    projectId: string,
    query: Paging & { resourceId?: string | undefined; archived?: boolean | undefined },
  ): Promise<ListResult<ServiceAccountView>>;
  /** @throws Problem `login-failed` both for a wrong proof and for an invisible account */
  validate(principal: Principal, proof: CredentialProof): Promise<ServiceAccountView>;
}

export function createServiceAccounts(context: AdminContext): ServiceAccounts {
  const { store, auth, now } = context;
  const service = 'service-accounts';
  const { read } = store;
  const { serviceAccount } = read.t;

  /**
   * Ids and addresses are unique only within a project. The caller's project takes precedence. Otherwise,
   * exactly one account must match.
   */
  const find = async (
    principal: Principal,
    id: string,
    by: 'email' | 'accountId' | 'serviceId',
  ): Promise<AccountRow> => {
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
    throw new Problem('conflict', 'Service accounts in several projects have this name. Use the serviceId.');
  };

  return {
    async create(principal, { name, accountId, email, projectId = principal.projectUid }, claim) {
      const above = await findResource(context, principal, {
        id: projectId,
        type: 'project',
        pointer: '/projectId',
      });
      await auth.demand(principal, 'service-account:create', above.uid);
      if (email !== undefined) await refusePerson(principal, email);
      return await once(store, { claim, status: 201 }, async (tx) => {
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
        return only(await serviceAccountViews(tx, rows));
      });
    },

    async get(principal, id, by) {
      return only(
        await serviceAccountViews(read, [await find(principal, id, by === 'EMAIL' ? 'email' : 'accountId')]),
      );
    },

    async listOfProject(principal, projectId, query) {
      const { resourceId } = query;
      return await listRecords(
        read,
        {
          table: serviceAccount,
          columns: {
            id: serviceAccount.id,
            name: serviceAccount.name,
            accountId: serviceAccount.accountId,
            serviceId: serviceAccount.serviceId,
            email: serviceAccount.email,
            projectId: scopeIdOf(serviceAccount.projectUid),
            createdBy: serviceAccount.createdBy,
            updatedBy: sql`coalesce(${serviceAccount.updatedBy}, ${serviceAccount.createdBy})`,
            createdAt: serviceAccount.createdAt,
            updatedAt: serviceAccount.updatedAt,
          },
          tieBreaker: serviceAccount.id,
          where: all(
            visibilityOf(read, principal, 'set').resources(serviceAccount.serviceId, 'service-account'),
            whether(query.archived, serviceAccount.serviceId),
            below(serviceAccount.serviceId, named('project', projectId), 'service-account'),
            resourceId
              ? any(eq(serviceAccount.accountId, resourceId), eq(serviceAccount.serviceId, resourceId))
              : undefined,
          ),
          present: (rows) => serviceAccountViews(read, rows),
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
      return only(await serviceAccountViews(read, [row]));
    },

    ...createAccountCredentials(context, find),
  };

  /**
   * Rejects an account with the address of a person. Checks only people whom the caller may see;
   * otherwise the error would reveal that other people exist.
   */
  async function refusePerson(principal: Principal, email: string): Promise<void> {
    const person = await findIdentity(context, principal, email, { by: 'IDENTIFIER' }).catch(
      (error: unknown) => {
        if (error instanceof Problem && error.problem === 'not-found') return undefined;
        throw error;
      },
    );
    if (person === undefined) return;
    throw new Problem('already-exists', 'The e-mail address belongs to a person.', {
      errors: [{ pointer: '/email', detail: 'belongs to a person' }],
    });
  }
}

async function proves(queries: Queries, { serviceId }: AccountRow, proof: CredentialProof): Promise<boolean> {
  if (proof.authType === 'apiToken') {
    const rows = await queries.all(
      "select handle from api_token where hash = $1 and service_id = $2 and status = 'ENABLED'",
      [tokenHash(proof.secret), serviceId],
    );
    return rows.length > 0;
  }
  const [key] = await queries.all<{ public_key: string }>(
    "select public_key from service_account_key where key_id = $1 and service_id = $2 and status = 'ENABLED'",
    [proof.keyId, serviceId],
  );
  if (key === undefined) return false;
  const signature = Buffer.from(proof.signature, 'base64');
  return verify('sha256', Buffer.from(proof.secret.reveal()), key.public_key, signature);
}

function wrongCredentials(): Problem {
  return new Problem('login-failed', 'The account or its credential is unknown, wrong or disabled.');
}

function only(views: readonly ServiceAccountView[]): ServiceAccountView {
  const [view] = views;
  if (view === undefined) throw notFound('service account');
  return view;
}
