import { randomBytes, timingSafeEqual } from 'node:crypto';
import {
  type Argon2Cost,
  type Argon2Parameters,
  derivePasswordKey,
  isOutdatedArgon2,
  newArgon2Parameters,
  readArgon2Parameters,
  type Secret,
} from '@ledger-ops/base';

export interface StoredPassword {
  /** 32 bytes, base64. */
  readonly hash: string;
  /** JSON: salt and cost. */
  readonly params: string;
}

const tagLength = 32;

/** Hashes a password with a new salt, off the event loop. */
export async function hashPassword(password: Secret, cost: Argon2Cost): Promise<StoredPassword> {
  const params = newArgon2Parameters(cost, randomBytes);
  const hash = Buffer.from(await derivePasswordKey(password, params)).toString('base64');
  return { hash, params: JSON.stringify(params) };
}

/**
 * Returns a placeholder for an unknown user's password: comparing with it costs the same and never matches.
 */
export function nobodysPassword(cost: Argon2Cost): StoredPassword {
  const params = newArgon2Parameters(cost, randomBytes);
  return { hash: randomBytes(tagLength).toString('base64'), params: JSON.stringify(params) };
}

/** Whether the password matches the stored one. */
export async function isPassword(password: Secret, stored: StoredPassword): Promise<boolean> {
  const derived = await derivePasswordKey(password, readParams(stored));
  const expected = Buffer.from(stored.hash, 'base64');
  return derived.length === expected.length && timingSafeEqual(derived, expected);
}

/** Whether a stored password was hashed at a lower cost than now required. */
export function isOutdated(stored: StoredPassword, cost: Argon2Cost): boolean {
  return isOutdatedArgon2(readParams(stored), cost);
}

function readParams({ params }: StoredPassword): Argon2Parameters {
  const read = readArgon2Parameters(params);
  if (read === null) throw new TypeError('The stored password hash has unknown parameters.');
  return read;
}
