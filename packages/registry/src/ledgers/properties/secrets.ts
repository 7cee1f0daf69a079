import { type MasterKey, Problem } from '@ledger-ops/base';
import { z } from 'zod';

/** Secret properties by name. */
export type SecretProperties = Readonly<Record<string, string>>;

/** Keeps secret properties sealed at rest, bound to their record. */
export interface SecretBox {
  /** Null when there is nothing to keep. @throws Problem `unavailable` without a master key */
  seal(uid: string, secrets: SecretProperties): Uint8Array | null;
  /** @throws Problem `unavailable` without a master key, SealError under another one */
  open(uid: string, sealed: Uint8Array | null): SecretProperties;
}

const properties = z.record(z.string(), z.string());

/** Makes the box. Without a master key it holds nothing. */
export function createSecretBox(masterKey: Pick<MasterKey, 'seal' | 'open'> | undefined): SecretBox {
  const key = () => {
    if (masterKey !== undefined) return masterKey;
    throw new Problem(
      'unavailable',
      'Secret properties need a master key, which this registry was not given.',
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
