import { createPublicKey, verify } from 'node:crypto';
import { getAddressEncoder, getBase58Decoder, getTransactionDecoder, isAddress } from '@solana/kit';

/** The first signature in base58, which is a transaction's id; undefined where bytes are no transaction with all signatures. */
export function idOfSigned(bytes: Uint8Array): string | undefined {
  try {
    const { messageBytes, signatures } = getTransactionDecoder().decode(bytes);
    const all = Object.entries(signatures);
    if (
      !all.every(
        ([signer, signature]) => signature !== null && isBy(signer, signature, Uint8Array.from(messageBytes)),
      )
    ) {
      return undefined;
    }
    const [first] = Object.values(signatures);
    return first === undefined || first === null ? undefined : getBase58Decoder().decode(first);
  } catch {
    return undefined;
  }
}

function isBy(signer: string, signature: Uint8Array, message: Uint8Array): boolean {
  if (!isAddress(signer)) return false;
  const x = Buffer.from(getAddressEncoder().encode(signer)).toString('base64url');
  const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } });
  return verify(null, message, key, signature);
}
