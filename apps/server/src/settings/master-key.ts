import { z } from '@hono/zod-openapi';
import { ConfigError } from './config-error.ts';

/** Schema of the master key as text. */
export const masterKeyText = z
  .string('must be text')
  .refine(
    (value) => decodeKey(value) !== undefined,
    'must be 32 bytes, as 64 hexadecimal digits or base64 (create one with: openssl rand -base64 32)',
  );

/** Decodes the key from a valid text. @throws ConfigError if it is missing */
export function masterKeyOf(text: string | undefined): Uint8Array {
  const key = text === undefined ? undefined : decodeKey(text);
  if (key !== undefined) return key;
  throw new ConfigError(
    'MASTER_KEY is required, preferably as MASTER_KEY_FILE. To create a folder with a key and settings: ledger-ops init <folder>. To create only a key: openssl rand -base64 32.',
  );
}

function decodeKey(text: string): Uint8Array | undefined {
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Uint8Array.from(Buffer.from(text, 'hex'));
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return undefined;
  const bytes = Uint8Array.from(Buffer.from(text, 'base64'));
  return bytes.length === 32 ? bytes : undefined;
}
