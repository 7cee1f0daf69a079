import { randomBytes } from 'node:crypto';
import type { AdapterDefinition } from '@ledger-ops/adapter';
import { createMemoryLedger, type MemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import { type Auth, bootstrap, createAuth, type Principal, type ProjectRecord } from '@ledger-ops/auth';
import { giveSigningKey } from '@ledger-ops/auth/testing';
import { createMasterKey, type MasterKey, Secret } from '@ledger-ops/base';
import { createRegistry, type LedgerRecord, type NewLedger, type Registry } from '@ledger-ops/registry';
import type { Store } from '@ledger-ops/store';
import { onTestFinished } from 'vitest';
import { Signers } from '../src/keys/signers.ts';
import { type PasswordCaller, Vault, type VaultOptions } from '../src/keys/vault.ts';
import { Ledgers } from '../src/ledgers.ts';
import type { Log } from '../src/log.ts';
import { PluginLoader } from '../src/plugins/loader.ts';
import type { WalletRow } from '../src/wallets/types.ts';
import { WalletReader } from '../src/wallets/wallet-rows.ts';
import { Wallets } from '../src/wallets/wallets.ts';

export const password = 'correct horse battery staple';

/** Returns a caller with this service id. The vault does not check permissions. */
export function who(serviceId: string): PasswordCaller {
  return { serviceId, appId: 'app', projectUid: 'project', organizationUid: 'organization' };
}

/** Adds a caller that has this role on the project. */
export type AddCaller = (role?: string) => Promise<Principal>;

/** An installation with the real auth, registry, vault and wallets, on a ledger in memory. */
export interface KeysWorld {
  store: Store;
  auth: Auth;
  registry: Registry;
  masterKey: MasterKey;
  signers: Signers;
  vault: Vault;
  wallets: Wallets;
  ledgers: Ledgers;
  chain: MemoryLedger;
  project: ProjectRecord;
  other: ProjectRecord;
  systemUid: string;
  ledger: LedgerRecord;
  /** Owner of the project. */
  caller: Principal;
  lines: string[];
  clock: { now: number };
  addCaller: AddCaller;
  addLedger(input: Partial<NewLedger>): Promise<LedgerRecord>;
  /** Returns the vault of another server on the same database. It shares no memory with `vault`. */
  secondVault(options?: Partial<VaultOptions>): Vault;
  /** Creates a wallet and reads its row. */
  wallet(walletId: string, parameters?: Record<string, string>, principal?: Principal): Promise<WalletRow>;
  row(walletId: string): Promise<WalletRow>;
}

export function secrets(parameters: Record<string, string>): ReadonlyMap<string, Secret> {
  return new Map(Object.entries(parameters).map(([name, value]) => [name, new Secret(value)]));
}

/** Returns the error of a promise that must fail. */
export async function failure(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    (value) => {
      throw new Error(`Expected a failure, but got ${JSON.stringify(value)}.`);
    },
    (error: unknown) => error,
  );
}

/** Low hashing costs, because the passwords are only for tests. */
const cheap = { memory: 64, passes: 1, parallelism: 1 };

export async function createKeysWorld(
  store: Store,
  options: Partial<VaultOptions> = {},
  more: readonly AdapterDefinition[] = [],
  chain: MemoryLedger = createMemoryLedger(),
): Promise<KeysWorld> {
  const config = { baseUrl: 'https://ledger.example' };
  const masterKey = createMasterKey(randomBytes(32));
  const clock = { now: Date.now() };
  const now = () => clock.now;
  const lines: string[] = [];
  const log: Log = (level, event, fields) => lines.push(`${level} ${event} ${JSON.stringify(fields ?? {})}`);
  const { systemUid } = await bootstrap({ store, config });
  const [administrator] = await store.read.db.select().from(store.read.t.serviceAccount);
  const createdBy = administrator?.serviceId ?? '';
  await giveSigningKey(store, masterKey);
  const auth = await createAuth({ store, config, masterKey });
  const registry = createRegistry({ store, auth, now });
  const signers = new Signers();
  const secondVault = (more: Partial<VaultOptions> = {}) =>
    new Vault({ masterKey, store, now, log, signers, cost: cheap, ...options, ...more });
  const vault = secondVault();
  const ledgers = new Ledgers({
    registry,
    plugins: new PluginLoader({
      builtIn: [memoryAdapter(chain, { technology: 'ethereum' }), ...more],
      log,
      now,
    }),
    outbound: { open: [] },
    log,
    now,
  });
  onTestFinished(() => ledgers.close());
  const wallets = new Wallets({ store, auth, registry, ledgers, vault, log, signers, now });

  const made = await store.transaction(async (tx) => {
    const { uid: organizationUid } = await auth.createOrganization(tx, { name: 'Organization' });
    const project = await auth.createProject(tx, { organizationUid, name: 'One' });
    const other = await auth.createProject(tx, { organizationUid, name: 'Two' });
    const app = await auth.createApp(tx, { projectUid: project.uid, name: 'App' });
    return { project, other, app };
  });
  const { project, other, app } = made;

  const addCaller: AddCaller = async (role) => {
    const account = await store.transaction(async (tx) => {
      const added = await auth.createServiceAccount(tx, {
        projectUid: project.uid,
        name: 'Account',
        createdBy,
      });
      const holder = { identity: added.serviceId };
      if (role !== undefined) await auth.assignRole(tx, { holder, role, resourceUid: project.uid });
      return added;
    });
    return {
      appUid: app.uid,
      appId: app.appId,
      projectUid: project.uid,
      projectId: project.projectId,
      organizationUid: project.organizationUid,
      serviceId: account.serviceId,
      identityType: 'SERVICE',
    };
  };
  const addLedger: KeysWorld['addLedger'] = (input) =>
    store.transaction((tx) =>
      registry.createLedger(tx, {
        projectUid: null,
        name: 'Ledger',
        technology: 'ethereum',
        properties: {},
        nodes: [{ uri: 'memory:' }],
        parentResourceUid: systemUid,
        ...input,
      }),
    );
  const reader = new WalletReader(store);
  const row = async (walletId: string) => {
    const found = await reader.read(project.uid, walletId);
    if (found === null) throw new Error(`There is no wallet ${walletId}.`);
    return found;
  };
  const ledger = await addLedger({ ledgerId: 'main' });
  const caller = await addCaller('owner');
  return {
    store,
    auth,
    registry,
    masterKey,
    signers,
    vault,
    wallets,
    ledgers,
    chain,
    project,
    other,
    systemUid,
    ledger,
    caller,
    lines,
    clock,
    addCaller,
    addLedger,
    secondVault,
    row,
    async wallet(walletId, parameters = {}, principal = caller) {
      const pluginParameters = secrets({ walletPassword: password, ...parameters });
      await wallets.create(principal, { walletId, ledgerId: 'main', pluginParameters });
      return await row(walletId);
    },
  };
}
