import { randomBytes } from 'node:crypto';
import { type Auth, bootstrap, createAuth, type Principal, type ProjectRecord } from '@ledger-ops/auth';
import { giveSigningKey } from '@ledger-ops/auth/testing';
import { createMasterKey } from '@ledger-ops/base';
import type { Store } from '@ledger-ops/store';
import { createRegistry } from '../src/create-registry.ts';
import { createTimeline, type Timeline } from '../src/timeline/timeline.ts';
import type { ContractGroupRecord, LedgerRecord, NewLedger, Registry } from '../src/types.ts';

/** An installation with two projects, and a caller in the first one. */
export interface World {
  store: Store;
  auth: Auth;
  registry: Registry;
  systemUid: string;
  project: ProjectRecord;
  other: ProjectRecord;
  owner: string;
  caller: Principal;
  /** Opens another server on the same database. */
  secondRegistry(): Registry;
  /** Creates another caller, with an application and a role in the project. */
  callerIn(project: ProjectRecord, role?: string): Promise<Principal>;
  /** Creates a caller who administers the installation. */
  deployer(): Promise<Principal>;
  ledger(input?: Partial<NewLedger>): Promise<LedgerRecord>;
  group(name?: string): Promise<ContractGroupRecord>;
}

export async function createWorld(store: Store): Promise<World> {
  const config = { baseUrl: 'https://ledger.example' };
  const { systemUid } = await bootstrap({ store, config });
  const masterKey = createMasterKey(randomBytes(32));
  await giveSigningKey(store, masterKey);
  const auth = await createAuth({ store, config, masterKey });
  const [administrator] = await store.read.db.select().from(store.read.t.serviceAccount);
  let clock = 1_000;
  const now = () => {
    clock += 1;
    return clock;
  };
  const registry = createRegistry({ store, auth, now });
  const made = await store.transaction(async (tx) => {
    const organization = await auth.createOrganization(tx, { name: 'Organization' });
    const project = await auth.createProject(tx, { organizationUid: organization.uid, name: 'One' });
    const other = await auth.createProject(tx, { organizationUid: organization.uid, name: 'Two' });
    const app = await auth.createApp(tx, { projectUid: project.uid, name: 'App' });
    const account = await auth.createServiceAccount(tx, {
      projectUid: project.uid,
      name: 'Account',
      createdBy: administrator?.serviceId ?? '',
    });
    return { project, other, app, account };
  });
  const { project, other, app, account } = made;
  const callerIn: World['callerIn'] = (where, role = 'owner') =>
    store.transaction(async (tx) => {
      const its = await auth.createApp(tx, { projectUid: where.uid, name: 'App' });
      const { serviceId } = await auth.createServiceAccount(tx, {
        projectUid: where.uid,
        name: 'Caller',
        createdBy: administrator?.serviceId ?? '',
      });
      await auth.assignRole(tx, { holder: { identity: serviceId }, role, resourceUid: where.uid });
      return {
        appUid: its.uid,
        appId: its.appId,
        projectUid: where.uid,
        projectId: where.projectId,
        organizationUid: where.organizationUid,
        serviceId,
        identityType: 'SERVICE',
      };
    });
  return {
    store,
    auth,
    registry,
    systemUid,
    project,
    other,
    owner: account.serviceId,
    caller: {
      appUid: app.uid,
      appId: app.appId,
      projectUid: project.uid,
      projectId: project.projectId,
      organizationUid: project.organizationUid,
      serviceId: account.serviceId,
      identityType: 'SERVICE',
    },
    callerIn,
    async deployer() {
      const principal = await callerIn(project, 'viewer');
      await store.transaction(async (tx) => {
        const role = 'administrator';
        await auth.assignRole(tx, {
          holder: { identity: principal.serviceId },
          role,
          resourceUid: systemUid,
        });
        await auth.assignRole(tx, { holder: { app: principal.appUid }, role, resourceUid: systemUid });
      });
      return principal;
    },
    secondRegistry: () => createRegistry({ store, auth, now }),
    ledger: (input = {}) =>
      store.transaction((tx) =>
        registry.createLedger(tx, {
          projectUid: project.uid,
          name: 'Ledger',
          technology: 'ethereum',
          properties: { chain_id: 1337 },
          nodes: [{ uri: 'http://127.0.0.1:8545' }],
          parentResourceUid: project.uid,
          ...input,
        }),
      ),
    group: (name = 'Group') =>
      store.transaction((tx) => registry.createGroup(tx, { projectUid: project.uid, name })),
  };
}

/** Returns the problem with which a promise rejects. */
export async function failure(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** Creates a timeline of a store, with its own cursor key. */
export function timelineOf(store: Store): Timeline {
  return createTimeline({ store, masterKey: createMasterKey(randomBytes(32)) });
}
