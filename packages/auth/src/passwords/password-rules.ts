import { invalidRequest, type Secret } from '@ledger-ops/base';

/** Maximum length of a password in bytes (UTF-8), because hashing time grows with the length. */
const maxPasswordBytes = 1_024;
/** Default minimum length of a new password, in characters. */
export const defaultMinPasswordLength = 12;

/** Whether a password is short enough to be hashed. */
export function isBearable(password: Secret): boolean {
  return Buffer.byteLength(password.reveal(), 'utf8') <= maxPasswordBytes;
}

/**
 * Checks a new password: long enough, not too long, not the user's name (NIST SP 800-63B §5.1.1.2).
 *
 * @param pointer JSON pointer of the password in the request
 * @throws Problem `invalid-request`
 */
export function checkNewPassword(
  password: Secret,
  username: string,
  minLength: number,
  pointer: string,
): Secret {
  const refuse = (detail: string) => invalidRequest([{ pointer, detail }]);
  if (!isBearable(password)) throw refuse(`must have at most ${maxPasswordBytes} bytes`);
  const text = password.reveal().normalize('NFKC');
  if ([...text].length < minLength) throw refuse(`must have at least ${minLength} characters`);
  const name = username.normalize('NFKC').toLowerCase();
  const lower = text.toLowerCase();
  if (lower === name || lower === name.split('@')[0]) throw refuse('must not be the user name');
  return password;
}
