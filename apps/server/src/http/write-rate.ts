import { Problem } from '@ledger-ops/base';
import type { Route } from './route.ts';

/** Limit per organization and server: an average per second, and a burst. */
interface Rate {
  readonly name: string;
  readonly about: string;
  readonly perSecond: number;
  readonly burst: number;
}

const mebibyte = 1_048_576;

/** Changes of records are limited because each one invalidates the permission caches of all servers. */
const changes: Rate = { name: 'changes-per-second', about: 'changes', perSecond: 50, burst: 1_000 };
/** Bytes of large bodies. */
const bytes: Rate = {
  name: 'body-bytes-per-second',
  about: 'bytes of request bodies',
  perSecond: 2 * mebibyte,
  burst: 64 * mebibyte,
};
/**
 * Number of bytes of each body that do not count. Most operations are smaller; this limit does not apply to
 * sending them.
 */
const shortBody = 16_384;
/** Longest wait of an organization, in milliseconds. */
const longestWaitMs = 30_000;
/** If more organizations than this are in memory, those within their rate are removed. */
const mostKept = 10_000;

/** Path prefixes of requests that read, send or sign in, or that have another limit. */
const uncounted = /^\/v1\/(?:ledger-ops|gateway|cloud-wallet|contracts|auth)(?:\/|$)/;

function isChange({ method, path }: Route): boolean {
  return method !== 'get' && !uncounted.test(path);
}

/**
 * Limits the writes of each organization on a server, so that they do not slow down other organizations'
 * reads. Usage is in memory; most requests cost one comparison.
 */
export class WriteRate {
  readonly #now: () => number;
  /** Times at which organizations are within their rates again, in milliseconds since the epoch. */
  readonly #usedUntil = { changes: new Map<string, number>(), bytes: new Map<string, number>() };

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Called before the body is read. @throws Problem `too-many-requests` */
  admit(organization: string, route: Route): void {
    if (isChange(route)) {
      this.#demand('changes', changes, organization);
      this.#add('changes', changes, organization, 1);
    }
    if (route.body !== undefined) this.#demand('bytes', bytes, organization);
  }

  /** Counts the bytes of a body. */
  addBody(organization: string, length: number): void {
    if (length > shortBody) this.#add('bytes', bytes, organization, length - shortBody);
  }

  #demand(kind: 'changes' | 'bytes', { name, about, perSecond }: Rate, organization: string): void {
    const waitMs = (this.#usedUntil[kind].get(organization) ?? 0) - this.#now();
    if (waitMs <= 0) return;
    const retryAfter = Math.ceil(waitMs / 1_000);
    const detail = `Your organization exceeds ${perSecond.toLocaleString('en-US')} ${about} per second (limit "${name}"). Try again in ${retryAfter} s.`;
    throw new Problem('too-many-requests', detail, {
      retryAfter,
      extensions: { limit: name, most: perSecond },
    });
  }

  #add(kind: 'changes' | 'bytes', { perSecond, burst }: Rate, organization: string, amount: number): void {
    const used = this.#usedUntil[kind];
    const now = this.#now();
    const free = now - (burst / perSecond) * 1_000;
    const until = Math.max(used.get(organization) ?? 0, free) + (amount / perSecond) * 1_000;
    used.set(organization, Math.min(until, now + longestWaitMs));
    if (used.size > mostKept) for (const [other, its] of used) if (its <= free) used.delete(other);
  }
}
