import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { type MasterKey, SealError } from '@ledger-ops/base';
import type { Store } from '@ledger-ops/store';
import { and, isNotNull, isNull, lt } from 'drizzle-orm';
import { calculateJwkThumbprint } from 'jose';
import { z } from 'zod';
import { bumpAccess } from '../access/access-version.ts';
import type { Timing } from '../timing.ts';
import type { PublicKeySet } from '../types.ts';

export interface SigningKey {
  /** RFC 7638 thumbprint. */
  readonly kid: string;
  readonly publicKey: KeyObject;
  /** Modulus and exponent, base64url. */
  readonly jwk: { readonly n: string; readonly e: string };
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly retiredAt: number | null;
}

/** The signing keys at one value of the counter `access`. */
export interface KeyRing {
  readonly active: { readonly key: SigningKey; readonly privateKey: KeyObject } | null;
  /** Returns the key with this id, while tokens signed with it may be valid. */
  published(kid: string, now: number): SigningKey | undefined;
  keySet(now: number): PublicKeySet;
}

/** RSA keys in the database, with private parts sealed by the master key. */
export interface SigningKeys {
  load(): Promise<KeyRing>;
  /**
   * Activates a new key and retires the previous one.
   *
   * @param expected rotates only if this key is active (null: only if no key is active); if undefined, always
   * rotates
   * @returns the new key's id, or null if nothing was done
   */
  rotate(expected?: string | null): Promise<string | null>;
}

export interface SigningKeysOptions {
  readonly store: Store;
  readonly masterKey: MasterKey;
  readonly now: () => number;
  /** Lifetime of access tokens in milliseconds. */
  readonly tokenLifetime: number;
  readonly timing: Timing;
}

const rsaJwk = z.object({ kty: z.literal('RSA'), n: z.string(), e: z.string() });
const sealedFor = (kid: string) => `signing-key ${kid}`;

/** Generates a key pair to sign tokens. */
export const makeKeyPair = () => promisify(generateKeyPair)('rsa', { modulusLength: 2048 });

/** Returns the row of a key, without the timestamp. */
export async function sealKeyPair(
  { publicKey, privateKey }: Awaited<ReturnType<typeof makeKeyPair>>,
  masterKey: MasterKey,
) {
  const { n, e } = rsaJwk.parse(publicKey.export({ format: 'jwk' }));
  const publicJwk = { kty: 'RSA', n, e };
  const kid = await calculateJwkThumbprint(publicJwk);
  const der = privateKey.export({ format: 'der', type: 'pkcs8' });
  const sealedPrivate = masterKey.seal(der, sealedFor(kid));
  der.fill(0);
  return { kid, publicJwk: JSON.stringify(publicJwk), sealedPrivate };
}

/** Stores signing keys in the database, so that all servers on it share them. */
export function createSigningKeys(options: SigningKeysOptions): SigningKeys {
  const { store, masterKey, now } = options;
  const keptFor = options.tokenLifetime + options.timing.clocks;
  // Cached because importing a key is the most expensive step, and because rows do not change until the key
  // is retired.
  let imported = new Map<string, { publicKey: KeyObject; privateKey: KeyObject | undefined }>();

  const open = (kid: string, sealed: Uint8Array) => {
    try {
      const opened = masterKey.open(sealed, sealedFor(kid));
      const der = Buffer.from(opened.buffer, opened.byteOffset, opened.byteLength);
      try {
        return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
      } finally {
        der.fill(0);
      }
    } catch (error) {
      if (!(error instanceof SealError)) throw error;
      throw new SealError(
        `The signing key ${kid} cannot be decrypted with this master key. Start the server with the master key that this database was created with.`,
      );
    }
  };

  return {
    async load() {
      const rows = await store.read.db.select().from(store.read.t.signingKey);
      const next: typeof imported = new Map();
      const keys = new Map<string, SigningKey>();
      let active: KeyRing['active'] = null;
      for (const row of rows) {
        const { kid, createdAt, retiredAt } = row;
        const jwk = rsaJwk.parse(JSON.parse(row.publicJwk));
        const known = imported.get(kid);
        const publicKey = known?.publicKey ?? createPublicKey({ key: jwk, format: 'jwk' });
        const privateKey =
          retiredAt === null ? (known?.privateKey ?? open(kid, row.sealedPrivate)) : undefined;
        next.set(kid, { publicKey, privateKey });
        const key: SigningKey = { kid, publicKey, jwk: { n: jwk.n, e: jwk.e }, createdAt, retiredAt };
        keys.set(kid, key);
        if (privateKey !== undefined) active = { key, privateKey };
      }
      imported = next;
      const alive = (key: SigningKey, at: number) => key.retiredAt === null || key.retiredAt + keptFor > at;
      return {
        active,
        published(kid, at) {
          const key = keys.get(kid);
          return key !== undefined && alive(key, at) ? key : undefined;
        },
        keySet: (at) => ({
          keys: [...keys.values()]
            .filter((key) => alive(key, at))
            .sort((a, b) => b.createdAt - a.createdAt)
            .map(({ kid, jwk: { n, e } }) => ({ kty: 'RSA', use: 'sig', alg: 'RS256', kid, n, e })),
        }),
      };
    },

    async rotate(expected) {
      const sealed = await sealKeyPair(await makeKeyPair(), masterKey);
      const { kid } = sealed;
      return await store.transaction(async (tx) => {
        const { signingKey } = tx.t;
        await bumpAccess(tx);
        if (expected !== undefined) {
          const [row] = await tx.db
            .select({ kid: signingKey.kid })
            .from(signingKey)
            .where(isNull(signingKey.retiredAt));
          if ((row?.kid ?? null) !== expected) return null;
        }
        const at = now();
        await tx.db
          .delete(signingKey)
          .where(and(isNotNull(signingKey.retiredAt), lt(signingKey.retiredAt, at - keptFor)));
        // A retired key no longer signs, so its private part is erased and cannot leak.
        await tx.db
          .update(signingKey)
          .set({ retiredAt: at, sealedPrivate: new Uint8Array(0) })
          .where(isNull(signingKey.retiredAt));
        await tx.db.insert(signingKey).values({ ...sealed, createdAt: at });
        return kid;
      });
    },
  };
}
