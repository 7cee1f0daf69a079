import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify<string, Buffer, number, Buffer>(scrypt);
const length = 32;

/** Hashes an enrollment secret with a new salt: `scrypt$<salt>$<hash>`, both base64. */
export async function hashSecret(secret: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive(secret, salt, length);
  return `scrypt$${salt.toString('base64')}$${hash.toString('base64')}`;
}

/** Whether the secret matches the hash. */
export async function isSecret(secret: string, stored: string): Promise<boolean> {
  const [, salt = '', hash = ''] = stored.split('$');
  const given = await derive(secret, Buffer.from(salt, 'base64'), length);
  const expected = Buffer.from(hash, 'base64');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
