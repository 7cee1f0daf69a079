import { isUtf8 } from 'node:buffer';
import type { Secret } from '@ledger-ops/base';
import { OAuthError } from '../tokens/oauth-error.ts';

/** The fields of a token request that have a value. */
export type TokenForm = ReadonlyMap<string, string>;

/** A request to the token or revocation endpoint. */
export interface ClientRequest {
  /** The fields that have a value; `client_id` and `client_secret` may come from HTTP Basic. */
  readonly form: TokenForm;
  /** Whether the client authenticated with HTTP Basic. */
  readonly basic: boolean;
}

const otherWays = ['client_secret', 'client_assertion', 'client_assertion_type'];
const maxLength = 8_192;

/**
 * Reads the fields (an empty one is treated as absent, RFC 6749 §3.2) and HTTP Basic credentials, if present
 * (§2.3.1). Authorization headers with another scheme are ignored.
 *
 * @throws OAuthError `invalid_client` for a malformed header, `invalid_request` for two authentication
 * methods together (§2.3)
 */
export function readClientRequest(
  sent: ReadonlyMap<string, string>,
  authorization: Secret | undefined,
): ClientRequest {
  const form = new Map([...sent].filter(([, value]) => value !== ''));
  const header = authorization?.reveal() ?? '';
  if (!/^basic( |$)/i.test(header)) return { form, basic: false };
  const { id, secret } = readBasic(header);
  if (otherWays.some((name) => form.has(name))) {
    throw new OAuthError(
      'invalid_request',
      'Authenticate with either HTTP Basic or fields of the body, not both.',
    );
  }
  if ((form.get('client_id') ?? id) !== id) {
    throw new OAuthError('invalid_request', 'client_id differs from the one in the Authorization header.');
  }
  form.set('client_id', id);
  // A client without a secret; RFC 6749 §2.3.1 allows an empty one.
  if (secret !== '') form.set('client_secret', secret);
  return { form, basic: true };
}

function readBasic(header: string): { id: string; secret: string } {
  const encoded =
    header.length > maxLength ? undefined : /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header)?.[1];
  const bytes = Buffer.from(encoded ?? '', 'base64');
  const [id, secret] =
    (isUtf8(bytes) ? /^([^:]+):(.*)$/s.exec(bytes.toString('utf8')) : null)?.slice(1) ?? [];
  if (id === undefined || secret === undefined) throw malformed();
  try {
    return { id: formDecoded(id), secret: formDecoded(secret) };
  } catch {
    throw malformed();
  }
}

/** Id and secret are form-urlencoded before base64. */
function formDecoded(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}

function malformed(): OAuthError {
  return new OAuthError(
    'invalid_client',
    'The Authorization header must be Basic and the base64 of client_id:client_secret, each form-urlencoded.',
  );
}
