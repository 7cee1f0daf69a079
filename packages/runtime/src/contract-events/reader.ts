import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { AdapterError, type ContractEvents } from '@ledger-ops/adapter';
import { Problem } from '@ledger-ops/base';
import { backoff } from '@ledger-ops/base/backoff';
import type { Store } from '@ledger-ops/store';
import { problemFrom } from '../adapter-problem.ts';
import { TenantTurns } from '../concurrency/tenant-turns.ts';
import { eventsKept } from '../events/event-log.ts';
import type { Ledgers } from '../ledgers.ts';
import type { Log } from '../log.ts';
import type { OpenLedger } from '../open-ledger.ts';
import type { Faults } from '../rows/faults.ts';
import { disown, own } from '../rows/owned.ts';
import { projectNameOf } from '../rows/project-name.ts';
import { demandEventBytes } from './event-bytes.ts';
import { EventRate } from './event-rate.ts';
import { insertEvents, pruneEvents, type StoredEvent, storedEvents } from './event-rows.ts';
import { mostEventCharacters, mostPageBytes, storedBytes } from './event-size.ts';
import {
  advance,
  contractOf,
  type Lag,
  namesOf,
  positionOf,
  readOpen,
  readSubject,
  type Subject,
  type SubscriptionRow,
  subscriptions,
  updateOwned,
} from './rows.ts';
import type { ContractEventTiming } from './timing.ts';

/** Maximum number of events per page. Pages of large events contain fewer. */
const pageSize = 200;
/**
 * Number of bytes that each page but the last counts as, in addition to its events. Otherwise, a malicious node could
 * report any number of empty pages without reaching a limit.
 */
const bytesOfPage = 16_384;
/** Maximum number of pages read from one subscription before the next subscription is read. */
const pagesInTurn = 20;
/** Maximum number of subscriptions that are read concurrently; see `TenantPlaces`. */
const places = { quick: 16, slow: 32, ofOrganization: 4 };
/** Interval between removals of expired events, in milliseconds. */
const pruneIntervalMs = 60_000;
/**
 * Number of consecutive reads that must report a different block at the stored position before the reader
 * treats this as a reorg, because a single node may be on a fork.
 */
const reorgReads = 5;

export interface ReaderOptions {
  store: Store;
  ledgers: Pick<Ledgers, 'open'>;
  log: Log;
  faults: Faults;
  timing: ContractEventTiming;
}

/** The read failed and will be retried. Users see the message. */
class RetryLater extends Error {}
/** No later read can succeed. Users see the message. */
class Stopped extends Error {}

/**
 * Reads the events of subscribed contracts. One server reads a subscription at a time: it leases the row
 * under `#owner`. A failed read is retried with backoff; `Stopped` is final. Other state is only in memory,
 * so another server continues from the stored position.
 */
export class Reader {
  readonly #store: Store;
  readonly #ledgers: Pick<Ledgers, 'open'>;
  readonly #log: Log;
  readonly #faults: Faults;
  readonly #timing: ContractEventTiming;
  readonly #owner = randomUUID();
  readonly #ending = new AbortController();
  /** Subscriptions that this server is reading or has queued. */
  readonly #working = new Map<string, Promise<void>>();
  /**
   * Subscriptions whose last request is still running. No other request is sent for them until then, so that requests
   * do not pile up.
   */
  readonly #unanswered = new Set<string>();
  readonly #turns = new TenantTurns(places);
  readonly #rate = new EventRate();
  /** Reduced page sizes of subscriptions whose pages were too large. */
  readonly #sizes = new Map<string, number>();
  /** Size in bytes of the next event of each subscription that reached the storage limit. */
  readonly #nextBytes = new Map<string, number>();
  /** When this server reads each subscription next, by the database's clock. */
  readonly #due = new Map<string, number>();
  #looping: Promise<void> | undefined;
  #prunedAt = 0;

  constructor({ store, ledgers, log, faults, timing }: ReaderOptions) {
    this.#store = store;
    this.#ledgers = ledgers;
    this.#log = log;
    this.#faults = faults;
    this.#timing = timing;
  }

  start(): void {
    this.#looping ??= this.#loop();
  }

  /**
   * Stops reading, and waits for pages that are being stored. Another server, or this server after a restart,
   * continues after these pages.
   */
  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#looping;
    await Promise.all(this.#working.values());
    await this.#store.transaction((tx) => disown(tx, subscriptions, this.#owner));
  }

  async #poll(): Promise<void> {
    const now = await this.#store.now();
    const dueAt = (uid: string) => this.#due.get(uid) ?? 0;
    const open = await readOpen(this.#store.read, this.#owner, now);
    const uids = new Set(open.map(({ uid }) => uid));
    for (const uid of this.#due.keys()) if (!uids.has(uid)) this.#due.delete(uid);
    for (const kept of [this.#sizes, this.#nextBytes])
      for (const uid of kept.keys()) if (!uids.has(uid)) kept.delete(uid);
    this.#turns.keepOnly(uids);
    this.#rate.prune(now);
    for (const { uid, ...tenant } of open.toSorted((a, b) => dueAt(a.uid) - dueAt(b.uid))) {
      if (this.#working.has(uid) || this.#unanswered.has(uid) || dueAt(uid) > now) continue;
      const work = this.#turns
        .run(tenant, uid, () => this.#takeTurn(uid, tenant.organization))
        .catch((error: unknown) => {
          this.#due.set(uid, now + this.#timing.again.first);
          this.#warn('contract events not stored', error);
        })
        .finally(() => this.#working.delete(uid));
      this.#working.set(uid, work);
    }
    if (now - this.#prunedAt > pruneIntervalMs) {
      this.#prunedAt = now;
      while (await this.#store.transaction((tx) => pruneEvents(tx, now - eventsKept)));
    }
  }

  /** Reads pages until there are no more for now, or until the maximum number of pages is reached. */
  async #takeTurn(uid: string, organization: string): Promise<void> {
    for (let pages = 0; pages < pagesInTurn && !this.#ending.signal.aborted; pages += 1) {
      const now = await this.#store.now();
      this.#due.set(uid, Math.max(now, this.#rate.freeAt(organization)));
      if (this.#rate.freeAt(organization) > now) return;
      const row = await this.#store.transaction((tx) =>
        own<SubscriptionRow>(tx, subscriptions, uid, this.#owner, now, now + this.#timing.lease),
      );
      if (row === undefined) return;
      try {
        if (await this.#readPage(row, organization)) continue;
        this.#due.set(uid, now + this.#timing.poll);
      } catch (error) {
        if (!this.#ending.signal.aborted) await this.#failed(row, error);
      }
      return;
    }
  }

  /** Reads the next events and stores them together with the new position. Returns whether there are more. */
  async #readPage(row: SubscriptionRow, organization: string): Promise<boolean> {
    const subject = await readSubject(this.#store.read, row);
    if (subject === undefined) throw new Stopped(`The contract ${row.contract_id} was deleted.`);
    if (subject.suspended !== null) {
      throw new RetryLater(
        `The ${subject.suspended} is suspended. Events are read again when it is resumed.`,
      );
    }
    // If the storage limit is still reached, the ledger is not queried, because its events could not be stored.
    if (row.failures > 0)
      await demandEventBytes(this.#store.read, row.uid, row.project_id, this.#nextBytes.get(row.uid) ?? 1);
    const page = await this.#turns.observe(row.uid, this.#withTimeout(row, this.#requestPage(row, subject)));
    const names = namesOf(row);
    const events = storedEvents(
      row,
      subject.address,
      page.events.filter(({ name }) => names === null || (name !== undefined && names.includes(name))),
    );
    const now = await this.#store.now();
    if (!this.#fitsInPage(row, { events, more: page.more }, organization, now)) return true;
    const isHere = page.after.height === row.height && page.after.index === positionOf(row).index;
    const lag = this.#lagOf(row, page, now);
    if (isHere && row.failures === 0 && lag.behind === row.behind) return false;
    const stored = await this.#store
      .transaction(async (tx) => {
        if (!(await advance(tx, row, this.#owner, page.after, lag))) return false;
        await insertEvents(tx, row, events, now);
        this.#faults('tell:before-commit');
        return true;
      })
      .catch((error: unknown) => {
        if (error instanceof Problem && error.problem === 'storage-limit') this.#narrow(row, events);
        throw error;
      });
    this.#faults('tell:after-commit');
    this.#nextBytes.delete(row.uid);
    return stored && page.more;
  }

  /**
   * Halves the size of the next page after a page exceeded the storage limit. Remembers the size of its first event: no
   * page is read until this event fits.
   */
  #narrow({ uid }: SubscriptionRow, events: readonly StoredEvent[]): void {
    this.#sizes.set(uid, Math.max(1, Math.floor(events.length / 2)));
    this.#nextBytes.set(uid, storedBytes(events.slice(0, 1)));
  }

  /**
   * Returns whether the page can be stored. A page that is too large is read again with fewer events until it
   * fits.
   */
  #fitsInPage(
    { uid }: SubscriptionRow,
    { events, more }: { events: readonly StoredEvent[]; more: boolean },
    organization: string,
    now: number,
  ): boolean {
    const bytes = storedBytes(events);
    this.#rate.add(organization, bytes + (more ? bytesOfPage : 0), now);
    if (events.some(({ data }) => data.length > mostEventCharacters))
      throw new RetryLater('An event has an id or name that is too long to store.');
    const isLong = bytes > mostPageBytes && events.length > 1;
    const size = isLong ? Math.floor((events.length * mostPageBytes) / bytes) : 2 * this.#sizeOf(uid);
    if (size >= pageSize) this.#sizes.delete(uid);
    else this.#sizes.set(uid, Math.max(1, size));
    return !isLong;
  }

  #sizeOf(uid: string): number {
    return this.#sizes.get(uid) ?? pageSize;
  }

  /**
   * If the ledger has not reached the start position yet, `behind` is negative: the number of blocks until
   * the first one to read.
   */
  #lagOf(row: SubscriptionRow, { after, newest, more }: ContractEvents, now: number): Lag {
    const missing = newest - after.height;
    const behind = more
      ? Math.max(1, missing)
      : row.hash === null && after.hash === undefined
        ? Math.min(0, missing)
        : 0;
    return { behind, behind_since: more ? (row.behind_since ?? now) : null };
  }

  async #requestPage(row: SubscriptionRow, subject: Subject): Promise<ContractEvents> {
    const open = await this.#ledgers.open(row.ledger_uid, { projectUid: row.project_id });
    const { session, record, definition } = open;
    if (!record.active) throw new RetryLater(`The ledger ${row.ledger_id} is not active.`);
    if (definition.capabilities.contractEvents !== true || session.contractEvents === undefined) {
      throw new RetryLater(`The plugin of the ledger ${row.ledger_id} does not support contract events.`);
    }
    await this.#demandSameChain(open, row);
    const page = await session.contractEvents({
      contract: contractOf(subject),
      after: positionOf(row),
      limit: this.#sizeOf(row.uid),
    });
    if (page.lost !== true) return page;
    const detail = `The ledger ${row.ledger_id} replaced the block ${row.height} after its events were read, so events that were already delivered may have been undone.`;
    throw row.failures + 1 >= reorgReads ? new Stopped(detail) : new RetryLater(detail);
  }

  /**
   * Waits for a page for at most `timing.longest`, or until the server stops. The request to the ledger then continues
   * in the background.
   */
  async #withTimeout(row: SubscriptionRow, page: Promise<ContractEvents>): Promise<ContractEvents> {
    this.#unanswered.add(row.uid);
    const answered = () => void this.#unanswered.delete(row.uid);
    page.then(answered, answered);
    const { promise, reject } = Promise.withResolvers<never>();
    const leave = () => reject(this.#ending.signal.reason);
    this.#ending.signal.addEventListener('abort', leave);
    const tooLate = new RetryLater(
      `The ledger ${row.ledger_id} did not respond within ${this.#timing.longest / 1_000} s.`,
    );
    const timer = setTimeout(reject, this.#timing.longest, tooLate);
    try {
      return await Promise.race([page, promise]);
    } finally {
      clearTimeout(timer);
      this.#ending.signal.removeEventListener('abort', leave);
    }
  }

  /**
   * A different first block means that the ledger record now serves another chain, on which the stored position is
   * meaningless.
   */
  async #demandSameChain(open: OpenLedger, row: SubscriptionRow): Promise<void> {
    if ((await open.session.chain()).genesis === row.genesis) return;
    const { genesis, unsure } = await open.session.chain({ everyNode: true });
    if (genesis === row.genesis) return;
    const detail = `The ledger ${row.ledger_id} was reset: it has a different first block.`;
    throw unsure === undefined
      ? new Stopped(detail)
      : new RetryLater(`${detail} This is not confirmed yet: ${unsure}`);
  }

  async #failed(row: SubscriptionRow, error: unknown): Promise<void> {
    const now = await this.#store.now();
    // A database error cannot be stored in the database, and it is not a failure of the ledger.
    if (![Stopped, RetryLater, AdapterError, Problem].some((known) => error instanceof known)) throw error;
    if (error instanceof Stopped) {
      this.#log('warn', 'contract subscription stopped', {
        ...(await this.#namesIn(row)),
        detail: error.message,
      });
      const change = { status: 'STOPPED', reason: error.message };
      return await this.#store.transaction((tx) => updateOwned(tx, row, this.#owner, change));
    }
    const failures = row.failures + 1;
    this.#due.set(row.uid, Math.round(now + backoff(failures, this.#timing.again, Math.random())));
    const detail = error instanceof RetryLater ? error.message : problemFrom(error).message;
    if (row.failing_since === null)
      this.#log('warn', 'contract subscription failing', { ...(await this.#namesIn(row)), detail });
    const change = { failures, failing_since: row.failing_since ?? now, error: detail };
    await this.#store.transaction((tx) => updateOwned(tx, row, this.#owner, change));
  }

  async #namesIn({ uid, project_id, ledger_id }: SubscriptionRow) {
    return {
      subscriptionId: uid,
      projectId: await projectNameOf(this.#store.read, project_id),
      ledgerId: ledger_id,
    };
  }

  #warn(event: string, error: unknown): void {
    this.#log('warn', event, { error: error instanceof Error ? error.name : 'unknown' });
  }

  async #loop(): Promise<void> {
    while (!this.#ending.signal.aborted) {
      await this.#poll().catch((error: unknown) => this.#warn('contract subscriptions not read', error));
      await delay(this.#timing.look, undefined, { signal: this.#ending.signal }).catch(() => {});
    }
  }
}
