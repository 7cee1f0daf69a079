/**
 * A tenant whose handshakes blocked the event loop must wait for the blocked time multiplied by this factor.
 */
const restFactor = 20;
const longestRestMs = 30_000;
/**
 * Steps shorter than this are not counted: with usual keys and certificates, a step takes a few milliseconds.
 */
const shortStepMs = 10;
/** Maximum total duration of a tenant's long steps. The allowance is restored within `recoveryMs`. */
const allowedMs = 50;
const recoveryMs = 10_000;
/** Maximum number of tenants that are tracked. */
const mostTenants = 10_000;

/** A tenant's handshakes are refused or aborted for a while, because its earlier ones blocked the event loop. */
class HandshakeRestError extends Error {
  override readonly name = 'HandshakeRestError';
  readonly code = 'EHANDSHAKE';
}

function restError(): HandshakeRestError {
  return new HandshakeRestError('TLS handshakes of this tenant were too expensive. Try again later.');
}

/** One handshake in progress. */
export interface Handshake {
  readonly isOver: boolean;
  /** Runs a step of a handshake and measures the processor time that this thread uses for it. */
  run<Result>(step: () => Result): Result;
  end(): void;
}

/**
 * Tracks the cost of TLS handshakes. OpenSSL verifies every signature in a chain, even if the chain leads to
 * no trusted authority. A chain of 25 certificates with huge exponents blocks the event loop for hundreds of
 * milliseconds, and Node cannot set OpenSSL's limits. So if the long steps of a tenant's handshakes take more
 * than 50 ms together, all its handshakes in progress are aborted, and it must wait 20 times as long before
 * the next one.
 */
class Handshakes {
  readonly #restsUntil = new Map<string, number>();
  /** Total duration of the tenant's long steps. Decreases over time. */
  readonly #spent = new Map<string, { ms: number; at: number }>();
  readonly #inProgress = new Map<string, Set<(error: Error) => void>>();

  /** Returns the error that refuses a tenant's handshake; undefined if the handshake is allowed now. */
  refusal(tenant: string): HandshakeRestError | undefined {
    const until = this.#restsUntil.get(tenant);
    if (until === undefined) return undefined;
    if (until > performance.now()) return restError();
    this.#restsUntil.delete(tenant);
    return undefined;
  }

  /** @param abort called if this handshake or another one of the tenant was too expensive */
  begin(tenant: string, abort: (error: Error) => void): Handshake {
    const aborts = this.#inProgress.get(tenant) ?? new Set();
    this.#inProgress.set(tenant, aborts.add(abort));
    let isOver = false;
    const handshake = {
      get isOver() {
        return isOver;
      },
      run: <Result>(step: () => Result): Result => {
        const before = process.threadCpuUsage();
        const result = step();
        const { user, system } = process.threadCpuUsage(before);
        const blockedMs = (user + system) / 1_000;
        if (blockedMs > shortStepMs) this.#spend(tenant, blockedMs);
        return result;
      },
      end: () => {
        if (isOver) return;
        isOver = true;
        aborts.delete(abort);
        if (aborts.size === 0 && this.#inProgress.get(tenant) === aborts) this.#inProgress.delete(tenant);
      },
    };
    return handshake;
  }

  #spend(tenant: string, stepMs: number): void {
    const at = performance.now();
    const before = this.#spent.get(tenant) ?? { ms: 0, at };
    const ms = Math.max(0, before.ms - ((at - before.at) * allowedMs) / recoveryMs) + stepMs;
    this.#spent.delete(tenant);
    if (ms > allowedMs) {
      this.#rest(tenant, ms);
      return;
    }
    makeRoom(this.#spent);
    this.#spent.set(tenant, { ms, at });
  }

  #rest(tenant: string, blockedMs: number): void {
    makeRoom(this.#restsUntil);
    this.#restsUntil.set(tenant, performance.now() + Math.min(longestRestMs, blockedMs * restFactor));
    for (const abort of [...(this.#inProgress.get(tenant) ?? [])]) abort(restError());
  }
}

/** Removes the oldest entry if the map is full. */
function makeRoom(map: Map<string, unknown>): void {
  const oldest = map.keys().next();
  if (map.size >= mostTenants && oldest.done === false) map.delete(oldest.value);
}

/** The handshakes of this process. */
export const handshakes = new Handshakes();
