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

/** One key of the ring. */
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

/** The keys as of one access version. */
export interface KeyRing {
  readonly active: { readonly key: SigningKey; readonly privateKey: KeyObject } | null;
  /** The key of this id, while tokens that it signed can be alive. */
  published(kid: string, now: number): SigningKey | undefined;
  keySet(now: number): PublicKeySet;
}

/** RSA keys in the database, their private parts sealed by the master key. */
export interface SigningKeys {
  load(): Promise<KeyRing>;
  /**
   * Makes a new key active and retires the one before.
   *
   * @param expected does nothing unless this key (null: none) is active; undefined: in any case
   * @returns the new key's id, or null when nothing was done
   */
  rotate(expected?: string | null): Promise<string | null>;
}

/** Options of signing keys. */
export interface SigningKeysOptions {
  readonly store: Store;
  readonly masterKey: MasterKey;
  readonly now: () => number;
  /** Milliseconds that access tokens live. */
  readonly tokenLifetime: number;
  readonly timing: Timing;
}

const rsaJwk = z.object({ kty: z.literal('RSA'), n: z.string(), e: z.string() });
const sealedFor = (kid: string) => `signing-key ${kid}`;

/** Makes keys that sign tokens. */
export const makeKeyPair = () => promisify(generateKeyPair)('rsa', { modulusLength: 2048 });

/** A key's row, but for the time. */
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

/** Keeps signing keys in the store, so that all servers on one database share them. */
export function createSigningKeys(options: SigningKeysOptions): SigningKeys {
  const { store, masterKey, now } = options;
  const keptFor = options.tokenLifetime + options.timing.clocks;
  // Importing a key costs more than all the rest; rows never change but for their retirement.
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
        `The signing key ${kid} does not open with this master key: start the server with the master key that this database was made with.`,
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
        // Nobody signs with it again: what is not there cannot leak.
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
