import type {
  LedgerSession,
  PrepareRequest,
  Round,
  SignedTransaction,
  SigningRequest,
} from '@ledger-ops/adapter';

/** Signs as a host would. */
export type Sign = (request: SigningRequest) => Uint8Array;

/** More rounds than any ledger needs; beyond it the adapter goes round in circles. */
const maximumRounds = 16;

/** Answers rounds with signatures until there is a result. */
export async function finishRounds<Result>(
  first: Round<Result>,
  sign: Sign,
  advance: (state: unknown, signatures: Uint8Array[]) => Promise<Round<Result>>,
): Promise<Result> {
  let round = first;
  for (let rounds = 0; !round.done; rounds += 1) {
    if (rounds === maximumRounds) throw new RangeError(`No result after ${maximumRounds} rounds of signing.`);
    round = await advance(round.state, round.requests.map(sign));
  }
  return round.result;
}

/** Takes one attempt's rounds to its signed transaction. */
export async function signAttempt(
  session: LedgerSession,
  first: Round<SignedTransaction>,
  sign: Sign,
): Promise<SignedTransaction> {
  return finishRounds(first, sign, async (state, signatures) => {
    const [next] = await session.advance([{ state, signatures }]);
    if (next === undefined) throw new RangeError('advance() answered no round for one that was given.');
    return next;
  });
}

/** An attempt with its signatures. */
export type SignedAttempt = SignedTransaction & { kind: 'main' | 'bump' | 'noop' };

/** Prepares one action and signs all its attempts, in their order. */
export async function prepareAndSign(
  session: LedgerSession,
  request: PrepareRequest,
  sign: Sign,
): Promise<SignedAttempt[]> {
  const [prepared] = await session.prepare([request]);
  if (prepared?.status !== 'prepared') {
    throw new RangeError(`prepare() gave no attempts: ${prepared?.problem.detail ?? 'no answer'}`);
  }
  const signed: SignedAttempt[] = [];
  for (const { kind, round } of prepared.attempts) {
    signed.push({ kind, ...(await signAttempt(session, round, sign)) });
  }
  return signed;
}
