import { createECDH, randomBytes, randomUUID } from 'node:crypto';
import type { AdapterDefinition, JsonObject, ResolvedOperation } from '@ledger-ops/adapter';
import { sign } from '@ledger-ops/adapter/signing';
import { createMemoryLedger, type MemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import { createMasterKey } from '@ledger-ops/base';
import type { LedgerRecord } from '@ledger-ops/registry';
import type { Store } from '@ledger-ops/store';
import { receiverParty } from '../src/actions/send.ts';
import { Engine } from '../src/engine/engine.ts';
import type { Acceptance } from '../src/engine/signing/accept.ts';
import type { Tracker } from '../src/engine/tracking/tracker.ts';
import { ActionSigner, notNamed, type Signer } from '../src/keys/signer.ts';
import type { GrantVault } from '../src/keys/vault.ts';
import { Ledgers } from '../src/ledgers.ts';
import type { Log } from '../src/log.ts';
import type { OpenLedger } from '../src/open-ledger.ts';
import { PluginLoader, type PluginLoaderOptions } from '../src/plugins/loader.ts';
import type { PluginLimits } from '../src/plugins/open-plugin.ts';
import { type GrantedRow, type SealedGrant, sealGrant } from '../src/rows/attempts/signing-grant.ts';
import { chainIdOf, chainKey, shardOf } from '../src/rows/chains/chain-key.ts';
import { coSignerParty } from '../src/rows/co-signers.ts';
import type { Faults } from '../src/rows/faults.ts';
import type { Timing } from '../src/timing.ts';
import { beginExclusive } from '../src/wallets/known-history.ts';
import { Killed } from './crashing-store.ts';

/** A wallet whose private key the test knows, so that only the engine is tested, not the vault. */
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
  /** Returns the ledger that the engine has opened. */
  opened(): Promise<OpenLedger>;
  log: string[];
  wallet(funds?: bigint): Promise<TestWallet>;
  /** Makes a wallet shared (not exclusive), so that a test can sign with its key. */
  share(wallet: TestWallet): Promise<void>;
  /** Accepts an operation and returns the action id. */
  send(wallet: TestWallet, operation?: ResolvedOperation, options?: SendOptions): Promise<string>;
  /** Prepares an operation for `engine.accept` or `engine.acceptBatch`. */
  prepare(
    wallet: TestWallet,
    operation?: ResolvedOperation,
    options?: SendOptions,
  ): Promise<Acceptance & { readonly tracker: Tracker }>;
  /** Seals a grant to sign replacements of an action with this sequence. */
  grant(wallet: TestWallet, actionId: string, sequence: number): Promise<SealedGrant>;
  /** @param actionId the id from the service, or the one that the caller chose */
  status(actionId: string): Promise<ActionState>;
  /** Moves an action's deadline into the past. */
  passDeadline(actionId: string): Promise<void>;
  /** Waits until the actions are final. */
  ended(actionIds: readonly string[]): Promise<ActionState[]>;
}

export interface SendOptions {
  dependencies?: string[];
  deadline?: number;
  actionId?: string;
  pluginId?: string;
  /** Default: the harness's ledger. */
  ledgerUid?: string;
  /** Whether the action is accepted unsigned, as if it needed an estimate first. */
  unsigned?: boolean;
  /** Canonical text of the operation that is stored; default: an empty text. */
  operation?: string;
  /** Co-signing wallets. */
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
  /** Default: the memory ledger's adapter. */
  adapter?: AdapterDefinition;
  properties?: LedgerRecord['properties'];
  faults?: Faults;
  /** Values that replace those of `quick`. */
  timing?: Partial<Timing>;
  ledgerUid?: string;
  /** Whether wallets are exclusive. Default: true. Set it to false if the test signs with their keys. */
  exclusive?: boolean;
  /** Adapters of further ledgers, by ledger uid. */
  others?: ReadonlyMap<string, AdapterDefinition>;
  /** Uids of deleted ledgers. */
  deleted?: ReadonlySet<string>;
  /** Plugin records; if present, they are used instead of the adapters in this process. */
  records?: PluginLoaderOptions['records'];
  limits?: PluginLimits;
  /** Address of the ledger's node, for plugins in separate processes. */
  nodeUri?: string;
  /** Time in milliseconds for which a replaced session stays open. */
  grace?: number;
  /** Whether the database was certainly not restored to an earlier state. Default: true. */
  isCurrent?: boolean;
  /** The server's clock. Default: the system's clock, which the database also uses. */
  now?: () => number;
}

/**
 * Delays between retries are a tenth of the defaults. The replacement interval of unmined transactions is the default.
 */
const quick: Partial<Timing> = {
  lease: 3_000,
  reopen: { first: 100, longest: 1_000 },
  signAgain: { first: 100, longest: 1_000 },
  compareIdle: 25,
  compareIdleAgain: { first: 100, longest: 1_000 },
  confirmAgain: { first: 50, longest: 1_000 },
  idleConfirm: 250,
  resend: 300,
  resendLost: { first: 100, longest: 6_400 },
  historyPause: 50,
  historyLookup: 1_000,
  historyAgain: 500,
};

const running: (() => Promise<void>)[] = [];

/** Returns why the harness's ledger is unavailable; undefined if it is available. */
export function reasonOf({ engine }: EngineHarness): string | undefined {
  return engine.unavailableReason('ledger', 'built-in:memory', { isSigned: true })?.reason;
}

/** Stops all engines of the test. Call this in `afterEach`, before the stores are closed. */
export async function stopEngines(): Promise<void> {
  for (const stop of running.splice(0)) await stop();
}

const master = createMasterKey(randomBytes(32));

/** Seals grants with a master key, as the real vault does. */
const vault: GrantVault = {
  sealGrant: (signer, binding) => master.seal(signer.reference(), JSON.stringify(binding)),
  openGrant: (sealed, _type, binding) => signerOf(master.open(sealed, JSON.stringify(binding))),
  sealText: (text, binding) => master.seal(Buffer.from(text), JSON.stringify(['text', binding])),
  openText: (sealed, binding) =>
    Buffer.from(master.open(sealed, JSON.stringify(['text', binding]))).toString(),
};

function signerOf(privateKey: Uint8Array): Signer {
  return {
    sign: async (requests) =>
      requests.map((request) => {
        if (request.signer !== undefined) throw notNamed();
        return sign('secp256k1', privateKey, request);
      }),
    reference: () => Uint8Array.from(privateKey),
    destroy: () => {},
  };
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
  const plugins = new PluginLoader({
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
  const ledgers = new Ledgers({
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
  const engine = new Engine({
    store,
    vault,
    ledgers,
    register: async () => null,
    log,
    now: options.now ?? Date.now,
    ...(options.isCurrent === undefined ? {} : { isCurrent: options.isCurrent }),
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
    if (!round.done) throw new Error('Expected the memory ledger to create a wallet in one round.');
    const made = { uid: randomUUID(), address: round.result.address, privateKey };
    if (funds > 0n) ledger.fund(made.address, funds);
    const chain = chainKey(ledger.identity, 0);
    await store.transaction(async (tx) => {
      const known =
        ledger.sequence === 'account' ? { chain, next: 0 } : { chain, height: ledger.head.height };
      if (options.exclusive !== false)
        await beginExclusive(tx, { ...made, chainId: chainIdOf(chain) }, known);
      await tx.db.insert(tx.t.wallet).values({
        uid: made.uid,
        projectId: 'project',
        walletId: made.uid,
        ledgerUid: uid,
        ledgerId: uid,
        chainId: ledger.identity.id,
        address: made.address,
        material: null,
        exclusive: options.exclusive === false ? 0 : 1,
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

  async function share({ uid }: TestWallet): Promise<void> {
    await store.transaction((tx) => tx.run('UPDATE wallet SET exclusive = 0 WHERE uid = $1', [uid]));
  }

  async function send(from: TestWallet, operation = transfer(from.address), more: SendOptions = {}) {
    const { tracker, ...acceptance } = await prepare(from, operation, more);
    await engine.accept(tracker, acceptance);
    return acceptance.action.id;
  }

  async function prepare(from: TestWallet, operation = transfer(from.address), more: SendOptions = {}) {
    const { ledgerUid = uid } = more;
    const open = await ledgers.open(
      ledgerUid,
      more.pluginId === undefined ? {} : { pluginId: more.pluginId },
    );
    const tracker = await engine.track(open);
    const id = randomUUID();
    const identity = { address: from.address };
    const others = (more.others ?? []).map(({ uid, address, privateKey }) => ({
      ...{ walletUid: uid, wallet: { address }, signer: signerOf(privateKey) },
    }));
    const named = others.length === 0 ? {} : { others: others.map(({ wallet }) => wallet) };
    const checked = await open.session.check({ wallet: identity, ...named, operation });
    const shard = shardOf(from.address);
    const plan: JsonObject = checked.plan;
    return {
      tracker,
      signer: new ActionSigner(signerOf(from.privateKey), others),
      ready: checked.readiness === 'ready' && more.unsigned !== true,
      wallet: identity,
      plan,
      secret: checked.secret,
      action: {
        id,
        organizationUid: 'organization',
        projectId: 'project',
        appId: 'app',
        caller: 'caller',
        walletUid: from.uid,
        walletId: from.uid,
        ledgerUid,
        ledgerId: ledgerUid,
        chain: tracker.chain,
        plugin: open.pluginUid,
        shard,
        address: from.address,
        intent: '',
        tag: null,
        context: null,
        trace: null,
        operation: more.operation ?? '{}',
        plan: JSON.stringify(plan),
        privateBytes: checked.secret === undefined ? 0 : JSON.stringify(checked.secret).length,
        cost: checked.cost,
        sequence: null,
        deadline: more.deadline ?? Date.now() + 3_600_000,
        createdAt: Date.now(),
        dependencies: more.dependencies ?? [],
        receivers: [
          ...checked.recipients.map((a) => receiverParty(chainIdOf(tracker.chain), a)),
          ...(more.others ?? []).map((one) =>
            coSignerParty(one.uid, checked.recipients.includes(one.address)),
          ),
        ],
        givenId: more.actionId ?? null,
        registration: null,
        claim: null,
        request: null,
        overrides: null,
      },
    };
  }

  async function grant({ privateKey }: TestWallet, actionId: string, sequence: number) {
    const [row] = await store.read.all<GrantedRow & Record<string, string>>(
      'SELECT id, wallet_uid, ledger_uid, operation, plan FROM action WHERE id = $1',
      [actionId],
    );
    if (row === undefined) throw new Error(`There is no action ${actionId}.`);
    return sealGrant(
      vault,
      row,
      { signer: new ActionSigner(signerOf(privateKey)), secret: undefined },
      sequence,
    );
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
        resolve(states);
      };
      const run = () => {
        look().catch((error) => {
          stop();
          reject(error);
        });
      };
      const forget = engine.onChange(run);
      const stop = () => {
        forget();
        clearInterval(timer);
      };
      // The action is also read periodically: if another engine on the same database completes it, this engine reports
      // no change.
      const timer = setInterval(run, 200);
      run();
    });
  }

  const opened = () => ledgers.open(uid);
  return {
    ...{ engine, store, ledger, plugins, opened, log: lines },
    ...{ wallet, share, send, prepare, grant, status, passDeadline, ended },
  };
}
