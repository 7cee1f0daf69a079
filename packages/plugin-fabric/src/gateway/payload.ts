import type { Json } from '@ledger-ops/adapter';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A chaincode's bytes: text where they are UTF-8, else `{"base64": "…"}`. */
export function bytesToJson(bytes: Uint8Array): Json {
  const text = textOf(bytes);
  return text ?? { base64: Buffer.from(bytes).toString('base64') };
}

/** UTF-8 text; undefined where the bytes are none. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
