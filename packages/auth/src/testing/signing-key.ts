import type { MasterKey } from '@ledger-ops/base';
import type { Store } from '@ledger-ops/store';
import { makeKeyPair, sealKeyPair } from '../tokens/signing-keys.ts';

let pair: ReturnType<typeof makeKeyPair> | undefined;

/**
 * Stores the signing key that a new database's first server would create. All databases of a process share one, because
 * generating a key takes longer than most tests.
 */
export async function giveSigningKey(store: Store, masterKey: MasterKey, now = Date.now()): Promise<void> {
  pair ??= makeKeyPair();
  const sealed = await sealKeyPair(await pair, masterKey);
  await store.transaction(async (tx) => {
    await tx.db.insert(tx.t.signingKey).values({ ...sealed, createdAt: now });
  });
}
