import type { AccessList } from '../transactions/access-list.ts';
import { bytesOf } from '../transactions/size.ts';

/** The parts of a transaction that are charged before it runs. */
export interface ChargedContent {
  creation: boolean;
  /** `0x` hex. */
  data: string;
  accessList: AccessList | undefined;
}

/** Rules that some chains lack. Those of Istanbul (EIP-2028) and Berlin (EIP-2930) are assumed. */
export interface GasRules {
  /** Whether creation code is charged per word (EIP-3860, Shanghai). */
  initCode: boolean;
  /** Whether data has a floor price (EIP-7623, Prague). */
  floor: boolean;
}

/** Gas computed with these rules suffices on every chain that charges like Ethereum. */
export const strictestRules: GasRules = { initCode: true, floor: true };

/** Maximum number of bytes of creation code (EIP-3860). Private chains may allow more. */
export const mostInitCode = 49_152;

const base = 21_000n;
const creating = 32_000n;
const zeroByte = 4n;
const otherByte = 16n;
const initCodeWord = 2n;
const listedAddress = 2400n;
const listedKey = 1900n;
/** Gas per token (EIP-7623): a zero byte is one token, any other byte four. */
const floorToken = 10n;

/** Returns the minimum gas limit with which a transaction can be included. */
export function intrinsicGas({ creation, data, accessList }: ChargedContent, rules: GasRules): bigint {
  const bytes = bytesOf(data);
  const zeros = zerosOf(data);
  const others = BigInt(bytes) - zeros;
  let gas = base + zeros * zeroByte + others * otherByte;
  if (creation) {
    gas += creating;
    if (rules.initCode) gas += initCodeWord * BigInt(Math.ceil(bytes / 32));
  }
  for (const { storageKeys } of accessList ?? []) {
    gas += listedAddress + listedKey * BigInt(storageKeys.length);
  }
  const floor = rules.floor ? base + (zeros + others * 4n) * floorToken : 0n;
  return gas > floor ? gas : floor;
}

function zerosOf(data: string): bigint {
  let zeros = 0;
  for (let index = 2; index < data.length; index += 2) {
    // Compares character codes, because cutting out substrings takes several times as long.
    if (data.charCodeAt(index) === 48 && data.charCodeAt(index + 1) === 48) zeros += 1;
  }
  return BigInt(zeros);
}
