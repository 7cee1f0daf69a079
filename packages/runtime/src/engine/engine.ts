import { randomUUID } from 'node:crypto';
import { AdapterError } from '@ledger-ops/adapter';
import { unpackActivities } from '@ledger-ops/auth';
import { Problem } from '@ledger-ops/base';
import type { Store, Tx } from '@ledger-ops/store';
import { problemFrom } from '../adapter-problem.ts';
import type { Ledgers, Log, OpenLedger, Vault } from '../types.ts';
import type { Acceptance } from './accept-now.ts';
import { shardOf } from './chain-key.ts';
import { type ChainWorker, createChainWorker } from './chain-worker.ts';
import type { Faults } from './faults.ts';
import { sealGrant } from './grant.ts';
import { insertActions } from './insert-actions.ts';
import type { LedgerLine } from './ledger-line.ts';
import { createLines } from './lines.ts';
import type { NewAction } from './model.ts';
import { prune } from './prune.ts';
import { acceptedRow } from './ready-rows.ts';
import type { RegisterDeployed } from './registrations.ts';
import { createSettling } from './settling.ts';
import { whyUnmined } from './why-unmined.ts';
import { Moved, recordWish, type Wished, type WishRequest } from './wish-rows.ts';

/** Milliseconds between two looks for changes of plugins and ledgers. */
const renewInterval = 500;

/** Executes accepted actions: signs, sends, confirms, and goes on from the rows after any crash. */
export interface Engine {
  /** The key of a ledger's chain. Opens the ledger's line on first use. @throws Problem `ledger-unavailable` */
  chainOf(open: OpenLedger): Promise<string>;
  /** What an account of the ledger holds. @throws Problem */
  balance(open: OpenLedger, address: string, cost: bigint): Promise<bigint>;
  /** Durable once it resolves. Destroys the key. @throws Problem */
  accept(open: OpenLedger, acceptance: Acceptance): Promise<void>;
  /**
   * Cancels what is not signed, at once; of what is signed it keeps the wish, which the server that has its lane does.
   * Durable once it resolves.
   */
  wish(request: WishRequest, answer: (tx: Tx, wished: Wished) => Promise<void>): Promise<Wished>;
  onChange(listener: (actionIds: readonly string[]) => void): () => void;
  /** What is known of why a signed action is not on its ledger, in sentences, if this server sends it. */
  whyUnmined(actionId: string): string[];
  /** Why a ledger cannot be followed at present, with the plugin of an action; null when it can. */
  trouble(ledgerUid: string, plugin: string | null): string | null;
  start(): Promise<void>;
  stop(): Promise<void>;
  health(): string[];
  warnings(): string[];
}

export interface EngineOptions {
  store: Store;
  vault: Vault;
  ledgers: Ledgers;
  /** Registers what a deployment put on the ledger. */
  register: RegisterDeployed;
  log: Log;
  now: () => number;
  faults?: Faults;
  /** Milliseconds; default 15,000. */
  leaseDuration?: number;
}

export function createEngine(options: EngineOptions): Engine {
  const { store, vault, ledgers, register, log, now } = options;
  const faults = options.faults ?? (() => {});
  const leaseDuration = options.leaseDuration ?? 15_000;
  const owner = randomUUID();
  const workers = new Map<string, Promise<ChainWorker>>();
  const closers: (() => void)[] = [];
  const timers: NodeJS.Timeout[] = [];
  const background = new Set<Promise<unknown>>();
  let stopped = false;

  const announce = (ids: readonly string[]) => {
    for (let at = 0; at < ids.length; at += 200) store.notify('actions', ids.slice(at, at + 200).join(','));
  };

  function own(work: Promise<unknown>, event: string): void {
    const owned: Promise<unknown> = work
      .catch((error: unknown) => log('warn', event, { detail: problemFrom(error).message }))
      .finally(() => background.delete(owned));
    background.add(owned);
  }

  const settling = createSettling({
    store,
    vault,
    register,
    faults,
    log,
    now,
    workerFor,
    announce,
    wakeChain,
  });
  const lines = createLines({ store, ledgers, settling, faults, log, now, workerFor, announce, own });

  function workerFor(chain: string): Promise<ChainWorker> {
    let worker = workers.get(chain);
    if (worker === undefined) {
      worker = openWorker(chain);
      workers.set(chain, worker);
      worker.catch(() => workers.delete(chain));
    }
    return worker;
  }

  async function openWorker(chain: string): Promise<ChainWorker> {
    const worker = createChainWorker({
      store,
      vault,
      chain,
      owner,
      leaseDuration,
      alone: store.dialect === 'sqlite',
      faults,
      log,
      now,
      announce,
      wakeChain,
    });
    await worker.renew();
    return worker;
  }

  function tell(chain: string, what: (worker: ChainWorker) => void): void {
    const worker = workers.get(chain);
    if (worker !== undefined) own(worker.then(what), 'lanes.wake');
  }

  function wakeChain(chain: string): void {
    store.notify('lanes', chain);
  }

  async function accept(open: OpenLedger, acceptance: Acceptance): Promise<void> {
    const { key } = acceptance;
    const action: NewAction = { ...acceptance.action, plugin: open.pluginUid };
    try {
      const line = await lines.of(open);
      const worker = await workerFor(line.chain);
      const signed = await worker.acceptSigned({ ...acceptance, action }, line).catch((error: unknown) => {
        throw error instanceof AdapterError ? problemFrom(error) : error;
      });
      if (!signed) {
        await worker.checkDemand(acceptance, line);
        await acceptUnsigned(action, acceptance, line, worker);
      }
    } finally {
      key.destroy();
    }
  }

  async function acceptUnsigned(
    action: NewAction,
    { key, sign, ready }: Acceptance,
    line: LedgerLine,
    worker: ChainWorker,
  ): Promise<void> {
    const row = acceptedRow(action, line.open.definition.keyType);
    const grant = sealGrant(vault, row, { key, secret: sign.secret });
    faults('accept:before-commit');
    const { promise: stored, resolve: tellStored } = Promise.withResolvers<boolean>();
    // What nothing else is waited for is prepared while it is stored: only proposals leave this server before that.
    const alone = action.dependencies.length === 0;
    const taken =
      alone && worker.take(line, { row: { ...row, ...grant }, wallet: sign.wallet, ready, stored });
    const stages = await store
      .transaction(async (tx) => {
        // The grant first: a dependency that has failed already erases it again.
        await tx.insertMany(
          'action_grant',
          ['action_id', 'sealed', 'secret'],
          [[action.id, grant.sealed, grant.secret]],
        );
        return insertActions(tx, [action], 'ready');
      })
      .catch((error: unknown) => {
        tellStored(false);
        throw firstProblem(error) ?? error;
      });
    faults('accept:after-commit');
    const isReady = stages.get(action.id) === 'ready';
    tellStored(isReady);
    announce([action.id]);
    if (isReady && !taken) wakeChain(action.chain);
  }

  async function wish(
    request: WishRequest,
    answer: (tx: Tx, wished: Wished) => Promise<void>,
  ): Promise<Wished> {
    faults('wish:before-commit');
    const wished = await store
      .transaction(async (tx) => {
        const made = await recordWish(tx, request);
        if (made.status !== 'moved') await answer(tx, made);
        return made;
      })
      .catch((error: unknown): Wished => {
        if (error instanceof Moved) return { status: 'moved' };
        throw error;
      });
    faults('wish:after-commit');
    if (wished.status === 'ended') {
      announce(wished.settled.ended);
      for (const chain of wished.settled.wake) wakeChain(chain);
    } else if (wished.status === 'wished') {
      announce([request.actionId]);
      store.notify('wishes', wished.chain);
    }
    return wished;
  }

  async function tick(): Promise<void> {
    const at = await store.now();
    for (const pending of [...workers.values()]) {
      const worker = await pending;
      await worker.expire(at);
      worker.wake();
      worker.wish();
    }
  }

  async function forget(): Promise<void> {
    // So that whoever reads the timeline next need not wait for it.
    await unpackActivities(store);
    await prune(store);
  }

  /** Runs again and again, never twice at once. */
  function every(milliseconds: number, work: () => Promise<void>, event: string): void {
    let busy = false;
    const timer = setInterval(() => {
      if (busy || stopped) return;
      busy = true;
      own(
        work().finally(() => {
          busy = false;
        }),
        event,
      );
    }, milliseconds);
    timers.push(timer);
  }

  return {
    async chainOf(open) {
      return (await lines.of(open)).chain;
    },
    async balance(open, address, cost) {
      const line = await lines.of(open);
      const worker = await workerFor(line.chain);
      return worker.balance(line, address, shardOf(address), cost).catch((error: unknown) => {
        throw problemFrom(error);
      });
    },
    accept,
    wish,
    onChange(listener) {
      return store.listen('actions', (payload) => listener(payload.split(',')));
    },
    whyUnmined(actionId) {
      for (const { live } of lines.running()) {
        const action = live.get(actionId);
        if (action !== undefined) return whyUnmined(action, live.values());
      }
      return [];
    },
    trouble(ledgerUid, plugin) {
      for (const one of lines.unreached.all())
        if (one.ledgerUid === ledgerUid && one.plugin === plugin) return one.why;
      for (const line of lines.running()) {
        const { record, pluginUid } = line.open;
        const serves = plugin === null || plugin === pluginUid || line.adopted.has(plugin);
        if (record.uid === ledgerUid && serves) return line.trouble();
      }
      return null;
    },
    async start() {
      closers.push(
        store.listen('lanes', (chain) => tell(chain, (worker) => worker.wake())),
        store.listen('wishes', (chain) => tell(chain, (worker) => worker.wish())),
      );
      await lines.resume();
      every(1_000, tick, 'engine.tick');
      every(renewInterval, lines.renew, 'engine.renew');
      every(
        leaseDuration / 3,
        async () => {
          for (const worker of [...workers.values()]) await (await worker).renew();
          await lines.resume();
        },
        'lanes.renew',
      );
      every(60_000, forget, 'engine.prune');
    },
    async stop() {
      stopped = true;
      for (const timer of timers) clearInterval(timer);
      for (const close of closers) close();
      await Promise.all([...background]);
      const open = await Promise.allSettled([...workers.values()]);
      for (const worker of open) if (worker.status === 'fulfilled') await worker.value.stop();
      await lines.stop();
    },
    health() {
      const troubles = [...lines.running()].flatMap((line) => {
        const trouble = line.trouble();
        return trouble === null ? [] : [`${line.open.record.ledgerId}: ${trouble}`];
      });
      const unreached = [...lines.unreached.all()].map(({ ledgerId, why }) => `${ledgerId}: ${why}`);
      return [...new Set([...troubles, ...unreached])];
    },
    warnings() {
      const all = [...lines.running()].flatMap((line) =>
        line.warnings().map((warning) => `${line.open.record.ledgerId}: ${warning}`),
      );
      return [...new Set(all)];
    },
  };
}

function firstProblem(error: unknown): Problem | null {
  if (error instanceof Error && 'problems' in error && error.problems instanceof Map) {
    for (const problem of error.problems.values()) if (problem instanceof Problem) return problem;
  }
  return null;
}
