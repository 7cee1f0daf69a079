import { type Address, isAddress, isSignature, type Signature } from '@solana/kit';

const alphabet = /^[1-9A-HJ-NP-Za-km-z]{1,90}$/;

/** Whether a text is 32 bytes in base58. The client library's own check throws at other characters. */
export function isAddressText(text: string): text is Address {
  return alphabet.test(text) && isAddress(text);
}

/** Whether a text is 64 bytes in base58. */
export function isSignatureText(text: string): text is Signature {
  return alphabet.test(text) && isSignature(text);
}
