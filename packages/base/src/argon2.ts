import { argon2 } from 'node:crypto';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { Secret } from './secret.ts';

export interface Argon2Cost {
  /** Memory in KiB. */
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** OWASP's second recommendation: 19 MiB, two passes; about 45 ms. */
export const currentArgon2Cost: Argon2Cost = { memory: 19_456, passes: 2, parallelism: 1 };

/** Costs and salt with which a key was derived from a password. They are stored with the data that the key seals. */
export interface Argon2Parameters extends Argon2Cost {
  readonly algorithm: 'argon2id';
  /** 16 random bytes in base64. */
  readonly salt: string;
}

// Upper limits prevent a manipulated row from exhausting the memory.
const kdfSchema = z.strictObject({
  algorithm: z.literal('argon2id'),
  memory: z.int().min(8).max(1_048_576),
  passes: z.int().min(1).max(64),
  parallelism: z.int().min(1).max(16),
  salt: z.base64().min(16).max(88),
});

/** Reads the stored parameters; returns null if they are not valid. */
export function readArgon2Parameters(text: string): Argon2Parameters | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  return kdfSchema.safeParse(value).data ?? null;
}

export function newArgon2Parameters(
  cost: Argon2Cost,
  random: (size: number) => Uint8Array,
): Argon2Parameters {
  const { memory, passes, parallelism } = cost;
  const salt = Buffer.from(random(16)).toString('base64');
  return { algorithm: 'argon2id', memory, passes, parallelism, salt };
}

/** Whether a derivation cost less than new derivations must cost. */
export function isOutdatedArgon2(kdf: Argon2Parameters, cost: Argon2Cost): boolean {
  return kdf.memory < cost.memory || kdf.passes < cost.passes || kdf.parallelism < cost.parallelism;
}

const derive = promisify(argon2);

/** Derives a 32-byte key from a password in libuv's thread pool, so the event loop is not blocked. */
export async function derivePasswordKey(password: Secret, kdf: Argon2Parameters): Promise<Uint8Array> {
  return await derive('argon2id', {
    message: normalPassword(password),
    nonce: Buffer.from(kdf.salt, 'base64'),
    memory: kdf.memory,
    passes: kdf.passes,
    parallelism: kdf.parallelism,
    tagLength: 32,
  });
}

/**
 * Returns the NFKC form of a password, as keystores do. Keyboards that compose characters differently then yield the
 * same password.
 */
export function normalPassword(password: Secret): string {
  return password.reveal().normalize('NFKC');
}
