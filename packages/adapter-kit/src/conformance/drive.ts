import type {
  LedgerSession,
  PrepareRequest,
  Round,
  SignedTransaction,
  SigningRequest,
} from '@ledger-ops/adapter';

/** Signs like a host. */
export type Sign = (request: SigningRequest) => Uint8Array;

/** Maximum number of rounds that any ledger needs. An adapter that requests more is in a loop. */
const maximumRounds = 16;

/** Signs each round until the adapter returns a result. */
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

/** Completes the signing rounds of one attempt. */
export async function signAttempt(
  session: LedgerSession,
  first: Round<SignedTransaction>,
  sign: Sign,
): Promise<SignedTransaction> {
  return finishRounds(first, sign, async (state, signatures) => {
    const [next] = await session.advance([{ state, signatures }]);
    if (next === undefined) throw new RangeError('advance() returned no round for a request.');
    return next;
  });
}

/** A signed transaction, and which attempt of its action it is. */
export type SignedAttempt = SignedTransaction & { kind: 'main' | 'bump' | 'noop' };

/** Prepares one action and signs all its attempts in order. */
export async function prepareAndSign(
  session: LedgerSession,
  request: PrepareRequest,
  sign: Sign,
): Promise<SignedAttempt[]> {
  const [prepared] = await session.prepare([request]);
  if (prepared?.status !== 'prepared') {
    throw new RangeError(`prepare() returned no attempts: ${prepared?.problem.detail ?? 'no response'}`);
  }
  const signed: SignedAttempt[] = [];
  for (const { kind, round } of prepared.attempts) {
    signed.push({ kind, ...(await signAttempt(session, round, sign)) });
  }
  return signed;
}
