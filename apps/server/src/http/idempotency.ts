import { addResponse, removeResponses } from '@ledger-ops/auth';
import { type MasterKey, Problem } from '@ledger-ops/base';
import { type IdempotencyClaim, readAcceptedRequest } from '@ledger-ops/runtime';
import { requestKeyOf, type Store, type Tx } from '@ledger-ops/store';
import { fingerprintOf } from './request/fingerprint.ts';

/** Time for which the response to a key is kept, in milliseconds. Actions can be found by their key as long as they exist. */
export const idempotencyAgeMs = 86_400_000;

/** A response that was stored with a key. */
export interface StoredAnswer {
  status: number;
  body: unknown;
}

/** Reads stored responses by key. The code that creates a record stores them. */
export interface Idempotency {
  /** @throws Problem `invalid-request` if the key is malformed */
  claim(
    scope: string,
    key: string,
    request: { method: string; path: string; body: unknown; organizationUid: string | undefined },
  ): Promise<IdempotencyClaim>;
  /**
   * Returns the stored response to the same request; null if there is none.
   *
   * @throws Problem `idempotency-key-reused`, `answer-not-replayable`
   */
  replay(claim: IdempotencyClaim): Promise<StoredAnswer | null>;
  /**
   * Like `replay`, but also finds the actions of a request whose stored response was deleted. Call it only
   * after the request was refused: a key that already has actions is always refused.
   * @throws Problem `idempotency-key-reused`, `answer-not-replayable`
   */
  replayRefused(claim: IdempotencyClaim): Promise<StoredAnswer | null>;
  /** Removes responses that are older than a day. */
  sweep(): Promise<void>;
}

/** Creates the reader. Fingerprints use a secret key, so that the database reveals nothing about bodies. */
export function createIdempotency(store: Store, masterKey: MasterKey): Idempotency {
  const key = masterKey.derive('idempotency');

  async function sweep(): Promise<void> {
    const oldest = (await store.now()) - idempotencyAgeMs;
    await store.transaction((tx) => removeResponses(tx, oldest));
  }

  async function replay(claim: IdempotencyClaim): Promise<StoredAnswer | null> {
    const [row] = await store.read.all<{
      fingerprint: string;
      status: number;
      body: string | null;
      created_at: number;
    }>('SELECT fingerprint, status, body, created_at FROM idempotency WHERE scope = $1 AND key = $2', [
      claim.scope,
      claim.key,
    ]);
    if (row === undefined) return null;
    if (row.created_at < (await store.now()) - idempotencyAgeMs) {
      await sweep();
      return null;
    }
    if (row.fingerprint !== claim.fingerprint) throw keyReused();
    if (row.body === null) {
      throw new Problem(
        'answer-not-replayable',
        'The request was executed, but its response contained a secret, which is shown only once. If the secret is lost, create a new one.',
      );
    }
    return { status: row.status, body: JSON.parse(row.body) };
  }

  return {
    async claim(scope, name, { method, path, body, organizationUid }) {
      if (!/^[\x21-\x7e]{1,255}$/.test(name)) {
        const detail = 'must be 1 to 255 visible ASCII characters';
        throw new Problem('invalid-request', `Idempotency-Key ${detail}.`, {
          errors: [{ pointer: 'Idempotency-Key', detail }],
        });
      }
      const fingerprint = await fingerprintOf(key, `${method}\n${path}\n`, body);
      if (organizationUid === undefined) return { scope, key: name, fingerprint };
      const add = (tx: Tx, bytes: number) => addResponse(tx, organizationUid, bytes);
      return { scope, key: name, fingerprint, storage: { organizationUid, add } };
    },
    replay,
    async replayRefused(claim) {
      const stored = await replay(claim);
      if (stored !== null) return stored;
      const accepted = await readAcceptedRequest(store.read, requestKeyOf(claim));
      if (accepted === null) return null;
      if (accepted.fingerprint !== claim.fingerprint) throw keyReused();
      return { status: 201, body: accepted.answer };
    },
    sweep,
  };
}

function keyReused(): Problem {
  return new Problem(
    'idempotency-key-reused',
    'This Idempotency-Key was used with a different request. Use a new key.',
  );
}
