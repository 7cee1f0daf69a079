import type { DecodedMessage } from './decode.ts';

const lamportsPerSignature = 5000n;
const maxUnits = 1_400_000;
const computeBudget = 'ComputeBudget111111111111111111111111111111';
const precompiles = new Set([
  'Ed25519SigVerify111111111111111111111111111',
  'KeccakSecp256k11111111111111111111111111111',
  'Secp256r1SigVerify1111111111111111111111111',
]);
/** Native programs. An instruction for one of them adds only a few compute units to the default limit. */
const builtins = new Set([
  computeBudget,
  '11111111111111111111111111111111',
  'Vote111111111111111111111111111111111111111',
  'BPFLoader1111111111111111111111111111111111',
  'BPFLoader2111111111111111111111111111111111',
  'BPFLoaderUpgradeab1e11111111111111111111111',
  'LoaderV411111111111111111111111111111111111',
  'Ed25519SigVerify111111111111111111111111111',
  'KeccakSecp256k11111111111111111111111111111',
]);

/**
 * Returns the fee of a message in lamports: signatures, including those in precompiles, and the price of its
 * compute unit limit.
 */
export function feeOf(message: DecodedMessage): bigint {
  let signatures = BigInt(message.header.signers);
  let price = 0n;
  let limit: number | undefined;
  let byDefault = 0;
  for (const { programIndex, data } of message.instructions) {
    const program = message.accounts[programIndex] ?? '';
    if (precompiles.has(program)) signatures += BigInt(data[0] ?? 0);
    byDefault += builtins.has(program) ? 3000 : 200_000;
    if (program !== computeBudget) continue;
    const view = Buffer.from(data);
    if (view[0] === 2 && view.length >= 5) limit = view.readUInt32LE(1);
    if (view[0] === 3 && view.length >= 9) price = view.readBigUInt64LE(1);
  }
  const units = BigInt(Math.min(limit ?? byDefault, maxUnits));
  return signatures * lamportsPerSignature + (price * units + 999_999n) / 1_000_000n;
}

/** Returns the price of a compute unit in millionths of a lamport. */
export function unitPrice(message: DecodedMessage): bigint {
  for (const { programIndex, data } of message.instructions)
    if (message.accounts[programIndex] === computeBudget && data[0] === 3 && data.length >= 9)
      return Buffer.from(data).readBigUInt64LE(1);
  return 0n;
}
