import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { Secret } from '@ledger-ops/base';
import { z } from 'zod';

/** Cost of Argon2id (RFC 9106). */
export interface PasswordCost {
  /** KiB. */
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** 19 MiB, two passes (OWASP): about 45 ms. */
export const defaultPasswordCost: PasswordCost = { memory: 19_456, passes: 2, parallelism: 1 };

/** A password as it is stored. */
export interface StoredPassword {
  /** 32 bytes, base64. */
  readonly hash: string;
  /** JSON: salt and cost. */
  readonly params: string;
}

// Bounded, so that a row changed from outside cannot exhaust the memory.
const paramsSchema = z.strictObject({
  algorithm: z.literal('argon2id'),
  memory: z.int().min(8).max(1_048_576),
  passes: z.int().min(1).max(64),
  parallelism: z.int().min(1).max(16),
  salt: z.base64().min(16).max(88),
});
type Params = z.infer<typeof paramsSchema>;

const tagLength = 32;
const derive = promisify(argon2);

/** Hashes a password with a salt of its own, off the event loop. */
export async function hashPassword(password: Secret, cost: PasswordCost): Promise<StoredPassword> {
  const { memory, passes, parallelism } = cost;
  const salt = randomBytes(16).toString('base64');
  const params: Params = { algorithm: 'argon2id', memory, passes, parallelism, salt };
  return {
    hash: (await derivePassword(password, params)).toString('base64'),
    params: JSON.stringify(params),
  };
}

/** What an unknown user's password is compared with: costs the same and never matches. */
export function nobodysPassword(cost: PasswordCost): StoredPassword {
  const { memory, passes, parallelism } = cost;
  const salt = randomBytes(16).toString('base64');
  const params: Params = { algorithm: 'argon2id', memory, passes, parallelism, salt };
  return { hash: randomBytes(tagLength).toString('base64'), params: JSON.stringify(params) };
}

/** Whether this is the stored password. */
export async function isPassword(password: Secret, stored: StoredPassword): Promise<boolean> {
  const derived = await derivePassword(password, paramsSchema.parse(JSON.parse(stored.params)));
  const expected = Buffer.from(stored.hash, 'base64');
  return derived.length === expected.length && timingSafeEqual(derived, expected);
}

/** Whether a stored password cost less than it should now. */
export function isOutdated(stored: StoredPassword, cost: PasswordCost): boolean {
  const params = paramsSchema.parse(JSON.parse(stored.params));
  return params.memory < cost.memory || params.passes < cost.passes || params.parallelism < cost.parallelism;
}

/** NFKC: the same password whatever keyboard composed it. */
async function derivePassword(password: Secret, params: Params): Promise<Buffer> {
  return await derive('argon2id', {
    message: password.reveal().normalize('NFKC'),
    nonce: Buffer.from(params.salt, 'base64'),
    memory: params.memory,
    passes: params.passes,
    parallelism: params.parallelism,
    tagLength,
  });
}
