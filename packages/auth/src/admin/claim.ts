import { type IdempotencyClaim, recordAnswer, type Tx } from '@ledger-ops/store';
import type { AdminContext } from './context.ts';

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
    await recordAnswer(tx, claim, status, null, createdAt);
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
