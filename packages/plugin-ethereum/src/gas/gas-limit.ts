import { transferGas } from '../blocks/transfer-gas.ts';

/** Maximum gas of one transaction (EIP-7825). */
export const mostGas = 16_777_216n;

/** Adds headroom for later state changes to an estimate. Plain transfers need none. */
export function withHeadroom(estimate: bigint, blockGasLimit: bigint): bigint {
  if (estimate === transferGas) return estimate;
  const roomy = (estimate * 6n + 4n) / 5n;
  const limit = estimate <= mostGas && mostGas < blockGasLimit ? mostGas : blockGasLimit;
  if (roomy <= limit) return roomy;
  return estimate > limit ? estimate : limit;
}
