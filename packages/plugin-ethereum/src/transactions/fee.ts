/** The price of a transaction's gas, in wei per gas. */
export type Fee =
  | { type: 'legacy'; gasPrice: bigint }
  | { type: 'eip1559'; maxFeePerGas: bigint; maxPriorityFeePerGas: bigint };

/** Returns the maximum wei per gas of a fee. */
export function highestPrice(fee: Fee): bigint {
  return fee.type === 'legacy' ? fee.gasPrice : fee.maxFeePerGas;
}
