import { answer, type CurrencyUnit, type LedgerClient } from '@ledger-ops/client';
import { decimalText } from '@ledger-ops/client/text';
import { amountText, currencyOfLedger } from '../amounts.ts';

/** Maximum number of wallets whose balances a list reads. Each read queries a node of the ledger. */
const mostWallets = 25;
/** Milliseconds for which a list waits for balances. */
const timeoutMs = 5_000;

interface Balance {
  /** `0.05 ETH`; `unknown` if the ledger does not answer in time. */
  readonly text: string;
  /** The amount in `unit`, such as `0.05`. */
  readonly number: string;
  readonly unit: string;
}

/**
 * Returns the balances of the first `mostWallets` wallets, by wallet id. Omits wallets of ledgers that have no
 * currency.
 */
export async function balancesOf(
  service: LedgerClient,
  wallets: readonly { readonly walletId: string; readonly ledgerId: string }[],
  stopped: AbortSignal,
): Promise<ReadonlyMap<string, Balance>> {
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(timeoutMs)]);
  const first = wallets.slice(0, mostWallets);
  const ledgerIds = [...new Set(first.map(({ ledgerId }) => ledgerId))];
  const units = new Map(
    await Promise.all(
      ledgerIds.map(
        // A caller who may not read the ledger sees the balance in the smallest unit.
        async (id): Promise<[string, CurrencyUnit | null]> => [
          id,
          await currencyOfLedger(service, id, signal).catch(() => null),
        ],
      ),
    ),
  );
  const found = await Promise.all(
    first.map(async ({ walletId, ledgerId }): Promise<[string, Balance][]> => {
      const unit = units.get(ledgerId) ?? null;
      const balance = await balanceOf(service, walletId, signal);
      if (balance === null) return [];
      if (balance === undefined) return [[walletId, { text: 'unknown', number: '', unit: '' }]];
      const number = decimalText(balance, unit);
      return [[walletId, { text: amountText(balance, unit), number, unit: unit?.symbol ?? '' }]];
    }),
  );
  stopped.throwIfAborted();
  return new Map(found.flat());
}

/** Returns null if the ledger has no currency. Undefined if its node does not answer. */
async function balanceOf(
  { http }: LedgerClient,
  walletId: string,
  signal: AbortSignal,
): Promise<string | null | undefined> {
  const params = { path: { walletId } };
  return await answer(http.GET('/v1/cloud-wallet/wallets/{walletId}', { params, signal })).then(
    ({ balance }) => balance,
    () => undefined,
  );
}
