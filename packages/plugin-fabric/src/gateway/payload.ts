import type { Json } from '@ledger-ops/adapter';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Converts a chaincode's bytes: to a string if they are UTF-8, otherwise to `{"base64": "…"}`. */
export function bytesToJson(bytes: Uint8Array): Json {
  const text = textOf(bytes);
  return text ?? { base64: Buffer.from(bytes).toString('base64') };
}

/** Decodes UTF-8; undefined if the bytes are not UTF-8. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
