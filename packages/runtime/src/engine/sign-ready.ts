import type { Problem } from '@ledger-ops/base';
import { markSigned, SequenceMoved, storePlans } from './signed-rows.ts';
import { type Candidate, maxTries, type Signer } from './signer.ts';

export interface SignReadyOptions {
  signer: Signer;
  now: () => number;
  announce: (actionIds: readonly string[]) => void;
}

/** Signs a batch that waited in the table, in one transaction. Answers what could not be prepared. */
export async function signReady(
  candidates: readonly Candidate[],
  { signer, now, announce }: SignReadyOptions,
): Promise<Map<string, Problem>> {
  const failures = new Map<string, Problem>();
  let rest = [...candidates];
  for (let tries = 0; rest.length > 0 && tries <= maxTries; tries += 1) {
    const { signed, failed } = await signer.sign(rest);
    for (const [id, problem] of failed) failures.set(id, problem);
    if (failed.size > 0) {
      rest = rest.filter(({ sign }) => !failed.has(sign.actionId));
      continue;
    }
    let gone: string[] = [];
    try {
      await signer.commit(
        signed,
        async (tx) => {
          const ids = signed.map(({ sign }) => sign.actionId);
          const still = await markSigned(tx, ids, now());
          gone = ids.filter((id) => !still.has(id));
          if (gone.length > 0) throw new SequenceMoved(`${gone.length} actions are no longer ready.`);
          await storePlans(
            tx,
            signed.filter(({ kept }) => kept !== null).map(({ sign }) => sign),
          );
        },
        'sign',
      );
      announce(signed.map(({ sign }) => sign.actionId));
      return failures;
    } catch (error) {
      if (!(error instanceof SequenceMoved)) throw error;
      rest = rest.filter(({ sign }) => !gone.includes(sign.actionId));
      if (gone.length === 0) for (const { account, line } of rest) await signer.reload(account, line);
    }
  }
  return failures;
}
