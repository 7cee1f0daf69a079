/**
 * Formats an amount in the smallest unit for users: `0.5 ETH`. Without a unit, returns the integer with the
 * note "(in the smallest unit)".
 */
export function amountText(amount: string, unit: { symbol: string; decimals: number } | null): string {
  if (unit === null || !/^[0-9]+$/.test(amount)) return `${amount} (in the smallest unit)`;
  const { symbol, decimals } = unit;
  const digits = amount.padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const part = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${part === '' ? whole : `${whole}.${part}`} ${symbol}`;
}
