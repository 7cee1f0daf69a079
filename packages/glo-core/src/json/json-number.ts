/**
 * Whether a JSON number literal keeps its value when read as a double. An integer must be a safe integer, and any other
 * literal must have the same significant digits as the double written back: `0.1`, `1.50` and `2e3` are kept;
 * `9007199254740993`, `1e21`, `0.1234567890123456789`, `1e400` and `1e-400` are not.
 */
export function keepsPrecision(literal: string): boolean {
  const value = Number(literal);
  if (!Number.isFinite(value)) return false;
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return false;
  const written = decompose(literal);
  const read = decompose(String(value));
  return written.digits === read.digits && (written.digits === '' || written.exponent === read.exponent);
}

/** Significant digits without leading and trailing zeros, and the power of ten of the last one. */
function decompose(literal: string): { digits: string; exponent: number } {
  const [mantissa = '', power = '0'] = literal.toLowerCase().replace(/^-/, '').split('e');
  const [integer = '', fraction = ''] = mantissa.split('.');
  const all = integer + fraction;
  let start = 0;
  while (all[start] === '0') start += 1;
  let end = all.length;
  while (end > start && all[end - 1] === '0') end -= 1;
  return { digits: all.slice(start, end), exponent: Number(power) - fraction.length + (all.length - end) };
}
