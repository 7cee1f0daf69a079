import { availableParallelism } from 'node:os';
import { shared } from './timing.ts';

/** The tenant whose processes are started; undefined for the host itself. */
type Tenant = string | undefined;

/**
 * Permits for CPU-bound work. Permits alternate between tenants; the work of one tenant runs first in, first
 * out. A tenant gets at most half of the permits (but at least one), so that a tenant whose work never ends
 * does not delay others. The host's own work has no such limit.
 */
export class Turns {
  readonly #atOnce: number;
  readonly #ofTenant: number;
  readonly #longestMs: number;
  /** Waiting work by tenant. The tenant served last is at the end. */
  readonly #waiting = new Map<Tenant, (() => void)[]>();
  /** Permits in use, by tenant. */
  readonly #taken = new Map<Tenant, number>();
  #allTaken = 0;

  /** @param longestMs a permit expires after this time; its work continues while the next holder starts */
  constructor(atOnce: number, longestMs: number) {
    this.#atOnce = atOnce;
    this.#ofTenant = Math.max(1, Math.floor(atOnce / 2));
    this.#longestMs = longestMs;
  }

  /** Resolves with a function that releases the permit. */
  async take(tenant?: string): Promise<() => void> {
    await new Promise<void>((begin) => {
      const own = this.#waiting.get(tenant);
      if (own === undefined) this.#waiting.set(tenant, [begin]);
      else own.push(begin);
      this.#beginNext();
    });
    let isOver = false;
    const end = () => {
      if (isOver) return;
      isOver = true;
      clearTimeout(late);
      this.#release(tenant);
    };
    const late = setTimeout(end, this.#longestMs);
    late.unref();
    return end;
  }

  #beginNext(): void {
    for (const [tenant, [begin, ...others]] of this.#waiting) {
      if (this.#allTaken >= this.#atOnce) return;
      if (begin === undefined || !this.#mayTake(tenant)) continue;
      this.#waiting.delete(tenant);
      // Moves the tenant to the end, where this loop reaches it again.
      if (others.length > 0) this.#waiting.set(tenant, others);
      this.#taken.set(tenant, this.#takenBy(tenant) + 1);
      this.#allTaken += 1;
      begin();
    }
  }

  #mayTake(tenant: Tenant): boolean {
    return tenant === undefined || this.#takenBy(tenant) < this.#ofTenant;
  }

  #takenBy(tenant: Tenant): number {
    return this.#taken.get(tenant) ?? 0;
  }

  #release(tenant: Tenant): void {
    const remaining = this.#takenBy(tenant) - 1;
    if (remaining > 0) this.#taken.set(tenant, remaining);
    else this.#taken.delete(tenant);
    this.#allTaken -= 1;
    this.#beginNext();
  }
}

/**
 * Permits for starting modules: creating a file system and importing a module use a processor each. All hosts of this
 * process share them. The permit of an import that never ends expires.
 */
export const startTurns = new Turns(availableParallelism(), shared.turn);
