import { serviceItself } from '@ledger-ops/auth';
import { Problem } from '@ledger-ops/base';
import type { Store } from '@ledger-ops/store';
import { problemFrom } from '../adapter-problem.ts';
import { signRounds } from '../keys/sign-rounds.ts';
import type { Signers } from '../keys/signers.ts';
import type { WalletKey } from '../keys/types.ts';
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

/** Renews what ends of a wallet, such as its certificate, when its key is at hand anyway. */
export interface Renewals {
  /**
   * To be called when a wallet was unlocked. Where its time has come, the ledger is asked in the background, with a copy
   * of the key. Never throws: whoever unlocked the wallet goes on as it is.
   */
  consider(wallet: WalletRow, key: WalletKey, open: OpenLedger): void;
  /** When none is under way any more. */
  idle(): Promise<void>;
}

/** Makes the renewals of one server. Two servers may renew a wallet at once: the first answer is kept. */
export function createRenewals({ store, signers, log, now }: RenewalsOptions): Renewals {
  const running = new Map<string, Promise<void>>();
  const failed = new Map<string, number>();

  async function renew(wallet: WalletRow, key: WalletKey, open: OpenLedger): Promise<void> {
    const fields = { walletId: wallet.walletId, ledgerId: wallet.ledgerId };
    try {
      const renewed = await ask(wallet, key, open);
      const { material, aliases, renewAt } = storedIdentity(renewed);
      const changed = await store.transaction(async (tx) => {
        const at = now();
        const rows = await tx.run(
          // Only over what was renewed: another server may have been faster.
          `UPDATE wallet SET material = $1, aliases = $2, renew_at = $3, updated_at = $4
            WHERE uid = $5 AND COALESCE(material, '') = $6`,
          [material, aliases, renewAt, at, wallet.uid, wallet.material ?? ''],
        );
        if (rows > 0) await recordWallet(tx, serviceItself, 'renew', wallet, at);
        return rows;
      });
      failed.delete(wallet.uid);
      log('info', changed === 0 ? 'wallet.renewed-elsewhere' : 'wallet.renewed', fields);
    } catch (error) {
      failed.set(wallet.uid, now());
      const { problem, message } = problemFrom(error);
      log('warn', 'wallet.renewal-failed', { ...fields, problem, detail: message });
    } finally {
      key.destroy();
      running.delete(wallet.uid);
    }
  }

  async function ask(wallet: WalletRow, key: WalletKey, open: OpenLedger) {
    const { session, definition } = open;
    const first = await session.renewWallet?.(walletIdentity(wallet));
    const renewed =
      first === undefined
        ? undefined
        : await signRounds(first, key, (signed) => session.advanceWallet(signed));
    if (renewed?.address === wallet.address) return renewed;
    const detail =
      renewed === undefined
        ? `The ledger plugin ${definition.name} said when wallets are to be renewed, and renews none.`
        : `The ledger plugin ${definition.name} gave a wallet another address when it renewed it.`;
    throw new Problem('plugin-fault', detail);
  }

  return {
    consider(wallet, key, open) {
      const { uid, keyType, renewAt } = wallet;
      if (renewAt === null || now() < renewAt || running.has(uid)) return;
      if (now() - (failed.get(uid) ?? Number.NEGATIVE_INFINITY) < defaultTiming.renewWalletAgain) return;
      const secret = signers.reveal(key);
      try {
        running.set(uid, renew(wallet, signers.open(keyType, secret), open));
      } finally {
        secret.fill(0);
      }
    },
    async idle() {
      while (running.size > 0) await Promise.all(running.values());
    },
  };
}
