import { Problem } from '@ledger-ops/base';
import type { Tx } from './types.ts';

/** Row of table `idempotency`, as far as the caller knows it before the work is done. */
export interface IdempotencyClaim {
  /** Who asked: application and identity. */
  scope: string;
  /** The request's Idempotency-Key. */
  key: string;
  /** HMAC over method, path and the body without its secrets. */
  fingerprint: string;
}

/**
 * Keeps the answer to a request with an Idempotency-Key, in the transaction that does what was asked.
 *
 * @param body response JSON; null when it holds a secret that is shown once
 * @param createdAt milliseconds since the epoch
 * @throws Problem `conflict` when another request with this key came first: nothing of this one happens
 */
export async function recordAnswer(
  tx: Tx,
  claim: IdempotencyClaim,
  status: number,
  body: string | null,
  createdAt: number,
): Promise<void> {
  const added = await tx.run(
    'INSERT INTO idempotency (scope, key, fingerprint, status, body, created_at) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (scope, key) DO NOTHING',
    [claim.scope, claim.key, claim.fingerprint, status, body, createdAt],
  );
  if (added === 0) throw keyInUse();
}

/** The refusal of a request whose Idempotency-Key another request took at the same moment. */
export function keyInUse(): Problem {
  return new Problem(
    'conflict',
    'A request with this Idempotency-Key was accepted at the same moment. Send it again to get its answer.',
  );
}
