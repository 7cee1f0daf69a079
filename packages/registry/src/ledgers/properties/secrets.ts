import { type MasterKey, Problem } from '@ledger-ops/base';
import { z } from 'zod';

/** Secret properties by name. */
export type SecretProperties = Readonly<Record<string, string>>;

/** Seals the secret properties of a record; the sealed value is bound to the record. */
export interface SecretBox {
  /**
   * Null if there are no secrets.
   * @throws Problem `unavailable` without a master key
   */
  seal(uid: string, secrets: SecretProperties): Uint8Array | null;
  /** @throws Problem `unavailable` without a master key, SealError if another key sealed them */
  open(uid: string, sealed: Uint8Array | null): SecretProperties;
}

const properties = z.record(z.string(), z.string());

/** Creates the box. Without a master key, it rejects all secrets. */
export function createSecretBox(masterKey: Pick<MasterKey, 'seal' | 'open'> | undefined): SecretBox {
  const key = () => {
    if (masterKey !== undefined) return masterKey;
    throw new Problem(
      'unavailable',
      'Secret properties need a master key, but this registry has none. Set the master key first.',
    );
  };
  const bound = (uid: string) => `registry secrets ${uid}`;
  return {
    seal(uid, secrets) {
      if (Object.keys(secrets).length === 0) return null;
      return key().seal(Buffer.from(JSON.stringify(secrets), 'utf8'), bound(uid));
    },
    open(uid, sealed) {
      if (sealed === null) return {};
      const plain = key().open(sealed, bound(uid));
      return properties.parse(JSON.parse(Buffer.from(plain).toString('utf8')));
    },
  };
}
