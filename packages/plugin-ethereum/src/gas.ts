import type { AccessList } from './plan.ts';

/** Gas of a plain transfer. */
export const transferGas = 21_000n;
/** Most gas of one transaction (EIP-7825). */
export const mostGas = 16_777_216n;

/**
 * Gas of a transfer to an account without code: the base, the floor price of its data (EIP-7623) and its
 * access list (EIP-2930). On chains without the floor some of it comes back.
 */
export function plainGas(data: string, accessList: AccessList | undefined): bigint {
  let tokens = 0n;
  for (let index = 2; index < data.length; index += 2) {
    tokens += data.startsWith('00', index) ? 1n : 4n;
  }
  return transferGas + tokens * 10n + accessListGas(accessList);
}

export function accessListGas(accessList: AccessList | undefined): bigint {
  let gas = 0n;
  for (const { storageKeys } of accessList ?? []) gas += 2400n + 1900n * BigInt(storageKeys.length);
  return gas;
}

/** An estimate with room for a state that moves on; plain transfers are exact. */
export function withHeadroom(estimate: bigint, blockGasLimit: bigint): bigint {
  if (estimate === transferGas) return estimate;
  const roomy = (estimate * 6n + 4n) / 5n;
  const limit = estimate <= mostGas && mostGas < blockGasLimit ? mostGas : blockGasLimit;
  if (roomy <= limit) return roomy;
  return estimate > limit ? estimate : limit;
}
