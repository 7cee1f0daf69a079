import {
  createCipheriv,
  createDecipheriv,
  pbkdf2,
  randomBytes,
  randomUUID,
  scrypt,
  timingSafeEqual,
} from 'node:crypto';
import { promisify } from 'node:util';
import { normalPassword, type Secret } from '@ledger-ops/base';
import { keccak256 } from '@ledger-ops/base/keccak';
import { z } from 'zod';
import { secp256k1Point } from './secp256k1.ts';

export type KeystoreFault = 'malformed' | 'wrong-password' | 'wrong-address';

/** A keystore cannot be read. The message contains none of its content. */
export class KeystoreError extends Error {
  override readonly name = 'KeystoreError';
  readonly fault: KeystoreFault;

  constructor(fault: KeystoreFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

const maxText = 65_536;
/**
 * Maximum memory (128 · N · r) in bytes: exactly the memory that geth's parameters (N = 2^18, r = 8) need.
 */
const maxMemory = 268_435_456;
/** Maximum computing cost (N · r · p): twice the cost of geth's parameters. */
const maxWork = 4_194_304;
const maxIterations = 2_000_000;
const written = { n: 131_072, r: 8, p: 1 };

const hex = (bytes: number) => z.string().regex(new RegExp(`^(?:0x)?[0-9a-fA-F]{${2 * bytes}}$`));
const salt = z.string().regex(/^(?:0x)?(?:[0-9a-fA-F]{2}){1,128}$/);
const dklen = z.literal(32);

const kdfSchema = z.discriminatedUnion('kdf', [
  z.object({
    kdf: z.literal('scrypt'),
    kdfparams: z.object({ n: z.int().min(2), r: z.int().min(1), p: z.int().min(1), dklen, salt }),
  }),
  z.object({
    kdf: z.literal('pbkdf2'),
    kdfparams: z.object({ c: z.int().min(1), prf: z.literal('hmac-sha256'), dklen, salt }),
  }),
]);

const cryptoSchema = z
  .object({
    cipher: z.literal('aes-128-ctr'),
    cipherparams: z.object({ iv: hex(16) }),
    ciphertext: hex(32),
    mac: hex(32),
  })
  .and(kdfSchema);

/** Web3 Secret Storage, version 3. Member names are lower-cased first, because some programs write `Crypto`. */
const keystoreSchema = z.object({
  version: z.literal(3),
  crypto: cryptoSchema,
  address: hex(20).optional(),
});

type Kdf = z.infer<typeof kdfSchema>;

const scryptKey = promisify<
  string,
  Uint8Array,
  number,
  { N: number; r: number; p: number; maxmem: number },
  Buffer
>(scrypt);
const pbkdf2Key = promisify(pbkdf2);

/**
 * Reads the private key from a V3 keystore without blocking the event loop. Rejects parameters that would need more
 * than 256 MiB or take minutes.
 *
 * @throws KeystoreError
 */
export async function readKeystore(text: string, password: Secret): Promise<Uint8Array> {
  const { crypto, address } = parseKeystore(text);
  checkCost(crypto);
  const ciphertext = bytesOf(crypto.ciphertext);
  // Some programs normalize the password. Others, such as geth, use it as entered.
  for (const candidate of new Set([normalPassword(password), password.reveal()])) {
    const key = await deriveKey(candidate, crypto);
    try {
      const mac = keccak256(Buffer.concat([key.subarray(16, 32), ciphertext]));
      if (!timingSafeEqual(mac, bytesOf(crypto.mac))) continue;
      const iv = bytesOf(crypto.cipherparams.iv);
      const decipher = createDecipheriv('aes-128-ctr', key.subarray(0, 16), iv);
      const secret = decipher.update(ciphertext);
      checkAddress(secret, address);
      return secret;
    } finally {
      key.fill(0);
    }
  }
  throw new KeystoreError('wrong-password', 'must be the password of the keystore');
}

/** Writes a V3 keystore (scrypt, N = 131072) without blocking the event loop. */
export async function writeKeystore(privateKey: Uint8Array, password: Secret): Promise<string> {
  const salt = randomBytes(32);
  const iv = randomBytes(16);
  const kdfparams = { ...written, dklen: 32 as const, salt: salt.toString('hex') };
  const key = await deriveKey(normalPassword(password), { kdf: 'scrypt', kdfparams });
  try {
    const ciphertext = createCipheriv('aes-128-ctr', key.subarray(0, 16), iv).update(privateKey);
    const mac = keccak256(Buffer.concat([key.subarray(16, 32), ciphertext]));
    return JSON.stringify({
      version: 3,
      id: randomUUID(),
      address: addressOf(privateKey),
      crypto: {
        cipher: 'aes-128-ctr',
        cipherparams: { iv: iv.toString('hex') },
        ciphertext: ciphertext.toString('hex'),
        kdf: 'scrypt',
        kdfparams,
        mac: Buffer.from(mac).toString('hex'),
      },
    });
  } finally {
    key.fill(0);
  }
}

function parseKeystore(text: string) {
  const malformed = (detail: string) => new KeystoreError('malformed', detail);
  if (text.length > maxText) throw malformed(`must have at most ${maxText} characters`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw malformed('must be JSON');
  }
  const parsed = keystoreSchema.safeParse(lowerCaseMembers(value));
  if (parsed.success) return parsed.data;
  const places = parsed.error.issues.map(({ path }) => path.join('.') || 'the document');
  throw malformed(`must be a valid V3 keystore: check ${[...new Set(places)].join(', ')}`);
}

function lowerCaseMembers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name.toLowerCase(), member]));
}

function checkCost(crypto: Kdf): void {
  const refuse = (detail: string) => new KeystoreError('malformed', detail);
  if (crypto.kdf === 'pbkdf2') {
    if (crypto.kdfparams.c > maxIterations) throw refuse(`requires more than ${maxIterations} iterations`);
    return;
  }
  const { n, r, p } = crypto.kdfparams;
  if (!Number.isInteger(Math.log2(n))) throw refuse('has a scrypt n that is not a power of 2');
  // Invalid according to RFC 7914, section 2. OpenSSL also rejects it.
  if (r < 4 && n >= 2 ** (16 * r)) {
    throw refuse('has a scrypt n that is too large for its r (RFC 7914); import the privateKey instead');
  }
  if (128 * n * r > maxMemory) throw refuse(`requires more than ${maxMemory / 2 ** 20} MiB of memory`);
  if (n * r * p > maxWork)
    throw refuse('has scrypt parameters that require too much computing time (n · r · p)');
}

async function deriveKey(password: string, crypto: Kdf): Promise<Uint8Array> {
  const salt = bytesOf(crypto.kdfparams.salt);
  if (crypto.kdf === 'pbkdf2') return await pbkdf2Key(password, salt, crypto.kdfparams.c, 32, 'sha256');
  const { n, r, p } = crypto.kdfparams;
  return await scryptKey(password, salt, 32, { N: n, r, p, maxmem: 2 * maxMemory });
}

function checkAddress(secret: Uint8Array, address: string | undefined): void {
  const own = addressOf(secret);
  if (own === undefined) throw new KeystoreError('malformed', 'does not contain a secp256k1 private key');
  if (address !== undefined && own !== address.replace(/^0x/, '').toLowerCase()) {
    secret.fill(0);
    throw new KeystoreError('wrong-address', 'contains an address that does not belong to its key');
  }
}

/**
 * Returns the Ethereum address in lower-case hex, without `0x`: the last 20 bytes of the public key's hash.
 */
function addressOf(privateKey: Uint8Array): string | undefined {
  const point = secp256k1Point(privateKey);
  return point === null ? undefined : Buffer.from(keccak256(point.subarray(1)).subarray(12)).toString('hex');
}

function bytesOf(text: string): Uint8Array {
  return Buffer.from(text.replace(/^0x/, ''), 'hex');
}
