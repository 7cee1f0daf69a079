/** A native currency, as `GET /v1/technologies` describes it. Its smallest unit is 10^-decimals of the currency. */
export interface CurrencyUnit {
  readonly symbol: string;
  readonly decimals: number;
}

/** Formats an amount in the smallest unit: `0.05 ETH`. */
export function formatAmount(amount: bigint | string, { symbol, decimals }: CurrencyUnit): string {
  const digits = String(BigInt(amount)).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const part = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${whole}${part === '' ? '' : `.${part}`} ${symbol}`;
}

/**
 * Parses an amount such as `0.05` into the smallest unit.
 *
 * @throws TypeError if it is not a decimal number, or has more decimals than the currency
 */
export function parseAmount(
  text: string,
  { symbol, decimals }: Pick<CurrencyUnit, 'symbol' | 'decimals'>,
): bigint {
  const [, whole, part = ''] = /^(\d{1,78})(?:[.](\d{1,78}))?$/.exec(text.trim()) ?? [];
  if (whole === undefined) throw new TypeError(`${text} is not an amount such as 0.05.`);
  if (part.length > decimals)
    throw new TypeError(
      decimals === 0
        ? `${text} is not a whole number of ${symbol}.`
        : `${text} has more than the ${decimals} decimals of ${symbol}.`,
    );
  return BigInt(whole + part.padEnd(decimals, '0'));
}
