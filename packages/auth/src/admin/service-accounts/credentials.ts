import { Problem } from '@ledger-ops/base';
import { type IdempotencyClaim, once } from '@ledger-ops/store';
import { and, eq } from 'drizzle-orm';
import { recordChange } from '../../timeline/record-change.ts';
import { valueChanges } from '../../timeline/value-changes.ts';
import type { Principal } from '../../types.ts';
import type { AdminContext } from '../context.ts';
import { demandHeldOf } from '../demand-held.ts';
import { demandEvenArchived, notFound } from '../find.ts';
import {
  type AccountRow,
  type ApiTokenView,
  apiTokenView,
  type GeneratedKeyView,
  keyView,
  type NewApiTokenView,
  type ServiceAccountKeyView,
  type Usability,
} from './records.ts';

const service = 'service-accounts';

/** API tokens and keys of service accounts, by the account's id or serviceId. */
export interface AccountCredentials {
  listApiTokens(principal: Principal, accountId: string, status: Usability): Promise<ApiTokenView[]>;
  /**
   * The caller must hold everything that the account's roles grant, because the credential also grants it.
   * `generateKey` has the same requirement.
   *
   * @throws Problem `not-found`, `not-permitted`
   */
  createApiToken(principal: Principal, accountId: string, claim?: IdempotencyClaim): Promise<NewApiTokenView>;
  /**
   * Enabling a token has the same requirements as `createApiToken`.
   * @throws Problem `not-found`, `not-permitted`
   */
  setApiTokenStatus(principal: Principal, tokenId: string, status: Usability): Promise<ApiTokenView>;
  /** @throws Problem `not-found`, `not-permitted`, `too-many-requests` */
  generateKey(principal: Principal, accountId: string, claim?: IdempotencyClaim): Promise<GeneratedKeyView>;
  listKeys(principal: Principal, accountId: string, status: Usability): Promise<ServiceAccountKeyView[]>;
  /**
   * Enabling a key has the same requirements as `generateKey`. @throws Problem `not-found`, `not-permitted`
   */
  setKeyStatus(
    principal: Principal,
    accountId: string,
    keyId: number,
    status: Usability,
  ): Promise<ServiceAccountKeyView>;
}

/** Finds an account that a caller may see. @throws Problem `not-found`, `conflict` */
export type FindAccount = (
  principal: Principal,
  id: string,
  by: 'email' | 'accountId' | 'serviceId',
) => Promise<AccountRow>;

/** Creates the service that lists, issues and disables credentials of service accounts. */
export function createAccountCredentials(context: AdminContext, find: FindAccount): AccountCredentials {
  const { store, auth, now } = context;
  const { read } = store;
  const { apiToken } = read.t;

  const manage = async (principal: Principal, accountId: string): Promise<AccountRow> => {
    const row = await find(principal, accountId, 'accountId');
    await auth.demand(principal, 'service-account:manage', row.serviceId);
    return row;
  };
  /**
   * Enabling a credential has the same requirements as issuing it. Callers who manage the account may disable
   * a credential, even if the account is archived.
   */
  const demandToSet = async (
    principal: Principal,
    { serviceId }: AccountRow,
    status: Usability,
  ): Promise<void> => {
    if (status === 'DISABLED')
      return await demandEvenArchived(context, principal, 'service-account:manage', serviceId);
    await auth.demand(principal, 'service-account:manage', serviceId);
    await demandHeldOf(context, principal, { identity: serviceId });
  };

  return {
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
      return await once(store, { claim, status: 201, secret: true }, async (tx) => {
        const created = await auth.createApiToken(tx, serviceId);
        const change = { action: 'create-api-token', service, targetObject: created.handle } as const;
        await recordChange(tx, principal, serviceId, change, now());
        const { handle: tokenId, apiToken } = created;
        return { tokenId, apiToken: apiToken.reveal(), status: 'ENABLED' as const };
      });
    },

    async setApiTokenStatus(principal, handle, status) {
      const [token] = await read.db.select().from(apiToken).where(eq(apiToken.handle, handle));
      if (token === undefined) throw notFound('API token');
      const row = await find(principal, token.serviceId, 'serviceId').catch((error: unknown) => {
        throw error instanceof Problem && error.problem === 'not-found' ? notFound('API token') : error;
      });
      await demandToSet(principal, row, status);
      await store.transaction(async (tx) => {
        await auth.setApiTokenStatus(tx, handle, status);
        const changes = valueChanges({ before: { status: token.status }, after: { status } });
        const targetObject = `${handle} ${status}`;
        const change = { action: 'update-api-token', service, targetObject, changes } as const;
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
      const { organizationUid, projectUid } = principal;
      const prepared = await auth.prepareKey([organizationUid, projectUid, principal.serviceId]);
      return await once(store, { claim, status: 201, secret: true }, async (tx) => {
        const file = await auth.generateKey(tx, { serviceId, generatedBy: principal.serviceId, prepared });
        const change = { action: 'create-key', service, targetObject: String(file.keyId) } as const;
        await recordChange(tx, principal, serviceId, change, now());
        const { keyId, privateKey, tokenUri } = file;
        return { accountId, keyId, privateKey: privateKey.reveal(), tokenUri };
      });
    },

    async listKeys(principal, id, status) {
      const row = await find(principal, id, 'accountId');
      return (await auth.listKeys(row.serviceId, status)).map((key) => keyView(key, row));
    },

    async setKeyStatus(principal, id, keyId, status) {
      const row = await find(principal, id, 'accountId');
      await demandToSet(principal, row, status);
      const { serviceId } = row;
      return await store.transaction(async (tx) => {
        const { serviceAccountKey: table } = tx.t;
        const [before] = await tx.db
          .select({ status: table.status })
          .from(table)
          .where(and(eq(table.serviceId, serviceId), eq(table.keyId, keyId)));
        const key = await auth.setKeyStatus(tx, serviceId, keyId, status);
        const changes = valueChanges({ before: before ?? {}, after: { status } });
        const targetObject = `${keyId} ${status}`;
        const change = { action: 'update-key', service, targetObject, changes } as const;
        await recordChange(tx, principal, serviceId, change, now());
        return keyView(key, row);
      });
    },
  };
}
