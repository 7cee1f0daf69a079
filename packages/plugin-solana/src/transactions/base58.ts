import { type Address, isAddress } from '@solana/addresses';
import { isSignature, type Signature } from '@solana/keys';

const alphabet = /^[1-9A-HJ-NP-Za-km-z]{1,90}$/;

/** Whether a string is 32 bytes in base58. The client library's own check throws for other characters. */
export function isAddressText(text: string): text is Address {
  return alphabet.test(text) && isAddress(text);
}

/** Whether a string is 64 bytes in base58. */
export function isSignatureText(text: string): text is Signature {
  return alphabet.test(text) && isSignature(text);
}

const digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/**
 * Bytes of a base58 string of any length; undefined if it is not base58. Splits the string in halves
 * recursively. The client library reads it character by character in quadratic time, which takes 120 ms for
 * the data of one large instruction.
 */
export function base58Bytes(text: string): Buffer | undefined {
  if (!/^[1-9A-HJ-NP-Za-km-z]*$/.test(text)) return undefined;
  const zeros = /^1*/.exec(text)?.[0].length ?? 0;
  const hex = zeros === text.length ? '' : numberOf(text.slice(zeros)).toString(16);
  return Buffer.concat([Buffer.alloc(zeros), Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')]);
}

function numberOf(text: string): bigint {
  if (text.length > 8) {
    const low = text.length >> 1;
    const high = text.length - low;
    return numberOf(text.slice(0, high)) * 58n ** BigInt(low) + numberOf(text.slice(high));
  }
  let value = 0;
  for (const character of text) value = value * 58 + digits.indexOf(character);
  return BigInt(value);
}
