import { Problem } from '@ledger-ops/base';
import { type IdempotencyClaim, nextId, once } from '@ledger-ops/store';
import { eq, inArray } from 'drizzle-orm';
import { addRecords } from '../storage/records.ts';
import { recordChange } from '../timeline/record-change.ts';
import type { Principal } from '../types.ts';
import type { AdminContext } from './context.ts';
import { demandOn, findResource } from './find.ts';
import { findIdentity } from './find-identity.ts';
import { type AppName, appNames, type IdentityName } from './records.ts';
import { all, visibilityOf } from './visibility.ts';

/** A property that an application stores for an identity. */
export interface AppIdentityPropertyView {
  id: number;
  identity: IdentityName;
  app: AppName;
  name: string;
  value: string;
}

export interface AppProperties {
  /** Returns the properties of identities that the caller may see. @throws Problem `not-found` */
  list(principal: Principal, appId: string): Promise<AppIdentityPropertyView[]>;
  /** @throws Problem `not-found`, `not-permitted`, `already-exists` */
  create(
    principal: Principal,
    input: { appId: string; serviceId: string; name: string; value: string },
    claim?: IdempotencyClaim,
  ): Promise<AppIdentityPropertyView>;
}

export function createAppProperties(context: AdminContext): AppProperties {
  const { store } = context;
  const { read } = store;
  return {
    async list(principal, appId) {
      const { uid } = await findResource(context, principal, { id: appId, type: 'app' });
      const { appIdentityProperty: table, identity } = read.t;
      const visible = visibilityOf(read, principal, 'row').identities(table.serviceId);
      const rows = await read.db
        .select()
        .from(table)
        .where(all(eq(table.appUid, uid), visible))
        .orderBy(table.id);
      if (rows.length === 0) return [];
      const serviceIds = rows.map(({ serviceId }) => serviceId);
      const identities = await read.db
        .select({ serviceId: identity.serviceId, identifier: identity.identifier })
        .from(identity)
        .where(inArray(identity.serviceId, serviceIds));
      const byId = new Map(identities.map((one) => [one.serviceId, one]));
      const named = (await appNames(read, [uid])).get(uid);
      return rows.flatMap(({ id, serviceId, name, value }) => {
        const owner = byId.get(serviceId);
        return owner === undefined || named === undefined
          ? []
          : [{ id, identity: owner, app: named, name, value }];
      });
    },

    async create(principal, { appId, serviceId: named, name, value }, claim) {
      const { uid, resourceId } = await demandOn(context, principal, 'update', {
        id: appId,
        type: 'app',
        pointer: '/appId',
      });
      const owner = await findIdentity(context, principal, named, { pointer: '/serviceId' });
      const app = (await appNames(read, [uid])).get(uid) ?? { appId: resourceId, name: resourceId };
      return await once(store, { claim, status: 201 }, async (tx) => {
        const { appIdentityProperty: table } = tx.t;
        const id = await nextId(tx, 'app_identity_property');
        const added = await tx.db
          .insert(table)
          .values({ id, appUid: uid, serviceId: owner.serviceId, name, value })
          .onConflictDoNothing({ target: [table.appUid, table.serviceId, table.name] })
          .returning({ id: table.id });
        if (added.length === 0) {
          throw new Problem(
            'already-exists',
            'The identity already has a property with this name on this application.',
          );
        }
        await addRecords(tx, uid, 'details');
        const change = {
          action: 'create-property',
          service: 'resource-manager',
          targetObject: name,
        } as const;
        await recordChange(tx, principal, uid, change, context.now());
        const { serviceId, identifier } = owner;
        return { id, identity: { serviceId, identifier }, app, name, value };
      });
    },
  };
}
