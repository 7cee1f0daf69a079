import { randomUUID } from 'node:crypto';
import { AdapterError, type ChainIdentity, type Cursor, type Outcome } from '@ledger-ops/adapter';
import { Problem, type ProblemDocument } from '@ledger-ops/base';
import type { Store } from '@ledger-ops/store';
import { problemFrom } from '../adapter-problem.ts';
import type { Ledgers, Log, OpenLedger, Vault } from '../types.ts';
import { chainBase, chainKey, shardOf } from './chain-key.ts';
import { type Acceptance, type ChainWorker, createChainWorker } from './chain-worker.ts';
import type { Faults } from './faults.ts';
import { insertActions, settle } from './journal.ts';
import { createLedgerLine, type LedgerLine } from './ledger-line.ts';
import { readLost } from './lost-history.ts';
import { failure, type NewAction } from './model.ts';
import { judgeOutcomes } from './outcomes.ts';
import { grantText } from './ready-queue.ts';

/** Blocks between two writes of a ledger's mark when nothing is settled. */
const markEvery = 32;
/** Signed bytes are kept this long after their action's end, in case the chain loses history. */
const keepBytes = 3_600_000;

/** Executes accepted actions: signs, sends, confirms, and goes on from the rows after any crash. */
export interface Engine {
  /** The key of a ledger's chain. Opens the ledger's line on first use. @throws Problem `ledger-unavailable` */
  chainOf(open: OpenLedger): Promise<string>;
  /** What an account of the ledger holds. @throws Problem */
  balance(open: OpenLedger, address: string, cost: bigint): Promise<bigint>;
  /** Durable once it resolves. Destroys the key. @throws Problem */
  accept(open: OpenLedger, acceptance: Acceptance): Promise<void>;
  onChange(listener: (actionIds: readonly string[]) => void): () => void;
  /** What a node last said against a signed action, if this server sends it. */
  complaint(actionId: string): string | null;
  start(): Promise<void>;
  stop(): Promise<void>;
  health(): string[];
}

export interface EngineOptions {
  store: Store;
  vault: Vault;
  ledgers: Ledgers;
  log: Log;
  now: () => number;
  faults?: Faults;
  /** Milliseconds; default 15,000. */
  leaseDuration?: number;
}

export function createEngine(options: EngineOptions): Engine {
  const { store, vault, ledgers, log, now } = options;
  const faults = options.faults ?? (() => {});
  const leaseDuration = options.leaseDuration ?? 15_000;
  const owner = randomUUID();
  const workers = new Map<string, Promise<ChainWorker>>();
  const lines = new Map<string, { open: OpenLedger; line: Promise<LedgerLine> }>();
  const openLines = new Set<LedgerLine>();
  const marks = new Map<LedgerLine, number>();
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

  function wakeChain(chain: string): void {
    store.notify('lanes', chain);
  }

  async function resetsOf(base: string): Promise<number> {
    const [row] = await store.read.all<{ resets: number }>(
      'SELECT resets FROM chain_reset WHERE chain = $1',
      [base],
    );
    return row?.resets ?? 0;
  }

  async function lineFor(open: OpenLedger): Promise<LedgerLine> {
    const uid = open.record.uid;
    const known = lines.get(uid);
    if (known !== undefined && known.open === open) return known.line;
    const line = openLine(open, known?.line);
    lines.set(uid, { open, line });
    line.catch(() => {
      if (lines.get(uid)?.line === line) lines.delete(uid);
    });
    return line;
  }

  async function openLine(open: OpenLedger, former: Promise<LedgerLine> | undefined): Promise<LedgerLine> {
    const identity = await open.chain().catch((error: unknown) => {
      throw problemFrom(error);
    });
    const previous = await former?.catch(() => undefined);
    if (previous !== undefined) await closeLine(previous);
    const chain = chainKey(identity, await resetsOf(chainBase(identity)));
    return startLine(open, chain);
  }

  async function startLine(open: OpenLedger, chain: string): Promise<LedgerLine> {
    const worker = await workerFor(chain);
    await leaveOldChain(open, chain);
    const line = createLedgerLine({
      open,
      chain,
      owner: { settle: settleOutcomes, restore },
      faults,
      log,
      now,
    });
    worker.addLine(line);
    openLines.add(line);
    const [mark] = await store.read.all<{ chain: string; height: number; hash: string }>(
      'SELECT chain, height, hash FROM chain_mark WHERE ledger_uid = $1',
      [open.record.uid],
    );
    line.start(mark !== undefined && mark.chain === chain ? { height: mark.height, hash: mark.hash } : null);
    return line;
  }

  async function closeLine(line: LedgerLine): Promise<void> {
    (await workers.get(line.chain))?.removeLine(line);
    openLines.delete(line);
    await line.stop();
    marks.delete(line);
  }

  /** The ledger is on another chain than its actions: what was signed there is lost, the rest moves over. */
  async function leaveOldChain(open: OpenLedger, chain: string): Promise<void> {
    const ledger = open.record.uid;
    const ended = await store.transaction(async (tx) => {
      const signed = await tx.all<{ id: string }>(
        `SELECT id FROM action WHERE ledger_uid = $1 AND chain <> $2 AND status = 'PENDING' AND stage = 'signed'`,
        [ledger, chain],
      );
      const { ended: ids } = await settle(
        tx,
        signed.map(({ id }) => failure(id, true, chainReset(open.record.ledgerId))),
        now(),
      );
      await tx.run(
        `UPDATE action SET chain = $2, min_height = 0 WHERE ledger_uid = $1 AND chain <> $2 AND status = 'PENDING'`,
        [ledger, chain],
      );
      return ids;
    });
    if (ended.length > 0)
      log('warn', 'chain.reset', { ledgerId: open.record.ledgerId, failed: ended.length });
    announce(ended);
  }

  async function settleOutcomes(
    line: LedgerLine,
    outcomes: readonly Outcome[],
    cursor: Cursor,
  ): Promise<void> {
    const settlements = judgeOutcomes(line, outcomes);
    const marked = marks.get(line);
    const markDue = marked === undefined || cursor.height >= marked + markEvery || cursor.height < marked;
    if (settlements.length === 0 && !markDue) return;
    const worker = await workerFor(line.chain);
    const actions = settlements.flatMap(({ actionId }) => line.live.get(actionId) ?? []);
    if (settlements.length > 0) faults('settle:before-commit');
    const { ended, wake } = await store.transaction(async (tx) => {
      await worker.leases.check(tx, new Set(actions.map(({ shard }) => shard)));
      await tx.run(
        `INSERT INTO chain_mark (ledger_uid, chain, height, hash) VALUES ($1, $2, $3, $4)
          ON CONFLICT (ledger_uid) DO UPDATE SET chain = excluded.chain, height = excluded.height, hash = excluded.hash`,
        [line.open.record.uid, line.chain, cursor.height, cursor.hash],
      );
      return settle(tx, settlements, now());
    });
    if (settlements.length > 0) faults('settle:after-commit');
    marks.set(line, cursor.height);
    line.remove(actions.map(({ id }) => id));
    for (const action of actions) worker.ended(action);
    announce(ended);
    for (const chain of wake) wakeChain(chain);
  }

  /** The chain lost blocks, or is another one. Everything that it may have lost is sent again. */
  async function restore(line: LedgerLine, identity: ChainIdentity): Promise<void> {
    const base = chainBase(identity);
    if (!line.chain.startsWith(base)) {
      replaceLine(line);
      return;
    }
    const worker = await workerFor(line.chain);
    const lost = await readLost(store, line, worker.leases.held());
    if (lost === null) await giveUpChain(line, base);
    else line.resend(lost);
  }

  /** More history was lost than is kept here: what is unfinished has failed, and sequences start anew. */
  async function giveUpChain(line: LedgerLine, base: string): Promise<void> {
    await store.transaction((tx) =>
      tx.run(
        `INSERT INTO chain_reset (chain, resets) VALUES ($1, 1)
          ON CONFLICT (chain) DO UPDATE SET resets = chain_reset.resets + 1`,
        [base],
      ),
    );
    replaceLine(line);
  }

  /** The line's chain is no more: a new line on what the ledger's nodes now serve. */
  function replaceLine(line: LedgerLine): void {
    const uid = line.open.record.uid;
    const known = lines.get(uid);
    const next = (async () => {
      await closeLine(line);
      const identity = await line.open.session.chain();
      return startLine(line.open, chainKey(identity, await resetsOf(chainBase(identity))));
    })();
    if (known !== undefined) lines.set(uid, { open: line.open, line: next });
    next.catch(() => lines.delete(uid));
    own(next, 'chain.replace');
  }

  async function accept(open: OpenLedger, acceptance: Acceptance): Promise<void> {
    const { action, key } = acceptance;
    try {
      const line = await lineFor(open);
      const worker = await workerFor(line.chain);
      const signed = await worker.acceptSigned(acceptance, line).catch((error: unknown) => {
        throw error instanceof AdapterError ? problemFrom(error) : error;
      });
      if (!signed) {
        await worker.checkDemand(acceptance, line);
        await acceptUnsigned(action, acceptance);
      }
    } finally {
      key.destroy();
    }
  }

  async function acceptUnsigned(action: NewAction, { key }: Acceptance): Promise<void> {
    const sealed = vault.sealGrant(key, {
      actionId: action.id,
      walletUid: action.walletUid,
      ledgerUid: action.ledgerUid,
      operation: grantText(action.operation, action.plan),
    });
    faults('accept:before-commit');
    const stages = await store
      .transaction(async (tx) => {
        // The grant first: a dependency that has failed already erases it again.
        await tx.insertMany('action_grant', ['action_id', 'sealed'], [[action.id, sealed]]);
        return insertActions(tx, [action], 'ready');
      })
      .catch((error: unknown) => {
        throw firstProblem(error) ?? error;
      });
    faults('accept:after-commit');
    if (stages.get(action.id) === 'ready') wakeChain(action.chain);
    announce([action.id]);
  }

  async function resume(): Promise<void> {
    const rows = await store.read.all<{ chain: string; ledger_uid: string }>(
      `SELECT DISTINCT chain, ledger_uid FROM action WHERE status = 'PENDING'`,
    );
    for (const { chain } of rows) await workerFor(chain);
    for (const { ledger_uid } of rows) {
      const known = lines.get(ledger_uid);
      if (known === undefined) own(ledgers.open(ledger_uid).then(lineFor), 'ledger.open');
    }
  }

  async function tick(): Promise<void> {
    const at = await store.now();
    for (const pending of [...workers.values()]) {
      const worker = await pending;
      await worker.expire(at);
      worker.wake();
    }
  }

  async function prune(): Promise<void> {
    const before = now() - keepBytes;
    await store.transaction((tx) =>
      tx.run(
        'UPDATE attempt SET bytes = NULL WHERE bytes IS NOT NULL AND settled_at IS NOT NULL AND settled_at < $1',
        [before],
      ),
    );
    await store.transaction((tx) =>
      tx.run('DELETE FROM idempotency WHERE created_at < $1', [now() - 86_400_000]),
    );
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
      return (await lineFor(open)).chain;
    },
    async balance(open, address, cost) {
      const line = await lineFor(open);
      const worker = await workerFor(line.chain);
      return worker.balance(line, address, shardOf(address), cost).catch((error: unknown) => {
        throw problemFrom(error);
      });
    },
    accept,
    onChange(listener) {
      return store.listen('actions', (payload) => listener(payload.split(',')));
    },
    complaint(actionId) {
      for (const line of openLines) {
        const action = line.live.get(actionId);
        if (action !== undefined) return action.complaint;
      }
      return null;
    },
    async start() {
      closers.push(
        store.listen('lanes', (chain) => {
          const worker = workers.get(chain);
          if (worker !== undefined)
            own(
              worker.then((one) => one.wake()),
              'lanes.wake',
            );
        }),
      );
      await resume();
      every(1_000, tick, 'engine.tick');
      every(
        leaseDuration / 3,
        async () => {
          for (const worker of [...workers.values()]) await (await worker).renew();
          await resume();
        },
        'lanes.renew',
      );
      every(60_000, prune, 'engine.prune');
    },
    async stop() {
      stopped = true;
      for (const timer of timers) clearInterval(timer);
      for (const close of closers) close();
      await Promise.all([...background]);
      const open = await Promise.allSettled([...workers.values()]);
      for (const worker of open) if (worker.status === 'fulfilled') await worker.value.stop();
      for (const { line } of lines.values()) await line.then((one) => one.stop()).catch(() => {});
    },
    health() {
      return [...openLines].flatMap((line) => {
        const trouble = line.trouble();
        return trouble === null ? [] : [`${line.open.record.ledgerId}: ${trouble}`];
      });
    },
  };
}

function firstProblem(error: unknown): Problem | null {
  if (error instanceof Error && 'problems' in error && error.problems instanceof Map) {
    for (const problem of error.problems.values()) if (problem instanceof Problem) return problem;
  }
  return null;
}

function chainReset(ledgerId: string): ProblemDocument {
  return new Problem(
    'chain-reset',
    `The chain of the ledger ${ledgerId} started anew or lost more of its history than is kept here. What was signed for it cannot be executed any more.`,
  ).toDocument();
}
