import {
  answer,
  type CurrencyUnit,
  formatAmount,
  type LedgerClient,
  ProblemError,
  parseAmount,
} from '@ledger-ops/client';
import { CliError } from './errors.ts';

/** Smaller units by the symbol of the currency, with their decimals: 1 gwei is 10^9 wei, the smallest unit. */
const smallerUnits: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  ETH: { wei: 0, gwei: 9 },
  SOL: { lamports: 0, lamport: 0 },
};
/** Name of the smallest unit, the same for every ledger. */
const smallest = 'smallest';

/** Returns the currency of a ledger; null if it has none. */
export async function currencyOfLedger(
  { http }: LedgerClient,
  ledgerId: string,
  signal: AbortSignal | null = null,
): Promise<CurrencyUnit | null> {
  const params = { path: { ledgerId } };
  const [{ technology }, { technologies }] = await Promise.all([
    answer(http.GET('/v1/admin/ledgers/{ledgerId}', { params, signal })),
    answer(http.GET('/v1/technologies', { signal })),
  ]);
  return technologies.find(({ name }) => name === technology)?.unit ?? null;
}

/** Returns the currency of a wallet's ledger; null if it has none. */
export async function currencyOfWallet(ledger: LedgerClient, walletId: string): Promise<CurrencyUnit | null> {
  const params = { path: { walletId } };
  const { ledgerId } = await answer(ledger.http.GET('/v1/cloud-wallet/wallets/{walletId}', { params }));
  return await currencyOfLedger(ledger, ledgerId);
}

/** Returns an amount with its currency: `0.05 ETH`; the integer if the ledger has no currency. */
export function amountText(amount: string | null | undefined, unit: CurrencyUnit | null): string {
  if (amount === null || amount === undefined) return '';
  return unit === null || !/^\d+$/.test(amount) ? amount : formatAmount(amount, unit);
}

/**
 * Parses `0.05`, `0.05 ETH` or `20 gwei` into the smallest unit.
 *
 * @param unitName the value of `--unit`
 * @param currencyOf called only if the currency is needed
 * @throws CliError
 */
export async function readAmount(
  text: string,
  unitName: string | undefined,
  currencyOf: () => Promise<CurrencyUnit | null>,
): Promise<string> {
  const [, number = '', suffix] = /^\s*([\d.]+)\s*([A-Za-z]\w*)?\s*$/.exec(text) ?? [];
  if (number === '') throw new CliError('usage', `The amount must be a number, such as 0.05, not ${text}.`);
  if (suffix !== undefined && unitName !== undefined && !isSame(suffix, unitName))
    throw new CliError('usage', `The amount is in ${suffix}, but --unit is ${unitName}.`);
  const name = unitName ?? suffix;
  const unit =
    name !== undefined && isSame(name, smallest)
      ? { symbol: 'the smallest unit', decimals: 0 }
      : unitOf(name, await knownCurrency(currencyOf));
  try {
    return String(parseAmount(number, unit));
  } catch (error) {
    if (error instanceof TypeError) throw new CliError('usage', error.message);
    throw error;
  }
}

/** @throws CliError if the caller may not read the wallet's ledger */
async function knownCurrency(currencyOf: () => Promise<CurrencyUnit | null>): Promise<CurrencyUnit | null> {
  try {
    return await currencyOf();
  } catch (error) {
    const isHidden = error instanceof ProblemError && error.is('not-permitted');
    if (!isHidden) throw error;
    throw new CliError(
      'usage',
      'You may not read the ledger, so its currency is unknown.',
      'the same command with the amount in the smallest unit, and --unit smallest',
    );
  }
}

/** @throws CliError if the ledger does not have the unit */
function unitOf(name: string | undefined, currency: CurrencyUnit | null): CurrencyUnit {
  if (currency === null) {
    if (name === undefined) return { symbol: 'the smallest unit', decimals: 0 };
    throw new CliError(
      'usage',
      `The ledger has no currency ${name}. Use a whole number in its smallest unit.`,
    );
  }
  if (name === undefined || isSame(name, currency.symbol)) return currency;
  const smaller = Object.entries(smallerUnits[currency.symbol] ?? {});
  const found = smaller.find(([known]) => isSame(known, name));
  if (found !== undefined) return { symbol: found[0], decimals: found[1] };
  const names = [currency.symbol, ...smaller.map(([known]) => known), smallest].join(', ');
  throw new CliError(
    'usage',
    `The ledger’s currency is ${currency.symbol}, so an amount cannot be in ${name}. Its units are: ${names}.`,
  );
}

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();
