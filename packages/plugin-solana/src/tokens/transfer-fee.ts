import type { InstructionJson } from '../native.ts';
import type { Plan } from '../plan.ts';
import { answers } from '../rpc/answers.ts';
import type { SolanaNode } from '../rpc/node.ts';
import { readable, UnusableAnswer } from '../rpc/unusable-answer.ts';
import { token2022Program } from './token-programs.ts';

/** Maximum number of mints of one operation whose fees are read. */
const mostMints = 8;

/** Returns warnings about Token-2022 mints that withhold a part of the transferred amount. */
export async function transferFeeWarnings(node: SolanaNode, { instructions }: Plan): Promise<string[]> {
  const transfers = instructions.flatMap((one) => transferOf(one) ?? []).slice(0, mostMints);
  if (transfers.length === 0) return [];
  const mints = transfers.map(({ mint }) => mint);
  const config = { commitment: 'confirmed', encoding: 'base64' };
  const [accounts, epochInfo] = await Promise.all([
    readable(node.ask('getMultipleAccounts', [mints, config], answers.accountData)),
    readable(node.ask('getEpochInfo', [{ commitment: 'confirmed' }], answers.epoch)),
  ]);
  if (accounts instanceof UnusableAnswer || epochInfo instanceof UnusableAnswer) return [];
  return transfers.flatMap(({ mint, amount }, index) => {
    const data = Buffer.from(accounts.value[index]?.data[0] ?? '', 'base64');
    const fees = transferFeesOf(data, amount);
    if (fees === undefined) return [];
    const isNew = fees.newer.epoch <= epochInfo.epoch;
    const { fee } = isNew ? fees.newer : fees.older;
    const decimals = data[decimalsAt] ?? 0;
    const text = (value: bigint) => withDecimals(value, decimals);
    const now =
      fee === 0n
        ? []
        : [
            `The mint ${mint} withholds a transfer fee of ${text(fee)}, so the recipient gets ${text(amount - fee)} of ${text(amount)}.`,
          ];
    const { newer } = fees;
    const later =
      isNew || newer.fee === fee
        ? []
        : [
            `From epoch ${newer.epoch} on, the mint ${mint} withholds ${text(newer.fee)}; the ledger is in epoch ${epochInfo.epoch}.`,
          ];
    return [...now, ...later];
  });
}

/** First byte of the instruction that transfers tokens of a mint. */
const transferChecked = 12;

function transferOf({
  program,
  accounts,
  data,
}: InstructionJson): { mint: string; amount: bigint } | undefined {
  const bytes = Buffer.from(data, 'base64');
  const mint = accounts[1]?.address;
  if (program !== token2022Program || bytes[0] !== transferChecked || bytes.length < 9) return undefined;
  return mint === undefined ? undefined : { mint, amount: bytes.readBigUInt64LE(1) };
}

/** Layout of a mint with extensions: https://www.solana-program.com/docs/token-2022/extensions */
const decimalsAt = 44;
const extensionsAt = 166;
/** Type of the bytes after the last extension. */
const uninitialized = 0;
/** Maximum number of extensions of one mint that are read: there are about 30 types, each at most once. */
const mostExtensions = 128;
const transferFeeConfig = 1;
/** Two authorities and the withheld amount precede the fees of two epochs. */
const [feesAt, feeSize] = [72, 18];

/** The fee of an amount, and the epoch from which it applies. */
interface TransferFee {
  epoch: bigint;
  fee: bigint;
}

/**
 * Returns the fees that a mint withholds from an amount, before and after its last change; undefined if the
 * mint does not have this extension.
 */
export function transferFeesOf(
  mint: Buffer,
  amount: bigint,
): { older: TransferFee; newer: TransferFee } | undefined {
  let at = extensionsAt;
  for (let count = 0; count < mostExtensions && at + 4 <= mint.length; count += 1) {
    const [type, length] = [mint.readUInt16LE(at), mint.readUInt16LE(at + 2)];
    if (type === uninitialized) return undefined;
    const value = mint.subarray(at + 4, at + 4 + length);
    if (type === transferFeeConfig && value.length >= feesAt + 2 * feeSize) {
      return {
        older: readFee(value.subarray(feesAt), amount),
        newer: readFee(value.subarray(feesAt + feeSize), amount),
      };
    }
    at += 4 + length;
  }
  return undefined;
}

function readFee(bytes: Buffer, amount: bigint): TransferFee {
  const [most, basisPoints] = [bytes.readBigUInt64LE(8), BigInt(bytes.readUInt16LE(16))];
  const fee = (amount * basisPoints + 9_999n) / 10_000n;
  return { epoch: bytes.readBigUInt64LE(0), fee: fee < most ? fee : most };
}

function withDecimals(value: bigint, decimals: number): string {
  const digits = value.toString().padStart(decimals + 1, '0');
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  const whole = digits.slice(0, digits.length - decimals);
  return decimals === 0 || fraction === '' ? whole : `${whole}.${fraction}`;
}
