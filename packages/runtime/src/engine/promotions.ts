import { type Queries, type Replication, type Store, type Tx, uuidv7 } from '@ledger-ops/store';
import type { Log } from '../log.ts';
import { insertSuspensions, type SuspensionRow, suspensionsTopic } from '../rows/actions/suspensions.ts';
import { textList } from '../rows/sql.ts';

/**
 * Maximum number of stored actions that this server remembers, and the time for which it remembers them. This time is
 * longer than the usual lag of a standby, but shorter than the time for which completed actions are kept
 * (`KEEP_ACTIONS_DAYS`, at least 7).
 */
const mostRemembered = 10_000;
const rememberedMs = 86_400_000;
/** Maximum number of missing actions named in the reason of a suspension. */
const mostNamed = 5;
const counters = { timeline: 'replication.timeline', synchronous: 'replication.synchronous' } as const;

export interface PromotionsOptions {
  store: Store;
  log: Log;
  now: () => number;
}

/**
 * Detects that a standby of the database was promoted that lacks the last commits. Executed actions may then be missing
 * or unsigned in the database, and signing them again would execute them twice. So all ledgers are suspended until an
 * operator decides. A promotion is safe if commits waited for the standby and the standby has every action that this
 * server stored recently. `#stored` contains the recently stored actions, oldest first. The replication mode is also
 * stored in the database, for servers that start after a promotion.
 */
export class Promotions {
  readonly #store: Store;
  readonly #replication: Replication | undefined;
  readonly #log: Log;
  readonly #now: () => number;
  readonly #stored = new Map<string, { isSigned: boolean; at: number }>();
  #timeline: number | null = null;
  #isSynchronous = false;

  constructor({ store, log, now }: PromotionsOptions) {
    this.#store = store;
    this.#replication = store.replication;
    this.#log = log;
    this.#now = now;
  }

  /**
   * Compares the database with the replication state that servers stored earlier. Must be called before anything is
   * signed.
   */
  async start(): Promise<void> {
    const replication = this.#replication;
    if (replication === undefined) return;
    const rows = await this.#store.read.all<{ name: string; value: number }>(
      'SELECT name, value FROM counter WHERE name IN ($1, $2)',
      [counters.timeline, counters.synchronous],
    );
    const known = new Map(rows.map(({ name, value }) => [name, value]));
    const before = known.get(counters.timeline);
    const wasSynchronous = known.get(counters.synchronous) === 1;
    const { timeline, isSynchronous } = await replication.read();
    this.#timeline = timeline;
    this.#isSynchronous = isSynchronous;
    await this.#store.transaction(async (tx) => {
      if (before !== undefined && timeline !== null && timeline > before) {
        if (wasSynchronous) this.#log('warn', 'database.promoted', { timeline });
        else await this.#suspendLedgers(tx, []);
      }
      await this.#write(tx);
    });
    replication.onPromotion((tx) => this.#check(tx));
  }

  /** Updates the replication mode from the database. */
  async refresh(): Promise<void> {
    const read = await this.#replication?.read();
    if (read === undefined) return;
    if (read.timeline === this.#timeline && read.isSynchronous === this.#isSynchronous) return;
    this.#timeline = read.timeline;
    this.#isSynchronous = read.isSynchronous;
    await this.#store.transaction((tx) => this.#write(tx));
  }

  /**
   * Remembers actions that were committed. @param areSigned whether their signed bytes were stored in the same commit
   */
  remember(actionIds: readonly string[], areSigned: boolean): void {
    if (this.#replication === undefined) return;
    const at = this.#now();
    for (const id of actionIds) {
      this.#stored.delete(id);
      this.#stored.set(id, { isSigned: areSigned, at });
    }
    this.#forgetOld();
  }

  #forgetOld(): void {
    const oldest = this.#now() - rememberedMs;
    for (const [id, { at }] of this.#stored) {
      if (at >= oldest && this.#stored.size <= mostRemembered) return;
      this.#stored.delete(id);
    }
  }

  async #check(tx: Tx): Promise<void> {
    const missing = await this.#missing(tx);
    if (this.#isSynchronous && missing.length === 0) this.#log('warn', 'database.promoted', {});
    else await this.#suspendLedgers(tx, missing);
  }

  /** Returns the remembered actions that the database lacks, or contains as unsigned although they were signed. */
  async #missing(tx: Pick<Queries, 'all' | 'dialect'>): Promise<string[]> {
    this.#forgetOld();
    const ids = [...this.#stored.keys()];
    const rows = await tx.all<{ id: string; signed: boolean | number }>(
      `SELECT action.id, EXISTS (SELECT 1 FROM attempt WHERE attempt.action_id = action.id) AS signed
        FROM action WHERE action.id IN ${textList(tx.dialect, '$1')}`,
      [JSON.stringify(ids)],
    );
    const found = new Map(rows.map(({ id, signed }) => [id, Boolean(signed)]));
    return ids.filter((id) => {
      const isSigned = found.get(id);
      return isSigned === undefined || (this.#stored.get(id)?.isSigned === true && !isSigned);
    });
  }

  async #suspendLedgers(tx: Tx, missing: readonly string[]): Promise<void> {
    const ledgers = await tx.all<{ uid: string; ledger_id: string; scope: string }>(
      'SELECT uid, ledger_id, scope FROM ledger ORDER BY uid',
    );
    const reason = reasonFor(missing);
    const rows = ledgers.map(
      ({ uid, ledger_id: name, scope }): SuspensionRow => ({
        ...{ subject: uid, id: uuidv7(), kind: 'ledger', name, scope, reason },
        ...{ created_by: 'ledger-ops', created_at: this.#now(), cause: null },
      }),
    );
    await insertSuspensions(tx, rows);
    this.#log('error', 'database.promoted-without-proof', {
      missing: missing.length,
      ledgers: ledgers.length,
    });
    tx.afterCommit(() => this.#store.notify(suspensionsTopic));
  }

  async #write(tx: Tx): Promise<void> {
    for (const [name, value] of [
      [counters.timeline, this.#timeline ?? 0],
      [counters.synchronous, this.#isSynchronous ? 1 : 0],
    ] as const) {
      await tx.run(
        'INSERT INTO counter (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = $2',
        [name, value],
      );
    }
  }
}

function reasonFor(missing: readonly string[]): string {
  const named = `${missing.slice(0, mostNamed).join(', ')}${missing.length > mostNamed ? ', …' : ''}`;
  const what =
    missing.length === 0
      ? 'It may lack some of the last commits.'
      : `${missing.length} actions that a server had stored are missing or unsigned (${named}).`;
  return `A standby of the database was promoted. ${what} Executed operations may be missing, so nothing is signed. Stop the servers, run adopt --restored and verify, start them, and resume this ledger.`;
}
