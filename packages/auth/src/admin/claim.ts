import { Problem } from '@ledger-ops/base';
import type { Tx } from '@ledger-ops/store';
import type { AdminContext } from './context.ts';

/** An Idempotency-Key: the row of table `idempotency`, as far as it is known before the work is done. */
export interface IdempotencyClaim {
  scope: string;
  key: string;
  fingerprint: string;
}

/** How an answer is kept with its key. */
export interface KeptAnswer {
  readonly claim: IdempotencyClaim | undefined;
  readonly status: number;
  /** It holds a secret that is shown once: it is not kept, and sending the key again is refused. */
  readonly secret?: boolean;
}

/** Runs a change in one transaction, together with the row of its Idempotency-Key. */
export async function changing<Answer>(
  { store }: Pick<AdminContext, 'store'>,
  { claim, status, secret = false }: KeptAnswer,
  work: (tx: Tx) => Promise<Answer>,
): Promise<Answer> {
  if (claim === undefined) return await store.transaction(work);
  const createdAt = await store.now();
  return await store.transaction(async (tx) => {
    // First, so that of two requests with one key the second finds out before it does anything.
    await claimKey(tx, claim, status, createdAt);
    const answer = await work(tx);
    if (!secret) {
      await tx.run('update idempotency set body = $3 where scope = $1 and key = $2', [
        claim.scope,
        claim.key,
        JSON.stringify(answer),
      ]);
    }
    return answer;
  });
}

async function claimKey(tx: Tx, claim: IdempotencyClaim, status: number, createdAt: number): Promise<void> {
  const added = await tx.run(
    'insert into idempotency (scope, key, fingerprint, status, body, created_at) values ($1, $2, $3, $4, null, $5) on conflict (scope, key) do nothing',
    [claim.scope, claim.key, claim.fingerprint, status, createdAt],
  );
  if (added > 0) return;
  throw new Problem(
    'conflict',
    'A request with this Idempotency-Key was accepted at the same moment. Send it again to get its answer.',
  );
}
