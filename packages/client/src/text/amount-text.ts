import type { CurrencyUnit } from '../amounts.ts';

/** Formats an amount in the smallest unit, with separators: `1 234.5 ETH`. Without a unit, the integer. */
export function amountText(amount: string, unit: CurrencyUnit | null): string {
  if (unit === null) return amount;
  const { symbol, decimals } = unit;
  const digits = amount.padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals).replaceAll(/\B(?=(\d{3})+$)/g, ' ');
  const part = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${whole}${part === '' ? '' : `.${part}`} ${symbol}`;
}

/** Returns an amount without separators and symbol, for other programs: `0.01`. */
export function decimalText(amount: string, unit: CurrencyUnit | null): string {
  return amountText(amount, unit)
    .replaceAll(' ', '')
    .replace(unit?.symbol ?? '', '');
}

/** Like {@link amountText}, but shortened to six decimal digits. Below 1, leading zeros do not count. `…` marks omitted digits. */
export function shortAmountText(amount: string, unit: CurrencyUnit | null): string {
  const text = amountText(amount, unit);
  const [, whole, part = '', symbol] = /^([\d ]+)[.](\d+)(.*)$/.exec(text) ?? [];
  const kept = 6 + (whole === '0' ? part.search(/[1-9]/) : 0);
  return part.length <= kept ? text : `${whole}.${part.slice(0, kept).replace(/0+$/, '')}…${symbol}`;
}
