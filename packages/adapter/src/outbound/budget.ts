import { ExchangeError } from './exchange-error.ts';

export interface BudgetLimits {
  /** Memory for all answers that are being read at the same time, in bytes. */
  readonly total: number;
  /** Memory of one tenant in bytes. The longest possible answer must fit. */
  readonly perTenant: number;
  /** How long an answer waits for memory before it fails, in milliseconds. */
  readonly waitMs: number;
}

/** Bytes of each answer that are not counted, so small answers need no reservation. */
const freeBytes = 65_536;
/** Memory is reserved in steps, so a large answer needs at most a few hundred reservations. */
const step = 262_144;

const mebibyte = 2 ** 20;

interface Waiting {
  readonly lease: AnswerLease;
  readonly bytes: number;
  readonly grant: () => void;
}

/**
 * The memory of all answers that a process is reading, shared fairly between tenants. When the memory is
 * exhausted and a tenant that uses less needs some, the largest answer of the tenant that uses the most is
 * aborted. The caller can repeat that request.
 */
export class AnswerBudget {
  readonly limits: BudgetLimits;
  #used = 0;
  readonly #leases = new Set<AnswerLease>();
  readonly #waiting = new Set<Waiting>();

  constructor(limits: BudgetLimits) {
    this.limits = limits;
  }

  /** Bytes in use. */
  get used(): number {
    return this.#used;
  }

  /** @param revoke called at most once, to abort the answer and release its lease soon */
  open(tenant: string, revoke: (error: ExchangeError) => void): AnswerLease {
    return new AnswerLease(this, tenant, revoke);
  }

  /**
   * Reserves more memory for a lease. Returns undefined if it was available immediately.
   * @throws ExchangeError `busy`
   */
  reserve(lease: AnswerLease, bytes: number): Promise<void> | undefined {
    if (this.#fits(lease, bytes)) {
      this.#add(lease, bytes);
      return undefined;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting: Waiting = { lease, bytes, grant: resolve };
    this.#waiting.add(waiting);
    const { waitMs } = this.limits;
    const timer = setTimeout(
      () => reject(busy(`but no memory was available for it within ${waitMs} ms`)),
      waitMs,
    );
    lease.onRelease = () => {
      // The waiting request is removed before the memory of its lease is released. Otherwise the released memory
      // would be granted to this same lease.
      this.#waiting.delete(waiting);
      reject(busy('but no memory was available for it before the request was aborted'));
    };
    this.#revokeFor(lease, bytes);
    return promise.finally(() => {
      clearTimeout(timer);
      lease.onRelease = undefined;
      this.#waiting.delete(waiting);
    });
  }

  release(lease: AnswerLease): void {
    if (!this.#leases.delete(lease)) return;
    this.#used -= lease.reserved;
    lease.reserved = 0;
    const byUse = [...this.#waiting].sort(
      (a, b) => this.#usedBy(a.lease.tenant) - this.#usedBy(b.lease.tenant),
    );
    for (const waiting of byUse) {
      if (!this.#fits(waiting.lease, waiting.bytes)) continue;
      this.#waiting.delete(waiting);
      this.#add(waiting.lease, waiting.bytes);
      waiting.grant();
    }
  }

  #add(lease: AnswerLease, bytes: number): void {
    this.#leases.add(lease);
    lease.reserved += bytes;
    this.#used += bytes;
  }

  #fits({ tenant }: AnswerLease, bytes: number): boolean {
    const { total, perTenant } = this.limits;
    return this.#used + bytes <= total && this.#usedBy(tenant) + bytes <= perTenant;
  }

  #usedBy(tenant: string): number {
    let sum = 0;
    for (const lease of this.#leases) if (lease.tenant === tenant) sum += lease.reserved;
    return sum;
  }

  /**
   * Revokes the largest answers of the tenants that use the most memory, if they use more than the waiting
   * tenant would use.
   */
  #revokeFor({ tenant }: AnswerLease, bytes: number): void {
    const { total, perTenant } = this.limits;
    const wanted = this.#usedBy(tenant) + bytes;
    if (wanted > perTenant) return;
    const byUse = [...this.#leases]
      .map((lease) => ({ lease, use: this.#usedBy(lease.tenant) }))
      .filter(({ use }) => use > wanted)
      .sort((a, b) => b.use - a.use || b.lease.reserved - a.lease.reserved);
    let missing = this.#used + bytes - total;
    for (const { lease } of byUse) {
      if (missing <= 0) return;
      missing -= lease.reserved;
      lease.revoke();
    }
  }
}

/** The part of the budget that one answer uses. */
export class AnswerLease {
  readonly tenant: string;
  /** Reserved bytes. Only the budget changes this value. */
  reserved = 0;
  /** Cancels the wait for memory. Set during a wait. */
  onRelease: (() => void) | undefined;
  readonly #budget: AnswerBudget;
  #revoke: ((error: ExchangeError) => void) | undefined;

  constructor(budget: AnswerBudget, tenant: string, revoke: (error: ExchangeError) => void) {
    this.tenant = tenant;
    this.#budget = budget;
    this.#revoke = revoke;
  }

  /**
   * Extends the lease to an answer of this size. Returns undefined if memory was available immediately.
   * @throws ExchangeError `busy`
   */
  grow(size: number): Promise<void> | undefined {
    const missing = size - freeBytes - this.reserved;
    if (missing <= 0) return undefined;
    const bytes = Math.ceil(missing / step) * step;
    return this.#budget.reserve(this, bytes);
  }

  revoke(): void {
    const revoke = this.#revoke;
    this.#revoke = undefined;
    revoke?.(busy('which was aborted because other tenants needed the memory'));
  }

  release(): void {
    this.#revoke = undefined;
    this.onRelease?.();
    this.#budget.release(this);
  }
}

function busy(why: string): ExchangeError {
  return new ExchangeError('busy', `sent a long response, ${why}; try again later`);
}

/** The budget of this process. A tenant's share equals the longest answer of a node: see `nodeAnswers`. */
export const answerBudget = new AnswerBudget({
  total: 128 * mebibyte,
  perTenant: 33 * mebibyte,
  waitMs: 3_000,
});
