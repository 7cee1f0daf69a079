/** The price of a transaction's gas, in wei per gas. */
export type Fee =
  | { type: 'legacy'; gasPrice: bigint }
  | { type: 'eip1559'; maxFeePerGas: bigint; maxPriorityFeePerGas: bigint };

/** The most wei per gas that a fee can take. */
export function highestPrice(fee: Fee): bigint {
  return fee.type === 'legacy' ? fee.gasPrice : fee.maxFeePerGas;
}
