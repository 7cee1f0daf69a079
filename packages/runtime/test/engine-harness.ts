import { createECDH, randomBytes, randomUUID } from 'node:crypto';
import type { AdapterDefinition, JsonObject, ResolvedOperation } from '@ledger-ops/adapter';
import { sign } from '@ledger-ops/adapter/signing';
import { createMemoryLedger, type MemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import { createMasterKey } from '@ledger-ops/base';
import type { LedgerRecord } from '@ledger-ops/registry';
import type { Store } from '@ledger-ops/store';
import { receiverParty } from '../src/actions/send.ts';
import { createEngine, type Engine } from '../src/engine/engine.ts';
import { jointKey, notNamed } from '../src/keys/joint-key.ts';
import type { Vault, WalletKey } from '../src/keys/types.ts';
import { createLedgers } from '../src/ledgers.ts';
import type { Log } from '../src/log.ts';
import type { OpenLedger } from '../src/open-ledger.ts';
import { createPluginLoader, type PluginLoader, type PluginLoaderOptions } from '../src/plugins/loader.ts';
import type { PluginLimits } from '../src/plugins/open-plugin.ts';
import { type GrantedRow, type SealedGrant, sealGrant } from '../src/rows/attempts/signing-grant.ts';
import { chainIdOf, shardOf } from '../src/rows/chains/chain-key.ts';
import type { Faults } from '../src/rows/faults.ts';
import type { Timing } from '../src/timing.ts';
import { Killed } from './crashing-store.ts';

/** A wallet of a test: its key is known, so that the engine alone is what is tested. */
export interface TestWallet {
  uid: string;
  address: string;
  privateKey: Uint8Array;
}

export interface EngineHarness {
  engine: Engine;
  store: Store;
  ledger: MemoryLedger;
  plugins: PluginLoader;
  /** The ledger, as the engine has it open. */
  opened(): Promise<OpenLedger>;
  log: string[];
  wallet(funds?: bigint): Promise<TestWallet>;
  /** Accepts an operation; answers the action id. */
  send(wallet: TestWallet, operation?: ResolvedOperation, options?: SendOptions): Promise<string>;
  /** Signs replacements of an action at this sequence. */
  grant(wallet: TestWallet, actionId: string, sequence: number): Promise<SealedGrant>;
  /** @param actionId its own, or the one that was chosen for it */
  status(actionId: string): Promise<ActionState>;
  /** Has an action's deadline lie in the past, however long it took to get here. */
  passDeadline(actionId: string): Promise<void>;
  /** Waits for the ends of actions. */
  ended(actionIds: readonly string[]): Promise<ActionState[]>;
}

export interface SendOptions {
  dependencies?: string[];
  deadline?: number;
  actionId?: string;
  pluginId?: string;
  /** Default: the harness's. */
  ledgerUid?: string;
  /** Accepted unsigned, as what has still to be estimated is. */
  unsigned?: boolean;
  /** Canonical text that is stored; default: an empty one. */
  operation?: string;
  /** Wallets that sign beside the sender's. */
  others?: readonly TestWallet[];
}

export interface ActionState {
  id: string;
  status: string;
  stage: string;
  locator: string | null;
  problem: string | null;
  waiting: string | null;
}

export interface HarnessOptions {
  store: Store;
  ledger?: MemoryLedger;
  /** Default: the memory ledger's. */
  adapter?: AdapterDefinition;
  properties?: LedgerRecord['properties'];
  faults?: Faults;
  /** Instead of those in `quick`. */
  timing?: Partial<Timing>;
  ledgerUid?: string;
  /** More ledgers, by their uids, with their adapters. */
  others?: ReadonlyMap<string, AdapterDefinition>;
  /** Uids of ledgers that are not there any more. */
  deleted?: ReadonlySet<string>;
  /** Plugins by their records instead of the adapter of a ledger in this process. */
  records?: PluginLoaderOptions['records'];
  limits?: PluginLimits;
  /** Address of the ledger's node, for plugins in processes of their own. */
  nodeUri?: string;
  /** Milliseconds that a replaced session stays open. */
  grace?: number;
  /** The server's clock; default: the real one, which is the database's too. */
  now?: () => number;
}

/** The product's waits between two tries, a tenth as long; how long a ledger has to show something is the product's. */
const quick: Partial<Timing> = {
  lease: 3_000,
  reopen: { first: 100, longest: 1_000 },
  signAgain: { first: 100, longest: 1_000 },
  confirmAgain: { first: 50, longest: 1_000 },
  idleConfirm: 250,
  resend: 300,
  resendLost: { first: 100, longest: 6_400 },
  historyPause: 50,
  historyAgain: 500,
};

const running: (() => Promise<void>)[] = [];

/** Ends every engine of the test; to be called in `afterEach`, before the stores close. */
export async function stopEngines(): Promise<void> {
  for (const stop of running.splice(0)) await stop();
}

const master = createMasterKey(randomBytes(32));

/** The grant is the real sealing under a master key. */
const vault: Vault = {
  unlock: () => Promise.reject(new Error('The engine does not unlock.')),
  sealGrant(key, binding) {
    return master.seal(keys.get(key) ?? new Uint8Array(), JSON.stringify(binding));
  },
  openGrant: (sealed, _type, binding) => walletKey(master.open(sealed, JSON.stringify(binding))),
  sealText: (text, binding) => master.seal(Buffer.from(text), JSON.stringify(['text', binding])),
  openText: (sealed, binding) =>
    Buffer.from(master.open(sealed, JSON.stringify(['text', binding]))).toString(),
};

const keys = new WeakMap<WalletKey, Uint8Array>();

function walletKey(privateKey: Uint8Array): WalletKey {
  const key: WalletKey = {
    sign: (requests) =>
      requests.map((request) => {
        if (request.signer !== undefined) throw notNamed();
        return sign('secp256k1', privateKey, request);
      }),
    destroy: () => {},
  };
  keys.set(key, privateKey);
  return key;
}

export function transfer(recipient: string, amount = 1n): ResolvedOperation {
  return { type: 'transfer', recipient, amount, native: { technology: 'ethereum', content: {} } };
}

export async function startEngine(options: HarnessOptions): Promise<EngineHarness> {
  const { store } = options;
  const ledger = options.ledger ?? createMemoryLedger();
  const lines: string[] = [];
  const log: Log = (level, event, fields) => lines.push(`${level} ${event} ${JSON.stringify(fields ?? {})}`);
  const uid = options.ledgerUid ?? 'ledger';
  const record: LedgerRecord = {
    uid,
    id: 1,
    ledgerId: uid,
    projectUid: null,
    name: uid,
    technology: 'ethereum',
    active: true,
    properties: options.properties ?? {},
    nodes: [{ uid: 'node', nodeId: 'node', name: 'node', uri: options.nodeUri ?? 'memory:', client: null }],
    revision: 1,
  };
  const plugins = createPluginLoader({
    builtIn:
      options.records === undefined
        ? [
            options.adapter ?? memoryAdapter(ledger, { technology: 'ethereum' }),
            ...(options.others?.values() ?? []),
          ]
        : [],
    ...(options.records === undefined ? {} : { records: options.records }),
    limits: {
      ...options.limits,
      timing: { restart: { first: 20, longest: 30_000 }, ...options.limits?.timing },
    },
    log,
    now: Date.now,
  });
  const ledgers = createLedgers({
    registry: {
      async ledgerByUid(wanted) {
        if (options.deleted?.has(wanted) === true) return null;
        const other = options.others?.get(wanted);
        if (other === undefined) return record;
        const properties = { ...record.properties, plugin_tags: [other.name] };
        return { ...record, uid: wanted, ledgerId: wanted, properties };
      },
    },
    plugins,
    outbound: { open: ['127.0.0.1'] },
    log,
    now: Date.now,
    ...(options.grace === undefined ? {} : { grace: options.grace }),
  });
  const engine = createEngine({
    store,
    vault,
    ledgers,
    register: async () => null,
    log,
    now: options.now ?? Date.now,
    ...(options.faults === undefined ? {} : { faults: options.faults }),
    timing: { ...quick, ...options.timing },
  });
  await engine.start();
  running.push(async () => {
    await engine.stop().catch((error: unknown) => {
      if (!(error instanceof Killed)) throw error;
    });
    await ledgers.close();
    await plugins.close();
  });

  async function wallet(funds = 10n ** 18n): Promise<TestWallet> {
    const privateKey = randomBytes(32);
    const ecdh = createECDH('secp256k1');
    ecdh.setPrivateKey(privateKey);
    const publicKey = ecdh.getPublicKey(null, 'compressed');
    const { session } = await ledgers.open(uid);
    const round = await session.createWallet({ walletId: 'w', publicKey, parameters: {} });
    if (!round.done) throw new Error('The memory ledger makes a wallet in one round.');
    const made = { uid: randomUUID(), address: round.result.address, privateKey };
    if (funds > 0n) ledger.fund(made.address, funds);
    await store.transaction(async (tx) => {
      await tx.db.insert(tx.t.wallet).values({
        uid: made.uid,
        projectId: 'project',
        walletId: made.uid,
        ledgerUid: uid,
        ledgerId: uid,
        chainId: ledger.identity.id,
        address: made.address,
        material: null,
        keyType: 'secp256k1',
        publicKey,
        sealedSecret: new Uint8Array(1),
        sealedDataKey: new Uint8Array(1),
        kdf: '{}',
        keyVersion: 1,
        createdBy: 'test',
        createdAt: Date.now(),
        updatedAt: Date.now(),
      });
    });
    return made;
  }

  async function send(from: TestWallet, operation = transfer(from.address), more: SendOptions = {}) {
    const { ledgerUid = uid } = more;
    const open = await ledgers.open(
      ledgerUid,
      more.pluginId === undefined ? {} : { pluginId: more.pluginId },
    );
    const chain = await engine.open(open);
    const id = randomUUID();
    const identity = { address: from.address };
    const others = (more.others ?? []).map(({ uid, address, privateKey }) => ({
      ...{ walletUid: uid, wallet: { address }, key: walletKey(privateKey) },
    }));
    const named = others.length === 0 ? {} : { others: others.map(({ wallet }) => wallet) };
    const checked = await open.session.check({ wallet: identity, ...named, operation });
    const shard = shardOf(from.address);
    const plan: JsonObject = checked.plan;
    await chain.accept({
      key: jointKey(walletKey(from.privateKey), others),
      ready: checked.readiness === 'ready' && more.unsigned !== true,
      wallet: identity,
      plan,
      secret: checked.secret,
      action: {
        id,
        projectId: 'project',
        appId: 'app',
        caller: 'caller',
        walletUid: from.uid,
        walletId: from.uid,
        ledgerUid,
        ledgerId: ledgerUid,
        chain: chain.chain,
        plugin: open.pluginUid,
        shard,
        address: from.address,
        intent: '',
        tag: null,
        context: null,
        trace: null,
        operation: more.operation ?? '{}',
        plan: JSON.stringify(plan),
        cost: checked.cost,
        sequence: null,
        deadline: more.deadline ?? Date.now() + 3_600_000,
        createdAt: Date.now(),
        dependencies: more.dependencies ?? [],
        receivers: checked.recipients.map((a) => receiverParty(chainIdOf(chain.chain), a)),
        givenId: more.actionId ?? null,
        registration: null,
        claim: null,
        overrides: null,
      },
    });
    return id;
  }

  async function grant({ privateKey }: TestWallet, actionId: string, sequence: number) {
    const [row] = await store.read.all<GrantedRow & Record<string, string>>(
      'SELECT id, wallet_uid, ledger_uid, operation, plan FROM action WHERE id = $1',
      [actionId],
    );
    if (row === undefined) throw new Error(`There is no action ${actionId}.`);
    return sealGrant(vault, row, { key: walletKey(privateKey), secret: undefined }, sequence);
  }

  async function status(actionId: string): Promise<ActionState> {
    const [row] = await store.read.all<{
      id: string;
      status: string;
      stage: string;
      locator: string | null;
      problem: string | null;
      waiting: string | null;
    }>('SELECT id, status, stage, locator, problem, waiting FROM action WHERE id = $1 OR given_id = $1', [
      actionId,
    ]);
    if (row === undefined) throw new Error(`There is no action ${actionId}.`);
    return row;
  }

  async function passDeadline(actionId: string): Promise<void> {
    await store.transaction((tx) => tx.run('UPDATE action SET deadline = 1 WHERE id = $1', [actionId]));
  }

  function ended(actionIds: readonly string[]): Promise<ActionState[]> {
    return new Promise((resolve, reject) => {
      const look = async () => {
        const states = await Promise.all(actionIds.map(status));
        if (states.some((state) => state.status === 'PENDING')) return;
        stop();
        clearInterval(timer);
        resolve(states);
      };
      const run = () => {
        look().catch(reject);
      };
      const stop = engine.onChange(run);
      // Another engine on the same database may be the one that ends it.
      const timer = setInterval(run, 200);
      run();
    });
  }

  const opened = () => ledgers.open(uid);
  return {
    ...{ engine, store, ledger, plugins, opened, log: lines },
    ...{ wallet, send, grant, status, passDeadline, ended },
  };
}
