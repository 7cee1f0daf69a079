import { randomUUID } from 'node:crypto';
import { AdapterError, type ChainIdentity, type Cursor, type Outcome } from '@ledger-ops/adapter';
import { Problem, type ProblemDocument } from '@ledger-ops/base';
import type { SqlValue, Store } from '@ledger-ops/store';
import { problemFrom } from '../adapter-problem.ts';
import type { Ledgers, Log, OpenLedger, Vault } from '../types.ts';
import { chainBase, chainKey, shardOf } from './chain-key.ts';
import { type Acceptance, type ChainWorker, createChainWorker, lineKey } from './chain-worker.ts';
import type { Faults } from './faults.ts';
import { insertActions, settle } from './journal.ts';
import { createLedgerLine, type LedgerLine } from './ledger-line.ts';
import { readLost } from './lost-history.ts';
import { failure, type NewAction } from './model.ts';
import { judgeOutcomes } from './outcomes.ts';
import { grantText } from './ready-queue.ts';
import { type RegisterDeployed, registerDeployed } from './registrations.ts';
import { textList } from './sql.ts';

/** Blocks between two writes of a ledger's mark when nothing is settled. */
const markEvery = 32;
/** Signed bytes are kept this long after their action's end, in case the chain loses history. */
const keepBytes = 3_600_000;

/** Milliseconds between two looks for changes of plugins and ledgers. */
const renewInterval = 500;

/** Actions of one plugin on one ledger that have not ended. */
interface Unfinished extends Record<string, SqlValue> {
  chain: string;
  ledger_uid: string;
  plugin: string | null;
  project_id: string;
  /** 1 when some are signed. */
  signed: number;
}

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
  const lines = new Map<string, { open: OpenLedger; line: Promise<LedgerLine> }>();
  const openLines = new Set<LedgerLine>();
  /** Sessions in whose place there is a newer one: what still comes with them goes there. */
  const replaced = new WeakSet<OpenLedger>();
  const renewing = new Set<string>();
  let sweeping = false;
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
    const key = lineKey(open);
    const known = lines.get(key);
    if (known !== undefined && (known.open === open || replaced.has(open))) return known.line;
    const line = openLine(open, known?.line);
    lines.set(key, { open, line });
    line.then(
      () => {
        if (known !== undefined) replaced.add(known.open);
      },
      () => {
        if (lines.get(key)?.line !== line) return;
        // The former one goes on when the new one could not be opened.
        if (known !== undefined && isRunning(known.open)) lines.set(key, known);
        else lines.delete(key);
      },
    );
    return line;
  }

  async function openLine(open: OpenLedger, former: Promise<LedgerLine> | undefined): Promise<LedgerLine> {
    const identity = await open.chain().catch((error: unknown) => {
      throw problemFrom(error);
    });
    const previous = await former?.catch(() => undefined);
    if (previous !== undefined) await closeLine(previous);
    const chain = chainKey(identity, await resetsOf(chainBase(identity)));
    return startLine(open, chain, previous?.adopted ?? new Set());
  }

  function isRunning(open: OpenLedger): boolean {
    return [...openLines].some((line) => line.open === open);
  }

  async function startLine(
    open: OpenLedger,
    chain: string,
    adopted: ReadonlySet<string>,
  ): Promise<LedgerLine> {
    const worker = await workerFor(chain);
    await leaveOldChain(open, chain, [open.pluginUid, ...adopted]);
    for (const other of openLines) {
      if (other.open.record.uid === open.record.uid) other.adopted.delete(open.pluginUid);
    }
    const line = createLedgerLine({
      open,
      chain,
      adopted,
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
  async function leaveOldChain(open: OpenLedger, chain: string, plugins: readonly string[]): Promise<void> {
    const ledger = open.record.uid;
    // A plugin that is wrong about the chain takes none along but its own.
    const own = `ledger_uid = $1 AND chain <> $2 AND status = 'PENDING'
        AND (plugin IS NULL OR plugin IN ${textList(store.dialect, '$3')})`;
    const values = [ledger, chain, JSON.stringify(plugins)];
    const ended = await store.transaction(async (tx) => {
      const signed = await tx.all<{ id: string }>(
        `SELECT id FROM action WHERE ${own} AND stage = 'signed'`,
        values,
      );
      const { ended: ids } = await settle(
        tx,
        signed.map(({ id }) => failure(id, true, chainReset(open.record.ledgerId))),
        now(),
      );
      await tx.run(`UPDATE action SET chain = $2, min_height = 0 WHERE ${own}`, values);
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
    const { ended, wake, unregistered } = await store.transaction(async (tx) => {
      await worker.leases.check(tx, new Set(actions.map(({ shard }) => shard)));
      await tx.run(
        `INSERT INTO chain_mark (ledger_uid, chain, height, hash) VALUES ($1, $2, $3, $4)
          ON CONFLICT (ledger_uid) DO UPDATE SET chain = excluded.chain, height = excluded.height, hash = excluded.hash`,
        [line.open.record.uid, line.chain, cursor.height, cursor.hash],
      );
      const settled = await settle(tx, settlements, now());
      return { ...settled, unregistered: await registerDeployed(tx, settlements, settled.ended, register) };
    });
    if (settlements.length > 0) faults('settle:after-commit');
    for (const [actionId, { detail }] of unregistered)
      log('warn', 'contract.unregistered', { actionId, detail });
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
    const resets = Number(line.chain.slice(base.length + 1));
    await store.transaction((tx) =>
      // Once, although each line on the chain finds it out.
      tx.run(
        `INSERT INTO chain_reset (chain, resets) VALUES ($1, 1)
          ON CONFLICT (chain) DO UPDATE SET resets = chain_reset.resets + 1 WHERE chain_reset.resets = $2`,
        [base, resets],
      ),
    );
    replaceLine(line);
  }

  /** The line's chain is no more: a new line on what the ledger's nodes now serve. */
  function replaceLine(line: LedgerLine): void {
    const key = lineKey(line.open);
    const known = lines.get(key);
    const next = (async () => {
      await closeLine(line);
      const identity = await line.open.session.chain();
      return startLine(line.open, chainKey(identity, await resetsOf(chainBase(identity))), line.adopted);
    })();
    if (known !== undefined) lines.set(key, { open: line.open, line: next });
    next.catch(() => lines.delete(key));
    own(next, 'chain.replace');
  }

  async function accept(open: OpenLedger, acceptance: Acceptance): Promise<void> {
    const { key } = acceptance;
    const action: NewAction = { ...acceptance.action, plugin: open.pluginUid };
    try {
      const line = await lineFor(open);
      const worker = await workerFor(line.chain);
      const signed = await worker.acceptSigned({ ...acceptance, action }, line).catch((error: unknown) => {
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
    const rows = await store.read.all<Unfinished>(
      `SELECT chain, ledger_uid, plugin, min(project_id) AS project_id,
        max(CASE WHEN stage = 'signed' THEN 1 ELSE 0 END) AS signed
        FROM action WHERE status = 'PENDING' GROUP BY chain, ledger_uid, plugin`,
    );
    for (const { chain } of rows) await workerFor(chain);
    for (const row of rows) own(resumeOne(row), 'ledger.open');
  }

  /** Sees to it that unfinished actions have the line of their plugin, or, where they are signed, of an heir. */
  async function resumeOne({ ledger_uid, plugin, project_id, signed }: Unfinished): Promise<void> {
    const ofProject = () => ledgers.open(ledger_uid, { projectUid: project_id });
    if (plugin === null) {
      if (![...openLines].some(({ open }) => open.record.uid === ledger_uid))
        await lineFor(await ofProject());
      return;
    }
    const followed = [...lines.values()].some(
      ({ open }) => open.record.uid === ledger_uid && open.pluginUid === plugin,
    );
    if (
      followed ||
      [...openLines].some(({ open, adopted }) => open.record.uid === ledger_uid && adopted.has(plugin))
    )
      return;
    const open = await ledgers.reopen(ledger_uid, plugin, { inactive: signed === 1 });
    if (open !== null) {
      const line = await lineFor(open);
      line.retired = !(await ledgers.isCurrent(open));
    } else if (signed === 1) {
      const heir = await lineFor(await ofProject());
      (await workerFor(heir.chain)).adopt(heir, plugin);
    }
  }

  /** Changes of plugins and ledgers take effect on lines that are open; what nobody needs any more is closed. */
  async function renewLines(): Promise<void> {
    for (const line of openLines) {
      const { open } = line;
      const key = lineKey(open);
      line.retired = !(await ledgers.isCurrent(open));
      if (!line.retired || lines.get(key)?.open !== open || renewing.has(key)) continue;
      renewing.add(key);
      own(
        renewLine(key, line).finally(() => renewing.delete(key)),
        'ledger.renew',
      );
    }
    if (sweeping) return;
    sweeping = true;
    const inUse = (open: OpenLedger) =>
      isRunning(open) || [...lines.values()].some((known) => known.open === open);
    own(
      ledgers.sweep(inUse).finally(() => {
        sweeping = false;
      }),
      'ledger.sweep',
    );
  }

  async function renewLine(key: string, line: LedgerLine): Promise<void> {
    const { open } = line;
    const next = await ledgers.reopen(open.record.uid, open.pluginUid);
    if (next !== null) {
      await lineFor(next);
    } else if (line.live.size === 0 && lines.get(key)?.open === open) {
      lines.delete(key);
      await closeLine(line);
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
      every(renewInterval, renewLines, 'engine.renew');
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
      await Promise.allSettled([...lines.values()].map(({ line }) => line));
      for (const line of openLines) await line.stop();
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
