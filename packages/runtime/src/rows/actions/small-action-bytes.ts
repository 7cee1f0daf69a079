import { demandRoom, limitExceeded, readUsage, recordUsage } from '@ledger-ops/auth';
import type { Store } from '@ledger-ops/store';
import type { NewAction } from '../model.ts';
import { actionBytes, byName, isLarge, actionBytesLimit as limit, type StoredTexts } from './action-bytes.ts';

/** Number of bytes that one organization stores, as far as this server knows. */
interface Count {
  /** Number of bytes of actions that are stored, but not in the organization's stored count yet. */
  unwritten: number;
  /** The organization's stored count, and its limit, as last read. */
  used: number;
  most: number;
  readAt: number;
}

/** Time for which a count that was read is used to accept actions, and time for which it is used to refuse them. */
const acceptsForMs = 10_000;
const refusesForMs = 1_000;

/**
 * Counts small actions per organization in memory, so that accepting an action takes no lock. The server writes the
 * sums every second and when it stops (ADR 81).
 *
 * Contains a count for each organization that sent an action in the last seconds. Counts that were not written before a
 * crash are lost.
 */
export class SmallActionBytes {
  readonly #store: Store;
  readonly #now: () => number;
  readonly #counts = new Map<string, Count>();

  constructor(store: Store, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /**
   * Checks the limit before an action is accepted. For a large action, this is only an early check;
   * `countActionBytes` decides.
   *
   * @throws Problem `storage-limit`
   */
  async demand(organization: string, texts: StoredTexts): Promise<void> {
    const bytes = actionBytes(texts);
    if (isLarge(bytes)) {
      const unwritten = this.#counts.get(organization)?.unwritten ?? 0;
      await demandRoom(this.#store.read, { scope: organization, organization }, limit, bytes + unwritten);
      return;
    }
    const known = this.#newerThan(acceptsForMs, organization) ?? (await this.#read(organization));
    if (hasRoom(known, bytes)) return;
    // Since the last read, the limit may have been raised, or old actions removed.
    const count = this.#newerThan(refusesForMs, organization) ?? (await this.#read(organization));
    if (hasRoom(count, bytes)) return;
    const { used, unwritten, most } = count;
    throw await limitExceeded(this.#store.read, organization, limit, { used: used + unwritten, most });
  }

  /** Counts the small actions among those that were stored. */
  add(actions: readonly NewAction[]): void {
    for (const action of actions) {
      const bytes = actionBytes(action);
      if (isLarge(bytes)) continue;
      const count = this.#counts.get(action.organizationUid);
      if (count !== undefined) count.unwritten += bytes;
      else this.#counts.set(action.organizationUid, { ...unread, unwritten: bytes });
    }
  }

  /** Writes the sums of `unwritten`, with one statement per organization. */
  async write(): Promise<void> {
    for (const [organization, { unwritten }] of this.#counts)
      if (unwritten === 0 && this.#newerThan(acceptsForMs, organization) === undefined)
        this.#counts.delete(organization);
    const due = [...this.#counts].filter(([, { unwritten }]) => unwritten > 0).toSorted(byName);
    if (due.length === 0) return;
    const sums = due.map(([organization, count]) => ({ organization, count, bytes: count.unwritten }));
    await this.#store.transaction(async (tx) => {
      for (const { organization, bytes } of sums) await recordUsage(tx, organization, limit, bytes);
    });
    for (const { count, bytes } of sums) {
      count.unwritten -= bytes;
      // Until the count is read below, it lacks the bytes that other servers wrote.
      count.used += bytes;
    }
    for (const { organization } of sums) await this.#read(organization);
  }

  #newerThan(milliseconds: number, organization: string): Count | undefined {
    const count = this.#counts.get(organization);
    return count !== undefined && this.#now() - count.readAt < milliseconds ? count : undefined;
  }

  async #read(organization: string): Promise<Count> {
    const { used, most } = await readUsage(this.#store.read, { scope: organization, organization }, limit);
    const count = this.#counts.get(organization) ?? { ...unread };
    Object.assign(count, { used, most, readAt: this.#now() });
    this.#counts.set(organization, count);
    return count;
  }
}

const unread: Count = { unwritten: 0, used: 0, most: 0, readAt: Number.NEGATIVE_INFINITY };

function hasRoom({ used, unwritten, most }: Count, bytes: number): boolean {
  return used + unwritten + bytes <= most;
}
