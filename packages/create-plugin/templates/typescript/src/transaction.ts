import { createHash, createPublicKey, verify } from 'node:crypto';

/** A transfer as it is signed. `amount` is a decimal string. */
export interface Transfer {
  network: string;
  from: string;
  to: string;
  amount: string;
  memo: string;
  /** Distinguishes transfers with equal content. A resent transfer keeps its nonce, so it is the same transaction. */
  nonce: string;
}

/** An address is an ed25519 public key: 32 bytes in lower-case hex. Undefined for any other string. */
export function normalAddress(text: string): string | undefined {
  const normal = text.toLowerCase();
  return /^[0-9a-f]{64}$/.test(normal) ? normal : undefined;
}

/** Returns the message that the wallet's key signs. */
export function messageOf({ network, from, to, amount, memo, nonce }: Transfer): Uint8Array {
  return new TextEncoder().encode(JSON.stringify([network, from, to, amount, memo, nonce]));
}

/** Returns the complete signed transaction. */
export function encode(transfer: Transfer, signature: Uint8Array): Uint8Array {
  const { network, from, to, amount, memo, nonce } = transfer;
  const signed = {
    network,
    from,
    to,
    amount,
    memo,
    nonce,
    signature: Buffer.from(signature).toString('hex'),
  };
  return new TextEncoder().encode(JSON.stringify(signed));
}

/** Returns the transaction's id. It follows from the bytes, so it is known before they are sent. */
export function idOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Decodes a transaction. Undefined if it is invalid or its sender has not signed it. */
export function decode(bytes: Uint8Array): Transfer | undefined {
  try {
    const { signature: hex, ...transfer } = JSON.parse(new TextDecoder().decode(bytes));
    const signature = Buffer.from(hex, 'hex');
    const x = Buffer.from(transfer.from, 'hex').toString('base64url');
    const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } });
    // The same transfer in another notation would have another id and could be executed twice.
    const isCanonical = Buffer.compare(encode(transfer, signature), bytes) === 0;
    return isCanonical && verify(null, messageOf(transfer), key, signature) ? transfer : undefined;
  } catch {
    return undefined;
  }
}
