export const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
export const largest = (a: bigint, b: bigint): bigint => (a > b ? a : b);
