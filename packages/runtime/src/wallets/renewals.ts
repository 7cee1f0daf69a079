import { serviceItself } from '@ledger-ops/auth';
import { Problem } from '@ledger-ops/base';
import type { Store } from '@ledger-ops/store';
import { problemFrom } from '../adapter-problem.ts';
import { signRounds } from '../keys/sign-rounds.ts';
import type { Signer } from '../keys/signer.ts';
import type { Signers } from '../keys/signers.ts';
import type { Log } from '../log.ts';
import type { OpenLedger } from '../open-ledger.ts';
import { defaultTiming } from '../timing.ts';
import { recordWallet } from './record-wallet.ts';
import type { WalletRow } from './types.ts';
import { storedIdentity, walletIdentity } from './wallet-rows.ts';

export interface RenewalsOptions {
  store: Store;
  signers: Signers;
  log: Log;
  /** Milliseconds since the epoch. */
  now: () => number;
}

/**
 * Renews expiring parts of a wallet, such as its certificate, while its key is unlocked. If two servers renew a wallet
 * at the same time, the first result is kept.
 *
 * `#running` contains the renewals in progress, and `#failed` the times of the last failures, by wallet.
 */
export class Renewals {
  readonly #options: RenewalsOptions;
  readonly #running = new Map<string, Promise<void>>();
  readonly #failed = new Map<string, number>();

  constructor(options: RenewalsOptions) {
    this.#options = options;
  }

  /**
   * Must be called after a wallet was unlocked. If a renewal is due, it runs in the background with a separate signer.
   * Never throws, because the operation that unlocked the wallet does not depend on the renewal.
   */
  consider(wallet: WalletRow, signer: Signer, open: OpenLedger): void {
    const { uid, keyType, renewAt } = wallet;
    if (renewAt === null || this.#options.now() < renewAt || this.#running.has(uid)) return;
    if (
      this.#options.now() - (this.#failed.get(uid) ?? Number.NEGATIVE_INFINITY) <
      defaultTiming.renewWalletAgain
    )
      return;
    const reference = signer.reference();
    try {
      this.#running.set(uid, this.#renew(wallet, this.#options.signers.open(keyType, reference), open));
    } finally {
      reference.fill(0);
    }
  }

  /** Resolves when no renewal is running. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  async #renew(wallet: WalletRow, signer: Signer, open: OpenLedger): Promise<void> {
    const fields = { walletId: wallet.walletId, ledgerId: wallet.ledgerId };
    try {
      const renewed = await this.#ask(wallet, signer, open);
      const { material, aliases, renewAt } = storedIdentity(renewed);
      const changed = await this.#options.store.transaction(async (tx) => {
        const at = this.#options.now();
        const rows = await tx.run(
          // Writes only if the wallet's `material` is unchanged, because another server may have renewed the wallet
          // first.
          `UPDATE wallet SET material = $1, aliases = $2, renew_at = $3, updated_at = $4
            WHERE uid = $5 AND COALESCE(material, '') = $6`,
          [material, aliases, renewAt, at, wallet.uid, wallet.material ?? ''],
        );
        if (rows > 0) await recordWallet(tx, serviceItself, 'renew', wallet, at);
        return rows;
      });
      this.#failed.delete(wallet.uid);
      this.#options.log('info', changed === 0 ? 'wallet.renewed-elsewhere' : 'wallet.renewed', fields);
    } catch (error) {
      this.#failed.set(wallet.uid, this.#options.now());
      const { problem, message } = problemFrom(error);
      this.#options.log('warn', 'wallet.renewal-failed', { ...fields, problem, detail: message });
    } finally {
      signer.destroy();
      this.#running.delete(wallet.uid);
    }
  }

  async #ask(wallet: WalletRow, signer: Signer, open: OpenLedger) {
    const { session, definition } = open;
    const first = await session.renewWallet?.(walletIdentity(wallet));
    const renewed =
      first === undefined
        ? undefined
        : await signRounds(first, signer, (signed) => session.advanceWallet(signed));
    if (renewed?.address === wallet.address) return renewed;
    const detail =
      renewed === undefined
        ? `The ledger plugin ${definition.name} declares when wallets must be renewed but does not implement renewal.`
        : `The ledger plugin ${definition.name} changed the address of a wallet when it renewed it.`;
    throw new Problem('plugin-fault', detail);
  }
}
