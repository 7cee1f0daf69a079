import { z } from 'zod';

/** One line of text. */
export const line = z
  .string({ error: 'must be a text' })
  .regex(/^\P{Cc}{1,2048}$/u, 'must have 1 to 2048 characters without control characters');

/** A name of a ledger's own: channels, members, functions. */
export const name = z
  .string({ error: 'must be a text' })
  .regex(
    /^[^\p{Cc}\s/]{1,256}$/u,
    'must have 1 to 256 characters without slashes, spaces and control characters',
  );

/** An absolute URL of the web, without credentials. */
export const webUrl = z
  .string({ error: 'must be a URL' })
  .max(2_048, { error: 'has more than 2048 characters', abort: true })
  .refine((text) => {
    const url = URL.canParse(text) ? new URL(text) : null;
    return url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === '';
  }, 'must be an http or https URL without credentials');

/** A certificate or key in PEM (RFC 7468). */
export const pem = z
  .string({ error: 'must be a PEM text' })
  .max(65_536, { error: 'has more than 65536 characters', abort: true })
  .regex(/^\s*-----BEGIN [A-Z0-9 ]+-----[\s\S]+-----END [A-Z0-9 ]+-----\s*$/, 'must be a PEM text');
