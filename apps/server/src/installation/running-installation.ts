import type { Log } from '@ledger-ops/runtime';
import { beat, beginInstallation, markSetBack, renewedIdentity, type Store } from '@ledger-ops/store';
import { startTicker, type Ticker } from '../ticker.ts';
import type { WriteHealth } from '../write-health.ts';
import { adoptAdvice, type Doubt, examineInstallation, type IdentityConfig } from './examine.ts';
import { readHeartbeat, writeHeartbeat } from './heartbeat-file.ts';

/** Milliseconds between heartbeats of a server that changes something. */
const heartbeatIntervalMs = 5_000;

/** Maximum age in milliseconds at which a heartbeat proves an immediate restart. Restoring a backup takes longer. */
const recentHeartbeat = 30_000;

export interface InstallationOptions {
  readonly store: Store;
  readonly config: IdentityConfig;
  readonly log: Log;
  readonly writes: WriteHealth;
}

/**
 * The installation that a server runs. Its heartbeat is in the database and in the data folder, so the next start
 * detects if the database was restored to an earlier state.
 *
 * If the database may be a copy, or may lack executed operations, the installation is read-only until the process
 * ends. Otherwise the heartbeat advances until `close`. `#ended` is the store's number of transactions at the last
 * heartbeat.
 */
export class RunningInstallation {
  readonly installationId: string;
  /** Why the server must not change or send anything; undefined if it may. */
  readonly doubt: Doubt | undefined;
  /**
   * Whether a server used the database until a moment ago. If so, the database was certainly not restored to an
   * earlier state.
   */
  readonly isCurrent: boolean;
  readonly #options: InstallationOptions;
  #ended = 0;
  #ticker: Ticker | undefined;

  private constructor(
    options: InstallationOptions,
    { installationId, doubt, isCurrent }: Pick<RunningInstallation, 'installationId' | 'doubt' | 'isCurrent'>,
  ) {
    this.#options = options;
    this.installationId = installationId;
    this.doubt = doubt;
    this.isCurrent = isCurrent;
  }

  /**
   * Compares the database with the installation's records before anything else uses it, and records its identity.
   * @throws StoreError
   */
  static async open(options: InstallationOptions): Promise<RunningInstallation> {
    const { store, config, log } = options;
    const seen = await readHeartbeat(config.dataDir);
    const { installation, identity, doubt } = await examineInstallation(store, config, seen);
    if (doubt !== undefined && installation !== undefined) {
      log('error', 'database.not-adopted', { reason: doubt.detail, next: adoptAdvice });
      // Informs other servers: their data folders may not show that the database was restored to an earlier
      // state.
      if (doubt.kind === 'set-back') await store.transaction((tx) => markSetBack(tx, doubt.detail));
      const { installationId } = installation;
      return new RunningInstallation(options, { installationId, doubt, isCurrent: false });
    }
    const at = await store.now();
    const renewed = renewedIdentity(installation?.identity ?? null, identity);
    const { installationId } = await store.transaction((tx) => beginInstallation(tx, renewed, at));
    const isCurrent = installation === undefined || isRecent(installation.heartbeat, at);
    const running = new RunningInstallation(options, { installationId, doubt: undefined, isCurrent });
    await running.beat();
    running.#ticker = startTicker(heartbeatIntervalMs, () => running.beatIfUsed(), log, 'heartbeat failed');
    return running;
  }

  /** Advances the heartbeat in the database, then in the data folder. */
  async beat(): Promise<void> {
    const { store, config, writes } = this.#options;
    const now = await store.now();
    const heartbeat = await store.transaction((tx) => beat(tx, now));
    writes.recovered();
    this.#ended = store.ended();
    await writeHeartbeat(config.dataDir, { installationId: this.installationId, heartbeat });
  }

  /** Advances the heartbeat if this server wrote to the database since the last heartbeat, or if its last write failed. */
  async beatIfUsed(): Promise<void> {
    const { store, writes } = this.#options;
    if (store.ended() !== this.#ended || writes.cause !== undefined) await this.beat();
  }

  /** Call it after everything else that writes has stopped. */
  async close(): Promise<void> {
    await this.#ticker?.close();
    if (this.doubt !== undefined) return;
    await this.beatIfUsed().catch((error: unknown) => {
      const name = error instanceof Error ? error.name : 'unknown';
      this.#options.log('warn', 'heartbeat failed', { error: name });
    });
  }
}

/**
 * False after the adoption of a database that may have been restored to an earlier state: its heartbeat is in
 * the future.
 */
function isRecent(heartbeat: number, now: number): boolean {
  return heartbeat <= now && now - heartbeat < recentHeartbeat;
}
