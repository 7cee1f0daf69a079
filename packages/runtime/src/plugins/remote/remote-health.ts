import type { AdapterError } from '@ledger-ops/adapter';

export interface RemoteHealthOptions {
  /** Requests the plugin's description. Its result is passed to `record`, like that of every call. */
  probe: () => Promise<unknown>;
  intervalMs: number;
  /** Called when the plugin stops responding, with the error, and with null when it responds again. */
  changed: (fault: AdapterError | null) => void;
}

/**
 * Whether a remote plugin responds, judging by the completed call that started last. The plugin is probed at regular
 * intervals even if it is in use, because only its description shows that it was replaced.
 *
 * `#fault` is the failure of the last call, which began at `#startedAt`; null if the plugin responded. The timer runs
 * until `close`.
 */
export class RemoteHealth {
  readonly #options: RemoteHealthOptions;
  readonly #timer: NodeJS.Timeout;
  #fault: AdapterError | null = null;
  #startedAt = 0;
  #isProbing = false;

  constructor(options: RemoteHealthOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#probe(), options.intervalMs).unref();
  }

  get isUp(): boolean {
    return this.#fault === null;
  }

  /** Records a completed call. `fault` is null if the plugin responded, even if it refused the request. */
  record(fault: AdapterError | null, startedAt: number): void {
    if (startedAt < this.#startedAt) return;
    const wasUp = this.isUp;
    this.#startedAt = startedAt;
    this.#fault = fault;
    if (wasUp !== this.isUp) this.#options.changed(fault);
  }

  /** Checks now whether the plugin responds. @throws AdapterError if the plugin does not respond */
  async check(): Promise<void> {
    await this.#options.probe();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #probe(): Promise<void> {
    if (this.#isProbing) return;
    this.#isProbing = true;
    // The result is ignored here, because `record` reports it.
    await this.#options.probe().catch(() => {});
    this.#isProbing = false;
  }
}
