import { Problem } from '@ledger-ops/base';
import { type IdempotencyClaim, nextId, once } from '@ledger-ops/store';
import { eq, inArray } from 'drizzle-orm';
import { z } from 'zod';
import { recordChange } from '../timeline/record-change.ts';
import type { Principal } from '../types.ts';
import type { AdminContext } from './context.ts';
import { demandOn, findResource } from './find.ts';
import { findIdentity } from './find-identity.ts';
import { appName, appNames, identityName } from './records.ts';
import { all, visibilityOf } from './visibility.ts';

/** A property that an application keeps of an identity (section 2.9). */
export const appIdentityPropertyRecord = z
  .object({ id: z.int(), identity: identityName, app: appName, name: z.string(), value: z.string() })
  .meta({ id: 'AppIdentityProperty' });
export type AppIdentityPropertyView = z.infer<typeof appIdentityPropertyRecord>;

/** Properties of identities on applications. */
export interface AppProperties {
  /** Those of the identities that the caller may see. @throws Problem `not-found` */
  list(principal: Principal, app: string): Promise<AppIdentityPropertyView[]>;
  /** @throws Problem `not-found`, `not-permitted`, `already-exists` */
  create(
    principal: Principal,
    input: { app: string; identity: string; name: string; value: string },
    claim?: IdempotencyClaim,
  ): Promise<AppIdentityPropertyView>;
}

/** Makes the service. */
export function createAppProperties(context: AdminContext): AppProperties {
  const { store } = context;
  const { read } = store;
  return {
    async list(principal, app) {
      const { uid } = await findResource(context, principal, { id: app, type: 'app' });
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

    async create(principal, { app, identity, name, value }, claim) {
      const { uid, resourceId } = await demandOn(context, principal, 'update', {
        id: app,
        type: 'app',
        pointer: '/app',
      });
      const owner = await findIdentity(context, principal, identity, { pointer: '/identity' });
      const named = (await appNames(read, [uid])).get(uid) ?? { appId: resourceId, name: resourceId };
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
            'The identity has a property of this name on this application.',
          );
        }
        const change = {
          action: 'create-property',
          service: 'resource-manager',
          targetObject: name,
        } as const;
        await recordChange(tx, principal, uid, change, context.now());
        const { serviceId, identifier } = owner;
        return { id, identity: { serviceId, identifier }, app: named, name, value };
      });
    },
  };
}
