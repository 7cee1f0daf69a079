import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { AdapterError, type ContractEvents } from '@ledger-ops/adapter';
import { backoff } from '@ledger-ops/backoff';
import { Problem } from '@ledger-ops/base';
import type { Store } from '@ledger-ops/store';
import { problemFrom } from '../adapter-problem.ts';
import { eventsKept } from '../events/event-log.ts';
import type { Log } from '../log.ts';
import type { Ledgers, OpenLedger } from '../open-ledger.ts';
import type { Faults } from '../rows/faults.ts';
import { disown, own } from '../rows/owned.ts';
import { projectNameOf } from '../rows/project-name.ts';
import {
  advance,
  contractOf,
  insertEvents,
  type Lag,
  namesOf,
  positionOf,
  pruneEvents,
  readOpen,
  readSubject,
  type Subject,
  type SubscriptionRow,
  subscriptions,
  updateOwned,
} from './rows.ts';
import type { ContractEventTiming } from './timing.ts';

/** Events that are read and stored at once. */
const pageSize = 200;
/** Subscriptions that are read at the same time, and pages of one before others have their turn. */
const atOnce = 8;
const pagesInTurn = 20;
/** Milliseconds between two sweeps of events that are told no more. */
const pruneEvery = 60_000;
/** Readings in a row that have to say that the chain lost the position's block: one node may be on a fork. */
const lostTries = 5;

export interface ReaderOptions {
  store: Store;
  ledgers: Pick<Ledgers, 'open'>;
  log: Log;
  faults: Faults;
  timing: ContractEventTiming;
}

/** Reads what subscribed contracts tell: each subscription is one server's at a time. */
export interface Reader {
  start(): void;
  /** Waits for what is being stored; the rest goes on at another server, or the next start. */
  stop(): Promise<void>;
}

/** Nothing can be read now, for a reason in words of ours. */
class NotNow extends Error {}
/** Nothing will change by waiting. */
class Stopped extends Error {}

export function createReader({ store, ledgers, log, faults, timing }: ReaderOptions): Reader {
  const owner = randomUUID();
  const ending = new AbortController();
  /** Subscriptions that are read now. */
  const working = new Map<string, Promise<void>>();
  /** When those of this server are read next, by the database's clock. */
  const due = new Map<string, number>();
  let looping: Promise<void> | undefined;
  let prunedAt = 0;

  async function look(): Promise<void> {
    const now = await store.now();
    const dueAt = (uid: string) => due.get(uid) ?? 0;
    const open = await readOpen(store.read, owner, now);
    for (const uid of due.keys()) if (!open.includes(uid)) due.delete(uid);
    for (const uid of open.toSorted((a, b) => dueAt(a) - dueAt(b))) {
      if (working.size >= atOnce) break;
      if (working.has(uid) || dueAt(uid) > now) continue;
      const work = readOn(uid)
        .catch((error: unknown) => {
          due.set(uid, now + timing.again.first);
          warn('contract events not stored', error);
        })
        .finally(() => working.delete(uid));
      working.set(uid, work);
    }
    if (now - prunedAt > pruneEvery) {
      prunedAt = now;
      await store.transaction((tx) => pruneEvents(tx, now - eventsKept));
    }
  }

  /** Page after page, until there is nothing more for now, or others have waited. */
  async function readOn(uid: string): Promise<void> {
    for (let pages = 0; pages < pagesInTurn && !ending.signal.aborted; pages += 1) {
      const now = await store.now();
      due.set(uid, now);
      const row = await store.transaction((tx) =>
        own<SubscriptionRow>(tx, subscriptions, uid, owner, now, now + timing.lease),
      );
      if (row === undefined) return;
      try {
        if (await readPage(row)) continue;
        due.set(uid, now + timing.poll);
      } catch (error) {
        if (!ending.signal.aborted) await failed(row, error);
      }
      return;
    }
  }

  /** Reads what comes next and stores it together with the place that was reached. Answers whether there is more. */
  async function readPage(row: SubscriptionRow): Promise<boolean> {
    const subject = await readSubject(store.read, row);
    if (subject === undefined) throw new Stopped(`The contract ${row.contract_id} was deleted.`);
    if (subject.suspended !== null) {
      throw new NotNow(`The ${subject.suspended} is suspended: it is read when it is resumed.`);
    }
    const page = await untilEnd(ask(row, subject));
    const names = namesOf(row);
    const events = page.events.filter(
      ({ name }) => names === null || (name !== undefined && names.includes(name)),
    );
    const isHere = page.after.height === row.height && page.after.index === positionOf(row).index;
    const now = await store.now();
    const lag = lagOf(row, page, now);
    if (isHere && row.failures === 0 && lag.behind === row.behind) return false;
    const stored = await store.transaction(async (tx) => {
      if (!(await advance(tx, row, owner, page.after, lag))) return false;
      await insertEvents(tx, row, subject.address, events, now);
      faults('tell:before-commit');
      return true;
    });
    faults('tell:after-commit');
    return stored && page.more;
  }

  /** A position that no reading has reached yet may be ahead of the ledger: then it waits for its first block. */
  function lagOf(row: SubscriptionRow, { after, newest, more }: ContractEvents, now: number): Lag {
    const missing = newest - after.height;
    const behind = more
      ? Math.max(1, missing)
      : row.hash === null && after.hash === undefined
        ? Math.min(0, missing)
        : 0;
    return { behind, behind_since: more ? (row.behind_since ?? now) : null };
  }

  async function ask(row: SubscriptionRow, subject: Subject): Promise<ContractEvents> {
    const open = await ledgers.open(row.ledger_uid, { projectUid: row.project_id });
    const { session, record, definition } = open;
    if (!record.active) throw new NotNow(`The ledger ${row.ledger_id} is not active.`);
    if (definition.capabilities.contractEvents !== true || session.contractEvents === undefined) {
      throw new NotNow(`The plugin of the ledger ${row.ledger_id} does not read events of contracts.`);
    }
    await demandSameChain(open, row);
    const page = await session.contractEvents({
      contract: contractOf(subject),
      after: positionOf(row),
      limit: pageSize,
    });
    if (page.lost !== true) return page;
    const detail = `The ledger has another block ${row.height} than the one up to which it was read: what was told may be undone.`;
    throw row.failures + 1 >= lostTries ? new Stopped(detail) : new NotNow(detail);
  }

  /** A node that does not answer keeps no server from ending. */
  async function untilEnd<Result>(asked: Promise<Result>): Promise<Result> {
    const { promise, reject } = Promise.withResolvers<never>();
    const leave = () => reject(ending.signal.reason);
    ending.signal.addEventListener('abort', leave);
    try {
      return await Promise.race([asked, promise]);
    } finally {
      ending.signal.removeEventListener('abort', leave);
    }
  }

  /** Another first block under the same name is another chain: what stands there is not what was read. */
  async function demandSameChain(open: OpenLedger, row: SubscriptionRow): Promise<void> {
    if ((await open.session.chain()).genesis === row.genesis) return;
    const { genesis, unsure } = await open.session.chain({ everyNode: true });
    if (genesis === row.genesis) return;
    const detail = `The ledger ${row.ledger_id} has begun anew, with another first block.`;
    throw unsure === undefined ? new Stopped(detail) : new NotNow(`${detail} That is not sure: ${unsure}`);
  }

  async function failed(row: SubscriptionRow, error: unknown): Promise<void> {
    const now = await store.now();
    // The database's own: nothing is known of the ledger, and nothing can be written.
    if (![Stopped, NotNow, AdapterError, Problem].some((known) => error instanceof known)) throw error;
    if (error instanceof Stopped) {
      log('warn', 'contract subscription stopped', { ...(await namesIn(row)), detail: error.message });
      const change = { status: 'STOPPED', reason: error.message };
      return await store.transaction((tx) => updateOwned(tx, row, owner, change));
    }
    const failures = row.failures + 1;
    due.set(row.uid, Math.round(now + backoff(failures, timing.again, Math.random())));
    const detail = error instanceof NotNow ? error.message : problemFrom(error).message;
    if (row.failing_since === null)
      log('warn', 'contract subscription failing', { ...(await namesIn(row)), detail });
    const change = { failures, failing_since: row.failing_since ?? now, error: detail };
    await store.transaction((tx) => updateOwned(tx, row, owner, change));
  }

  async function namesIn({ uid, project_id, ledger_id }: SubscriptionRow) {
    return {
      subscriptionId: uid,
      projectId: await projectNameOf(store.read, project_id),
      ledgerId: ledger_id,
    };
  }

  function warn(event: string, error: unknown): void {
    log('warn', event, { error: error instanceof Error ? error.name : 'unknown' });
  }

  async function loop(): Promise<void> {
    while (!ending.signal.aborted) {
      await look().catch((error: unknown) => warn('contract subscriptions not read', error));
      await delay(timing.look, undefined, { signal: ending.signal }).catch(() => {});
    }
  }

  return {
    start() {
      looping ??= loop();
    },
    async stop() {
      ending.abort();
      await looping;
      await Promise.all(working.values());
      await store.transaction((tx) => disown(tx, subscriptions, owner));
    },
  };
}
