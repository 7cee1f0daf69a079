/**
 * Factor by which the time that a tenant's failed handshakes blocked the event loop is multiplied to get the tenant's
 * wait.
 */
const restFactor = 20;
const longestRestMs = 30_000;
/** Minimum duration of a block that is counted, because other work causes shorter ones. */
const shortBlockMs = 100;
/** A connection that failed with one of these never began its handshake. */
const notConnected = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EOUTBOUND',
]);
const sampleEveryMs = 10;
/** Maximum number of tenants that are tracked. */
const mostTenants = 10_000;

/** A tenant's failed handshakes blocked this server, so it may start none for a while. */
class HandshakeRestError extends Error {
  override readonly name = 'HandshakeRestError';
  readonly code = 'EHANDSHAKE';
}

/**
 * Tracks the cost of failed TLS handshakes. OpenSSL verifies every signature in a chain, even if it leads to no trusted
 * authority: with 70 certificates whose keys have huge exponents that blocks the event loop for almost a second, and
 * neither OpenSSL's limits nor a certificate's size can be set from here. So a tenant whose handshake fails after the
 * event loop was blocked must wait 20 times as long before the next one.
 */
class Handshakes {
  readonly #restsUntil = new Map<string, number>();

  /** The error with which a tenant's handshake is refused now; undefined if it is allowed. */
  refusal(tenant: string): HandshakeRestError | undefined {
    const until = this.#restsUntil.get(tenant);
    if (until === undefined) return undefined;
    if (until > performance.now()) {
      return new HandshakeRestError(
        'Too many expensive TLS handshakes of this tenant failed. Try again later.',
      );
    }
    this.#restsUntil.delete(tenant);
    return undefined;
  }

  /**
   * Watches the event loop during a handshake. A block counts only as far as this thread computed during it: on a busy
   * machine the thread also waits for a processor.
   * @returns a function to call when it ended, with the error if it failed; only the first call counts
   */
  watch(tenant: string): (error?: unknown) => void {
    let longest = 0;
    let last = performance.now();
    let lastUsage = process.threadCpuUsage();
    const sample = () => {
      const now = performance.now();
      const { user, system } = process.threadCpuUsage(lastUsage);
      longest = Math.max(longest, Math.min(now - last - sampleEveryMs, (user + system) / 1_000));
      last = now;
      lastUsage = process.threadCpuUsage();
    };
    const timer = setInterval(sample, sampleEveryMs).unref();
    let isOver = false;
    return (error) => {
      if (isOver) return;
      isOver = true;
      clearInterval(timer);
      sample();
      if (failedInHandshake(error) && longest > shortBlockMs) this.#rest(tenant, longest);
    };
  }

  #rest(tenant: string, blockedMs: number): void {
    const oldest = this.#restsUntil.keys().next();
    if (this.#restsUntil.size >= mostTenants && oldest.done === false) this.#restsUntil.delete(oldest.value);
    this.#restsUntil.set(tenant, performance.now() + Math.min(longestRestMs, blockedMs * restFactor));
  }
}

function failedInHandshake(error: unknown): boolean {
  if (error === undefined) return false;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return !notConnected.has(code);
}

/** The handshakes of this process. */
export const handshakes = new Handshakes();
