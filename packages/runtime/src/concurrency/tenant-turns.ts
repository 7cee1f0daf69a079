import { createFairQueue, type FairQueue, type Holder } from '@ledger-ops/base';

/** Concurrency limits of one kind of work that waits for other machines. */
export interface TenantPlaces {
  /** Maximum number of concurrent items whose last response was fast. */
  quick: number;
  /** Maximum number of all other concurrent items: new, slow or failed ones. */
  slow: number;
  /** Maximum number of concurrent items of one organization, counted separately for quick and slow items. */
  ofOrganization: number;
}

/**
 * Uids of an item's organization and project. A type alias, because rows need an index signature, which
 * interfaces lack.
 */
export type Tenant = { organization: string; project: string };

/** A response is fast if it takes less than this. */
const quickMs = 1_000;

/**
 * Schedules work on items that wait for machines that may hang, such as nodes and receivers. Organizations take turns,
 * and so do the projects of an organization. No organization gets the whole capacity. Items whose last response was
 * fast have separate capacity, so that they never wait for items that hang.
 */
export class TenantTurns {
  readonly #quick: FairQueue;
  readonly #slow: FairQueue;
  /** Items whose last response was fast. */
  readonly #fast = new Set<string>();

  constructor({ quick, slow, ofOrganization: limitEach }: TenantPlaces) {
    // The number of waiting items is not limited here: there are no more items than rows in the database.
    const capacity = Number.POSITIVE_INFINITY;
    this.#quick = createFairQueue({ limit: quick, limitEach, capacity });
    this.#slow = createFairQueue({ limit: slow, limitEach, capacity });
  }

  run<Result>({ organization, project }: Tenant, item: string, work: () => Promise<Result>): Promise<Result> {
    const holder: Holder = [organization, project, item];
    return (this.#fast.has(item) ? this.#quick : this.#slow).run(holder, work);
  }

  /** Waits for a response and records whether it was fast. A failure is recorded as slow. */
  async observe<Answer>(item: string, answer: Promise<Answer>): Promise<Answer> {
    this.#fast.delete(item);
    const began = performance.now();
    const answered = await answer;
    if (performance.now() - began < quickMs) this.#fast.add(item);
    return answered;
  }

  /** Removes items that no longer exist. */
  keepOnly(items: ReadonlySet<string>): void {
    for (const item of this.#fast) if (!items.has(item)) this.#fast.delete(item);
  }
}
