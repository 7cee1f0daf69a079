import type {
  AdapterProblem,
  AttemptKind,
  LedgerSession,
  PrepareRequest,
  Round,
  SignedTransaction,
} from '@ledger-ops/adapter';
import type { WalletKey } from '../../keys/types.ts';
import type { Attempt } from '../../rows/model.ts';

/** Of one action. */
export type SignedAttempts =
  | { status: 'signed'; attempts: Attempt[] }
  | { status: 'failed'; problem: AdapterProblem };

/** Rounds that an adapter may ask for before a transaction must be complete. */
const maxRounds = 8;

/** An attempt on its way through the rounds, with the key that signs it. */
export interface OpenAttempt {
  kind: AttemptKind;
  round: Round<SignedTransaction>;
  key: WalletKey;
}

/** Prepares and signs a batch on one session: digests come from the adapter, signatures from the keys held here. */
export async function signAttempts(
  session: LedgerSession,
  items: readonly { readonly request: PrepareRequest; readonly key: WalletKey }[],
): Promise<SignedAttempts[]> {
  const prepared = await session.prepare(items.map(({ request }) => request));
  const open = items.map(({ key }, index): OpenAttempt[] => {
    const one = prepared[index];
    return one?.status === 'prepared' ? one.attempts.map(({ kind, round }) => ({ kind, round, key })) : [];
  });
  await finishRounds(session, open.flat());
  return open.map((attempts, index) => {
    const one = prepared[index];
    if (one === undefined)
      return { status: 'failed', problem: brokenContract('one answer for each request') };
    return one.status === 'failed' ? one : complete(attempts);
  });
}

/** Answers the rounds of attempts with signatures, until each is complete or takes too many. */
export async function finishRounds(session: LedgerSession, attempts: readonly OpenAttempt[]): Promise<void> {
  for (let rounds = 0; rounds < maxRounds; rounds += 1) {
    const waiting = attempts.flatMap((attempt) =>
      attempt.round.done ? [] : [{ attempt, round: attempt.round }],
    );
    if (waiting.length === 0) return;
    const next = await session.advance(
      waiting.map(({ attempt, round }) => ({
        state: round.state,
        signatures: attempt.key.sign(round.requests),
      })),
    );
    for (const [index, { attempt }] of waiting.entries()) {
      const round = next[index];
      if (round !== undefined) attempt.round = round;
    }
  }
}

function complete(attempts: readonly OpenAttempt[]): SignedAttempts {
  const signed: Attempt[] = [];
  for (const [n, { kind, round }] of attempts.entries()) {
    if (!round.done) {
      return {
        status: 'failed',
        problem: brokenContract(`a complete transaction after ${maxRounds} rounds`),
      };
    }
    signed.push({ n, kind, note: null, unsent: true, ...round.result });
  }
  if (signed.length === 0) return { status: 'failed', problem: brokenContract('at least one attempt') };
  return { status: 'signed', attempts: signed };
}

/** An adapter that does not answer as it has to. */
export function brokenContract(expected: string): AdapterProblem {
  return {
    code: 'adapter-fault',
    phase: 'prepare',
    detail: `The ledger plugin broke its contract: ${expected} was expected.`,
  };
}
