import { Problem } from '@ledger-ops/base';
import type { Store, Tx } from './types.ts';

/** Row of table `idempotency`, as far as the caller knows it before the work is done. */
export interface IdempotencyClaim {
  /** Who asked: application and identity. */
  readonly scope: string;
  /** The request's Idempotency-Key. */
  readonly key: string;
  /** HMAC over method, path and the body without its secrets. */
  readonly fingerprint: string;
}

/** How the answer of a request is kept with its Idempotency-Key. */
export interface KeptAnswer {
  /** Undefined: the request has no key, and nothing is kept. */
  readonly claim: IdempotencyClaim | undefined;
  readonly status: number;
  /** The answer holds a secret that is shown once: it is not kept, and sending the key again is refused. */
  readonly secret?: boolean;
}

/**
 * Runs work in one transaction, once for each Idempotency-Key: its answer is kept with the key. The key goes first, so
 * that the second of two requests is refused before any of its work is done.
 *
 * @throws Problem `conflict` when another request with this key came first
 */
export async function once<Answer>(
  store: Pick<Store, 'transaction'>,
  { claim, status, secret = false }: KeptAnswer,
  work: (tx: Tx) => Promise<Answer>,
): Promise<Answer> {
  if (claim === undefined) return await store.transaction(work);
  return await store.transaction(async (tx) => {
    await recordAnswer(tx, claim, status, null);
    const answer = await work(tx);
    if (!secret) {
      await tx.run('UPDATE idempotency SET body = $3 WHERE scope = $1 AND key = $2', [
        claim.scope,
        claim.key,
        JSON.stringify(answer),
      ]);
    }
    return answer;
  });
}

/**
 * Keeps the answer to a request with an Idempotency-Key, at the database's time, in a transaction that somebody else
 * began; who begins it calls `once`.
 *
 * @param body response JSON; null when it holds a secret that is shown once
 * @throws Problem `conflict` when another request with this key came first: nothing of this one happens
 */
export async function recordAnswer(
  tx: Tx,
  claim: IdempotencyClaim,
  status: number,
  body: string | null,
): Promise<void> {
  const { scope, key, fingerprint } = claim;
  const values = [scope, key, fingerprint, status, body];
  // SQLite is inside of this process: its clock is ours.
  const added =
    tx.dialect === 'postgres'
      ? await tx.run(insertAt('(extract(epoch from clock_timestamp()) * 1000)::bigint'), values)
      : await tx.run(insertAt('$6'), [...values, Date.now()]);
  if (added === 0) throw keyInUse();
}

function insertAt(now: string): string {
  return `INSERT INTO idempotency (scope, key, fingerprint, status, body, created_at) VALUES ($1, $2, $3, $4, $5, ${now}) ON CONFLICT (scope, key) DO NOTHING`;
}

/** The refusal of a request whose Idempotency-Key another request took at the same moment. */
export function keyInUse(): Problem {
  return new Problem(
    'conflict',
    'A request with this Idempotency-Key was accepted at the same moment. Send it again to get its answer.',
  );
}
