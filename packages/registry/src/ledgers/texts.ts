import { z } from 'zod';

/** One line of text. */
export const line = z
  .string({ error: 'must be a text' })
  .regex(/^\P{Cc}{1,2048}$/u, 'must have 1 to 2048 characters without control characters');

/** A certificate or key in PEM (RFC 7468). */
export const pem = z
  .string({ error: 'must be a PEM text' })
  .max(65_536, 'has more than 65536 characters')
  .regex(/^\s*-----BEGIN [A-Z0-9 ]+-----[\s\S]+-----END [A-Z0-9 ]+-----\s*$/, 'must be a PEM text');
